/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in ls_tree.c. */

#include "cli/command.h"
#include "relate/attached.h"

/* Each place where programs are attached, with one of its hooks. In attach_offer.c. */
arg_offers ls_offer_places;
/*
 * Keep the attachments that the words select. Words of one kind (type of place, place, hook, program or owner) are
 * alternatives; all kinds must match. A word matches a whole name; if it matches none, it matches parts of names. If a
 * place is selected, so is everything that runs under its programs. Words that match nothing are in recs->missing, with
 * similar names; -ENOENT with the same text: there is no other word. In ls_args.c.
 */
int ls_choose(struct env *env, const struct arg_list *words, struct records *recs, struct err *e);
/*
 * Sort records by place, hook and run order; places and hooks are in the order of their first records. In ls_group.c.
 */
void ls_group(struct env *env, struct records *recs);
/*
 * Print types of places, groups (namespace, map, tracepoints of a subsystem), places, hooks, programs, and below each
 * program what runs under it. After ls_group() and ls_nest().
 */
void ls_print_tree(struct env *env, const struct records *recs);
