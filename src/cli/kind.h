/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_KIND_H
#define CLI_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "host/holders.h"
#include "source/questions.h"

struct schema;
struct env;
struct command;
struct err;
struct arena;
/*
 * One sort of kernel object: first word of argv, first part of a key, noun in JSON and in the manual.
 */
enum selector { SEL_ID = 1 << 0, SEL_NAME = 1 << 1, SEL_TAG = 1 << 2, SEL_PINNED = 1 << 3 };
struct kind_question {
	enum question q;
	unsigned need;
};
struct kind {
	const char *name; /* "prog"; also the key prefix */
	const char *noun; /* "program": for sentences */
	const char *help; /* one sentence for help and manual */
	enum object_kind object;
	unsigned selectors;		   /* enum selector */
	bool list;			   /* in JSON, `show` of one object is an array, too */
	const struct schema *schema;	   /* its first fields are id, type, name, tag as far as the kind has them */
	const struct schema *const *parts; /* every schema that schema->more leads to, NULL-terminated; or NULL */
	/*
	 * Read one object into a record of schema->rec_size bytes (zeroed by the caller); pointers go to @a or to
	 * things that live longer. Asks only what @need says. -ENOENT: gone since we listed it (not an error for a
	 * list). A fact that could not be read is AVAIL_UNKNOWN, not a failure.
	 */
	int (*read)(struct env *env, struct arena *a, uint32_t id, unsigned need, void *rec, struct err *e);
	/* What read() asks about each object, so that it can be asked early; need 0: always. q QUESTIONS ends; or NULL.
	 */
	const struct kind_question *asks;
	/*
	 * Cheap answers for selectors and completion, without reading a whole record: does this object have that name
	 * or tag? *ret_name is its full name ("" if none), *ret_tag 16 hex digits or "", *ret_type its type's word; in
	 * env->arena.
	 */
	int (*label)(struct env *env, struct arena *a, uint32_t id, const char **ret_type, const char **ret_name,
		     const char **ret_tag, struct err *e);
	const struct command *const *commands; /* its own verbs, NULL-terminated, in bpftool's order; show, list and
						  help come first by themselves */
	/* For its manual page: types that can do the same, " , " between them, and the verbs that they can; false: no
	 * such row. NULL: none. */
	bool (*types)(unsigned row, struct arena *a, const char **ret_types, const char **ret_verbs);
};
extern const struct kind kind_prog, kind_map, kind_link, kind_btf;
extern const struct kind *const kinds[];	     /* kinds.c: every kind, NULL-terminated */
const struct kind *kind_of(enum object_kind object); /* NULL: none */
unsigned kind_need(const struct kind *k);	     /* OR of the needs of all its fields, those of its parts too */

#endif
