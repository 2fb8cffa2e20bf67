/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"

/*
 * Parses the words after a command's name, one at a time: command_parse() feeds all of them; completion feeds all but
 * the last, and then finds out what may follow.
 */
struct parser {
	const struct command *c;
	const struct kind *kind; /* for ARG_OBJECT without its own kind; may be NULL */
	struct arena *arena;
	void *opts;		   /* NULL: nothing is stored */
	uint32_t seen;		   /* a bit for each row of c->args */
	const struct arg *pending; /* argument that waits for its value; NULL: none */
	const struct arg *last;	   /* argument whose value the last word completed, or NULL */
	enum selector by; /* pending ARG_OBJECT: selector whose text is expected; 0: the selector is expected */
	enum types_by
		from; /* pending ARG_TYPES: kind of source whose value is expected; TYPES_NONE: the kind is expected */
	struct {      /* pending ARG_REUSE: what is expected, and what was given */
		enum { REUSE_BY, REUSE_IDX, REUSE_NAME, REUSE_OBJECT } due;
		const char *name;
		uint32_t idx;
	} reuse;
	bool literal;	/* after "--": no more options */
	bool bpftool;	/* objects only in bpftool's grammar */
	unsigned words; /* words fed so far */
};
/* The bit of a row in seen. */
static inline uint32_t arg_bit(const struct parser *p, const struct arg *a)
{
	return 1u << (a - p->c->args);
}
bool parser_choice(const struct parser *p);		     /* one of the ARG_CHOICE rows is expected */
const struct arg *parser_following(const struct parser *p);  /* the ARG_FOLLOWS row that may come next, or NULL */
const struct arg *parser_positional(const struct parser *p); /* the next positional argument without a value, or NULL */
const struct arg *parser_again(const struct parser *p);	     /* objects or files that may have more values, or NULL */
/* FILE of "[FILE] PROG", where a single word, and what begins as an object does, is PROG. */
bool parser_is_file_before(const struct parser *p, const struct arg *a);
bool parser_may(const struct parser *p, const struct arg *a); /* may this option or keyword come next? */

/* The index of a word, which may be abbreviated, or -1. */
int parser_find_word(const struct names *n, const char *word);
/* The expected keyword that this word is or abbreviates, or NULL. */
const struct arg *parser_keyword(const struct parser *p, const char *word);
void parser_store(struct parser *p, const struct arg *a, const void *value, size_t n);
void *parser_list_room(struct parser *p, const void *list, size_t n, size_t size);
