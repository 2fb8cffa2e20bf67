/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in library.c. */

#include "object/core.h"
#include "object/needs.h"

/* Collects needs: needs.c from programs, maps and externs, code.c from instructions. */
struct gather {
	const struct object *o;
	struct need_kernel *k;
	struct arena *arena;
	struct needed *first, **end; /* in the order in which they were found */
	uint32_t n;
	struct hash by_name;
	const struct object_prog *prog; /* program with the current needs; NULL: the file's needs */
	uint32_t prog_type;		/* 0: unknown */
	const char *optional;		/* why the current needs may be missing; NULL: they may not */

	/* for code.c */
	struct core_target target;
	const struct object_core *cores;
	uint32_t *first_core;  /* by section: index of its first relocation in cores */
	const bool **reached;  /* by function, by slot; NULL: not analysed yet */
	bool *loops, *visited; /* by function; visited: for this program */
};
void gather_begin(struct gather *g);
/* Add what libbpf, or the linked version of it, does not load. */
void gather_library(struct gather *g);
/* Collect the needs of the instructions of g->prog and of the functions that it calls. */
void gather_code(struct gather *g);
/*
 * Add a need, and g->prog to its programs. It is optional only if it is so for all of them. Returns the need if it is
 * new, and its state must be set; NULL: it exists already.
 */
struct needed *gather_add(struct gather *g, enum needed_kind kind, const char *name, const char *type,
			  const char *optional);
/* Find a need that was added; @type NULL: without one. NULL: none of that name. */
struct needed *gather_find(struct gather *g, enum needed_kind kind, const char *name, const char *type);
/* Add a need for a feature of the verifier, with its state. */
void gather_feature(struct gather *g, const char *name, enum needed_state state, const char *why);
