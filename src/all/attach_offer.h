/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ALL_ATTACH_OFFER_H
#define ALL_ATTACH_OFFER_H

#include "cli/command.h"

/* Completion: where the program that the line begins with can be attached, and the hooks there that take it. */
arg_offers attach_offer_where, attach_offer_what;
/* Where something runs, and what: places and names of programs; the hooks in use at the place; its programs by number.
 */
arg_offers detach_offer_where, detach_offer_what, detach_offer_prog;

#endif
