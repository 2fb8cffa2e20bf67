/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in code_pages.c and groups.c. */

#include "inventory/inventory.h"

struct env;
/* Inside the folder: the objects of a machine, with their memory and the objects that they hold. */
struct node {
	enum object_kind kind;
	uint32_t id;
	const char *type, *name;	 /* "": none */
	const void *rec;		 /* of the kind's schema */
	uint64_t part[MEM_SORTS], bytes; /* in bytes; bytes: their sum */
	bool unknown;			 /* a part could not be read: the sum is too small */
	uint32_t *keeps;		 /* indexes of the nodes that it holds */
	size_t nkeeps, room;
	uint32_t groups; /* number of groups that hold it */
	uint32_t mark;	 /* last group that reached it, from 1 */
};
struct nodes {
	struct node *v;
	size_t n;
};
/* @need: enum need, fields to read in addition; @code: machine code is counted by pages (code_pages_read()). Refusals
 * are noted. -errno: no objects can be listed. Lives in env->keep. */
int nodes_read(struct env *env, unsigned need, bool code, struct nodes *ret, struct err *e);

/*
 * Replaces the bytes of machine code by the bytes of the kernel's pages with that code. Programs that have code in the
 * same page share it in equal parts, so that the sum is the size of all pages with code. If the kernel hides the
 * addresses of a program, which is noted, its bytes of code remain.
 */
void code_pages_read(struct env *env, struct nodes *all);
/* Sets the nodes that each node holds, for sums by holder. */
void nodes_relate(struct env *env, struct nodes *all);

/* The sums of the groups, each group once. */
enum mem_by { BY_OBJECT, BY_KIND, BY_TYPE, BY_PROGRAM, BY_PROCESS, BY_PIN, BY_OWNER, BY_UNIT, BY_CONTAINER, BY_CGROUP };
struct holding {
	const char *name; /* "agent(70)", a directory, a unit; NULL: no holder */
	uint32_t objects;
	uint64_t bytes;	 /* of all objects that it holds, directly or through others */
	uint64_t shared; /* the part of bytes that another group also holds */
	uint64_t share;	 /* each object's bytes divided by the number of its groups: shares add up to the total */
	bool unknown;	 /* a part could not be read */
};
struct holdings {
	struct holding *v;
	size_t n;
};
unsigned groups_need(enum mem_by by);
void groups_find(struct env *env, struct nodes *all, enum mem_by by, struct holdings *ret);
