/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"
#include "cli/complete.h"

/* The end of the array of arguments; a command without arguments has no array. */
static inline const struct arg *args_end(const struct command *c)
{
	return c->nargs ? c->args + c->nargs : c->args;
}
/* What the row of an argument says. */
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
/* May the next word of the line be the value of the option? */
static inline bool arg_takes(const struct arg *a, const char *word)
{
	return !(a->flags & ARG_OPTIONAL) || (*word && !word[strspn(word, "0123456789.")]);
}
static inline bool arg_rejects(const struct arg *a, const struct arg *b)
{
	return a->rejects && b->name && str_has_word(a->rejects, b->name);
}
static inline bool arg_is_object(const struct arg *a)
{
	return a->type == ARG_OBJECT || a->type == ARG_TYPES || a->type == ARG_REUSE;
}
static inline bool arg_is_file(const struct arg *a)
{
	return a->type == ARG_PATH || a->offers == complete_files;
}
static inline const struct kind *arg_kind(const struct arg *a, const struct kind *k)
{
	return a->kind ? a->kind : k;
}

/* "idx", "name". */
extern const struct names reuse_names;
/* "id", "prog", "map", "file", "name"; and the kind of the object that follows, NULL for a file. */
extern const struct names source_names; /* word @by - 1 */
const struct kind *source_kind(enum types_by by);

/* "id", "pinned", "tag", "name": selector @i in the order of the search; 0 after the last. */
enum selector selector_at(unsigned i);
const char *selector_word(enum selector s);
enum selector selector_named(const char *word); /* 0: it is not one */
const char *selector_metavar(enum selector s);
const char *selector_usage(enum selector s, struct arena *a); /* "[id] N", "tag TAG" */
