/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
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
int parser_word(struct parser *p, const char *word, struct err *e);
int parser_end(struct parser *p, struct err *e); /* check that nothing required is missing */

static inline bool arg_is_option(const struct arg *a)
{
	return a->name && a->name[0] == '-';
}
static inline bool arg_is_positional(const struct arg *a)
{
	return a->flags & (ARG_POSITIONAL | ARG_FOLLOWS) || a->type == ARG_REST;
}
static inline bool arg_is_grammar(const struct arg *a)
{
	return a->type == ARG_REST && a->name && strchr(a->name, ' ');
}
static inline bool arg_rejects(const struct arg *a, const struct arg *b)
{
	return a->rejects && b->name && str_has_word(a->rejects, b->name);
}
/* Set @e for an option that neither @c (may be NULL) nor every command has, with a hint of similar ones. -EINVAL. */
int parser_unknown_option(const struct command *c, const char *word, struct err *e);
bool parser_choice(const struct parser *p);		     /* one of the ARG_CHOICE rows is expected */
const struct arg *parser_following(const struct parser *p);  /* the ARG_FOLLOWS row that may come next, or NULL */
const struct arg *parser_positional(const struct parser *p); /* the next positional argument without a value, or NULL */
const struct arg *parser_again(const struct parser *p);	     /* object argument that may have more values, or NULL */
bool parser_may(const struct parser *p, const struct arg *a); /* may this option or keyword come next? */
static inline const struct kind *arg_kind(const struct arg *a, const struct kind *k)
{
	return a->kind ? a->kind : k;
}

/* parse_object.c: feed a word of an argument that selects an object (arg_is_object()); p->pending stays set while more
 * words are expected. */
static inline bool arg_is_object(const struct arg *a)
{
	return a->type == ARG_OBJECT || a->type == ARG_TYPES || a->type == ARG_REUSE;
}
int parser_object(struct parser *p, const struct arg *a, const char *word, struct err *e);
bool parser_object_begins(const struct parser *p, const struct arg *a,
			  const char *word);				    /* may it begin with this word? */
int parser_expected(const struct kind *k, const char *word, struct err *e); /* "expected 'id' or 'name', got: 'X'?" */
/* Read the object that a list of words begins with. Returns how many words it has; 0: not an object, with @e
 * set. */
size_t parser_ref(struct env *env, const struct kind *k, const struct arg_list *words, struct object_ref *ret,
		  struct err *e);

/* parse.c, for parse_object.c: the index of a word, which may be abbreviated, or -1. */
int parser_find_word(const struct names *n, const char *word);
/* The expected keyword that this word is or abbreviates, or NULL. */
const struct arg *parser_keyword(const struct parser *p, const char *word);
void parser_store(struct parser *p, const struct arg *a, const void *value, size_t n);
void *parser_list_room(struct parser *p, const void *list, size_t n, size_t size);

/* "idx", "name". */
extern const struct names reuse_names;
/* "id", "prog", "map", "file", "name"; and the kind of the object that follows, NULL for a file. */
extern const struct names source_names; /* word @by - 1 */
const struct kind *source_kind(enum types_by by);

/* "id", "pinned", "tag", "name": selector @i in the order of the search; 0 after the last. */
enum selector selector_at(unsigned i);
const char *selector_word(enum selector s);
const char *selector_metavar(enum selector s);
const char *selector_usage(enum selector s, struct arena *a); /* "[id] N", "tag TAG" */
