/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ITER_LIST_H
#define ITER_LIST_H

#include <stdint.h>

struct env;
struct err;
/* A link of an iterator. */
struct iter_link_rec {
	uint32_t id, prog_id, map_id;
	uint64_t cgroup_id;
	const char *prog;	    /* name of the program */
	const char *target, *walks; /* walks: what of it, "process 12", "map 3"; NULL: all */
	const char *const *pinned;
	uint32_t npinned;
	uint8_t has_prog, has_pins; /* enum avail */
};
/* All of them, ascending by id, in env->keep. @need: of links (NEED_PINS, NEED_PROG). What cannot be read is counted.
 */
int iter_links(struct env *env, unsigned need, const struct iter_link_rec **ret, uint32_t *ret_n, struct err *e);

/* Something that iterators can walk. */
struct iter_target {
	const char *name;
	const char *module;	    /* that has it; NULL: the kernel itself */
	const char *takes;	    /* what may be said when attaching: "map", "tid pid"; NULL: nothing */
	const char *const *context; /* what a program gets, besides meta */
	const struct iter_link_rec *links;
	uint32_t ncontext, nlinks;
};
/* Those that the kernel's types and its modules' tell of, in env->keep, as rows of @ret. */
struct records;
void iter_targets(struct env *env, struct records *ret);

#endif
