/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MEM_NODES_H
#define MEM_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/object.h"

struct env;
struct err;
/* Inside the folder: the objects of a machine with what they take and what they keep. */
enum mem_sort { MEM_PROGRAM, MEM_CODE, MEM_MAP, MEM_TYPES, MEM_SORTS };
struct node {
	enum object_kind kind;
	uint32_t id;
	const char *type, *name;	 /* "": it has none */
	const void *rec;		 /* of the kind's schema */
	uint64_t part[MEM_SORTS], bytes; /* in bytes; bytes: their sum */
	bool unknown;			 /* a part could not be read: the sum is too small */
	uint32_t *keeps;		 /* places of other nodes */
	size_t nkeeps, room;
	uint32_t groups; /* how many groups keep it */
	uint32_t mark;	 /* last group that reached it, from 1 */
};
struct nodes {
	struct node *v;
	size_t n;
};
/* @need: enum need of what else is looked at; @code: machine code is counted by pages (code_pages_read()). Refusals are
 * noted. -errno: nothing can be listed. Lives in env->keep. */
int nodes_read(struct env *env, unsigned need, bool code, struct nodes *ret, struct err *e);

/*
 * In place of its bytes what machine code takes of the kernel's pages: those of which a program has all, and of those
 * that several have code in an equal part, so that the sum is the pages that hold code. Where that is not shown, which
 * is noted, bytes remain.
 */
void code_pages_read(struct env *env, struct nodes *all);
/* For sums by who keeps objects: what each node keeps. */
void nodes_relate(struct env *env, struct nodes *all);

/* Who keeps objects, each once. */
enum mem_by { BY_OBJECT, BY_KIND, BY_TYPE, BY_PROGRAM, BY_PROCESS, BY_PIN, BY_UNIT, BY_CONTAINER, BY_CGROUP };
struct holding {
	const char *name; /* "agent(70)", a directory, a unit; NULL: nobody */
	uint32_t objects;
	uint64_t bytes;	 /* of all that it keeps, directly or through others */
	uint64_t shared; /* those of them that another group keeps, too */
	uint64_t share;	 /* each object's bytes divided by the groups that keep it: these add up to all there is */
	bool unknown;	 /* a part could not be read */
};
struct holdings {
	struct holding *v;
	size_t n;
};
unsigned groups_need(enum mem_by by);
void groups_find(struct env *env, struct nodes *all, enum mem_by by, struct holdings *ret);

#endif
