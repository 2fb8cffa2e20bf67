/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ALL_LS_H
#define ALL_LS_H

#include "cli/command.h"
#include "relate/attached.h"

/* Each place where something runs, with what is there. In attach_offer.c. */
arg_offers ls_offer_places;
/*
 * Keeps those that the words are about: words about one thing (sorts of places, places, hooks, who runs) are alternatives, things
 * must all hold. What is called so; where nothing is, what has it in its name. -ENOENT with the near ones: nothing has the word. In
 * ls_words.c.
 */
int ls_choose(struct env *env, const struct arg_list *words, struct records *recs, struct err *e);
/* By sort of place and by place. */
void ls_print_tree(struct env *env, const struct records *recs);

#endif
