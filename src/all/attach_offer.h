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
/*
 * True: WHERE is not a name of any place that has the hook; sets -ENOENT with a message, and similar names as a hint.
 * False: it is one, or the form of the name does not decide that; *e is not changed.
 */
bool attach_where_missing(struct env *env, const char *where, const char *what, struct err *e);
