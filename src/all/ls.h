/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ALL_LS_H
#define ALL_LS_H

#include "cli/command.h"
#include "relate/attached.h"

/* Each place where something runs, with what is there. In attach_offer.c. */
arg_offers ls_offer_places;
/*
 * Keeps those that the words are about: words about one thing (sorts of places, places, hooks, who runs) are
 * alternatives, things must all hold. What is called so; where nothing is, what has it in its name. Of places also what
 * runs under what is there. -ENOENT with the near ones: nothing has the word. In ls_words.c.
 */
int ls_choose(struct env *env, const struct arg_list *words, struct records *recs, struct err *e);
/*
 * Records of one place one after the other, hook by hook, in the order in which they run; places and hooks in the order
 * of their first records. In ls_group.c.
 */
void ls_group(struct env *env, struct records *recs);
/*
 * Sorts of places, groups (namespace, map, tracepoints of a subsystem), places, hooks, programs, and below each program
 * what runs under it. After ls_group() and ls_nest().
 */
void ls_print_tree(struct env *env, const struct records *recs);

#endif
