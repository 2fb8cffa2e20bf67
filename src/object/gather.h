/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OBJECT_GATHER_H
#define OBJECT_GATHER_H

#include "base/hash.h"
#include "object/core.h"
#include "object/needs.h"

/* Needs on their way: needs.c goes through programs, maps and externs, code.c through instructions. */
struct gather {
	const struct object *o;
	struct need_kernel *k;
	struct arena *arena;
	struct needed *first, **end; /* in the order in which they were met */
	uint32_t n;
	struct hash by_name;
	const struct object_prog *prog; /* whose needs these are; NULL: the file's */
	uint32_t prog_type;		/* 0: not known */
	const char *optional;		/* why what it needs may be missing; NULL: it may not */

	/* code.c's */
	struct core_target target;
	const struct object_core *cores;
	uint32_t *first_core;  /* by section: the first of its relocations in cores */
	const bool **reached;  /* by function, by slot; NULL: not looked at yet */
	bool *loops, *visited; /* by function; visited: by this program */
};
void gather_begin(struct gather *g);
/* What the instructions of g->prog, and of the functions that it calls, need. */
void gather_code(struct gather *g);
/*
 * Of that name, with g->prog among its programs; optional if everybody who has it says so. NULL: it was there; else it
 * is new, and its state to be found.
 */
struct needed *gather_add(struct gather *g, enum needed_kind kind, const char *name, const char *type,
			  const char *optional);
/* What was added; @type NULL: without one. NULL: nothing of that name. */
struct needed *gather_find(struct gather *g, enum needed_kind kind, const char *name, const char *type);
/* A need of what the verifier has to know, and its state where it is new. */
void gather_feature(struct gather *g, const char *name, enum needed_state state, const char *why);

#endif
