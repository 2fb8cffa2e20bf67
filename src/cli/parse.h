/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include <string.h>
#include "base/str.h"
#include "cli/command.h"

struct arena;
struct err;
/*
 * The words behind a command's name, one at a time: command_parse() feeds all of them, completion all but the last, and
 * then looks at what may follow.
 */
struct parser {
	const struct command *c;
	const struct kind *kind; /* for ARG_OBJECT without one of its own; may be NULL */
	struct arena *arena;
	void *opts;		   /* NULL: nothing is stored */
	uint32_t seen;		   /* a bit for each row of c->args */
	const struct arg *pending; /* waits for its value; NULL: none */
	const struct arg *last;	   /* whose value the last word completed, or NULL */
	enum selector by;    /* pending ARG_OBJECT: its selector was there, the text is due; 0: the selector is due */
	enum source_by from; /* pending ARG_SOURCE: which sort is due; SOURCE_NONE: its word is due */
	struct {	     /* pending ARG_REUSE: what is due, and what was there */
		enum { REUSE_BY, REUSE_IDX, REUSE_NAME, REUSE_OBJECT } due;
		const char *name;
		uint32_t idx;
	} reuse;
	bool literal;	/* behind "--": no more options */
	bool bpftool;	/* objects by its grammar alone */
	unsigned words; /* fed so far */
};
int parser_word(struct parser *p, const char *word, struct err *e);
int parser_end(struct parser *p, struct err *e); /* is everything there that must be? */

static inline bool arg_is_option(const struct arg *a)
{
	return a->name && a->name[0] == '-';
}
static inline bool arg_is_positional(const struct arg *a)
{
	return a->flags & (ARG_POSITIONAL | ARG_BEHIND) || a->type == ARG_REST;
}
static inline bool arg_is_grammar(const struct arg *a)
{
	return a->type == ARG_REST && a->name && strchr(a->name, ' ');
}
static inline bool arg_rejects(const struct arg *a, const struct arg *b)
{
	return a->rejects && b->name && str_has_word(a->rejects, b->name);
}
/* -EINVAL: an option that neither @c, if it is not NULL, nor every command has; the hint is what is near it. */
int parser_unknown_option(const struct command *c, const char *word, struct err *e);
bool parser_choice(const struct parser *p);		     /* one of the ARG_CHOICE rows is due */
const struct arg *parser_behind(const struct parser *p);     /* the ARG_BEHIND row whose word may come now, or NULL */
const struct arg *parser_positional(const struct parser *p); /* the next that is not filled, or NULL */
const struct arg *parser_again(const struct parser *p); /* objects of which one is there and more may come, or NULL */
bool parser_may(const struct parser *p, const struct arg *a); /* an option or keyword that could stand here */
static inline const struct kind *arg_kind(const struct arg *a, const struct kind *k)
{
	return a->kind ? a->kind : k;
}

/* parse_object.c: a word of an argument that names an object (arg_is_object()); p->pending stays while more are due. */
static inline bool arg_is_object(const struct arg *a)
{
	return a->type == ARG_OBJECT || a->type == ARG_SOURCE || a->type == ARG_REUSE;
}
int parser_object(struct parser *p, const struct arg *a, const char *word, struct err *e);
bool parser_object_begins(const struct parser *p, const struct arg *a,
			  const char *word);				    /* may it begin with this word? */
int parser_expected(const struct kind *k, const char *word, struct err *e); /* "expected 'id' or 'name', got: 'X'?" */
/* The object that a list of words begins with: how many of them name it; 0 if they name none, with a sentence unless
 * words lack. */
size_t parser_ref(struct env *env, const struct kind *k, const struct arg_list *words, struct object_ref *ret,
		  struct err *e);

/* parse.c, for it: the index of a word or of what it abbreviates, or -1; into the command's options. */
int parser_find_word(const struct names *n, const char *word);
/* The keyword that is due and that this word is or abbreviates, or NULL. */
const struct arg *parser_keyword(const struct parser *p, const char *word);
void parser_store(struct parser *p, const struct arg *a, const void *value, size_t n);
void *parser_list_room(struct parser *p, const void *list, size_t n, size_t size);

/* "idx", "name". */
extern const struct names reuse_names;
/* "id", "prog", "map", "file", "name"; the kind of the object that follows, NULL for a file. */
extern const struct names source_names; /* word @by - 1 */
const struct kind *source_kind(enum source_by by);

/* "id", "pinned", "tag", "name": bit @i of the order in which they are looked up; 0 behind the last. */
enum selector selector_at(unsigned i);
const char *selector_word(enum selector s);
const char *selector_metavar(enum selector s);
const char *selector_usage(enum selector s, struct arena *a); /* "[id] N", "tag TAG" */

#endif
