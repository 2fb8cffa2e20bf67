/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"

/* Completion: places where the program at the start of the line can be attached, and their hooks that take it. */
arg_offers attach_offer_where, attach_offer_what;
/*
 * Completion: places where programs are attached, and names of these programs; the hooks in use at the place; ids of
 * its programs.
 */
arg_offers detach_offer_where, detach_offer_what, detach_offer_prog;
