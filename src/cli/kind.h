/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "source/questions.h"

struct names;
struct schema;
struct env;
struct command;
/* A kind of kernel object: first word of the command line, first part of a key, noun in JSON and manual. */
enum selector { SEL_ID = 1 << 0, SEL_NAME = 1 << 1, SEL_TAG = 1 << 2, SEL_PINNED = 1 << 3 };
struct object_label {
	const char *type; /* the name of the type */
	const char *name; /* the full name, or "" */
	const char *tag;  /* 16 hex digits, or "" */
	uint8_t avail;	  /* set by kind_label(): enum avail; AVAIL_NO: no such object */
};
struct kind_question {
	enum question q;
	unsigned need;
};
struct kind {
	const char *name; /* "prog"; also the key prefix */
	const char *noun; /* "program": for messages */
	const char *help; /* one sentence for help and manual */
	enum object_kind object;
	unsigned selectors;		   /* enum selector */
	bool list;			   /* in JSON, `show` prints an array also for one object */
	const struct schema *schema;	   /* its first fields are id, type, name and tag, if the kind has them */
	const struct schema *const *parts; /* all schemas that schema->more can return, NULL-terminated; or NULL */
	/*
	 * Read one object into a record of schema->rec_size bytes, zeroed by the caller; what it points to is in @a, or
	 * valid longer. Asks only for @need. -ENOENT: freed since it was listed (not an error for a list). A fact that
	 * could not be read is AVAIL_UNKNOWN, not a failure.
	 */
	int (*read)(struct env *env, struct arena *a, uint32_t id, unsigned need, void *rec, struct err *e);
	/* The questions that read() asks about each object, so that they can be asked early; need 0: always. Ends with
	 * q QUESTIONS; or NULL. */
	const struct kind_question *asks;
	/* Names for selectors and completion, cheaper than a whole record; in @a. */
	int (*label)(struct env *env, struct arena *a, uint32_t id, struct object_label *ret, struct err *e);
	const struct command *const
		*commands; /* its own verbs, NULL-terminated, in bpftool's order, after show, list, help */
	/* For its manual page: types with the same abilities, separated by " , ", and their verbs; false: no such row.
	 * NULL: no list. */
	bool (*types)(unsigned row, struct arena *a, const char **ret_types, const char **ret_verbs);
};
extern const struct kind kind_prog, kind_map, kind_link, kind_btf;
extern const struct names names_object_kind;	     /* "prog", ...: for fields */
extern const struct kind *const kinds[];	     /* kinds.c: all kinds, NULL-terminated */
const struct kind *kind_of(enum object_kind object); /* NULL: none */
/* Read once, in env->keep. What cannot be read: "". */
struct object_label kind_label(struct env *env, const struct kind *k, uint32_t id);
/* schema_need() of its schema and of all its parts. */
unsigned kind_need(const struct kind *k, uint32_t without);
/* edge_need() of all of them. */
unsigned kind_edge_need(const struct kind *k, unsigned skip);
