/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/parse/parser.h"

/* Feed a word of an argument that selects an object (arg_is_object()); p->pending stays set while more words are
 * expected. */
int parser_object(struct parser *p, const struct arg *a, const char *word, struct err *e);
bool parser_object_begins(const struct parser *p, const struct arg *a,
			  const char *word);				    /* may it begin with this word? */
int parser_expected(const struct kind *k, const char *word, struct err *e); /* "expected 'id' or 'name', got: 'X'?" */
/* Read the object that a list of words begins with. Returns how many words it has; 0: not an object, with @e
 * set. */
size_t parser_ref(struct env *env, const struct kind *k, const struct arg_list *words, struct object_ref *ret,
		  struct err *e);
