/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in links.c and targets.c. */

#include "base/base.h"

struct env;
/* A link of an iterator. */
struct iter_link_rec {
	uint32_t id, prog_id, map_id;
	uint64_t cgroup_id;
	const char *prog;	    /* name of the program */
	const char *target, *walks; /* walks: the part of the target, "process 12", "map 3"; NULL: all */
	const char *const *pinned;
	uint32_t npinned;
	uint8_t has_prog, has_pins; /* enum avail */
};
/* List all, ascending by id, in env->keep. @need: NEED_PINS, NEED_PROG. Links that cannot be read are counted. */
int iter_links(struct env *env, unsigned need, const struct iter_link_rec **ret, uint32_t *ret_n, struct err *e);

/* Something that iterators can walk. */
struct iter_target {
	const char *name;
	const char *module;	    /* kernel module that has it; NULL: the kernel itself */
	const char *takes;	    /* arguments for attaching: "map", "tid pid"; NULL: none */
	const char *const *context; /* what a program gets, in addition to meta */
	const struct iter_link_rec *links;
	uint32_t ncontext, nlinks;
};
/* Add the targets found in the types of the kernel and its modules as rows to @ret, in env->keep. */
struct records;
void iter_targets(struct env *env, struct records *ret);
