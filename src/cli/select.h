/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_SELECT_H
#define CLI_SELECT_H

#include <stddef.h>
#include <stdint.h>
#include "cli/command.h"

struct err;
/* Which objects a command means. */

/* All ids of a kind, ascending, in env->keep. A refused list is an error with a hint. */
int select_all(struct env *env, const struct kind *k, const uint32_t **ret, size_t *ret_n, struct err *e);

/*
 * The ids that a reference stands for, ascending, in env->keep; at least one on success. -ENOENT (exit 3) with a
 * sentence when nothing matches. An id is not looked up here: reading it tells whether it exists. Objects that vanish
 * meanwhile are skipped. Program names match the full name from BTF; so does the 15-character name that the kernel
 * keeps.
 */
int select_objects(struct env *env, const struct kind *k, const struct object_ref *ref, const uint32_t **ret,
		   size_t *ret_n, struct err *e);
/* The same where exactly one is wanted; several are an error that lists their ids. */
int select_one(struct env *env, const struct kind *k, const struct object_ref *ref, uint32_t *ret, struct err *e);

/* Several references together. */
struct selection {
	const struct kind *kind;
	const struct object_refs *refs;
	const uint32_t *ids; /* ascending, each once */
	size_t n;
	const char *missing; /* sentences about what is not there; NULL: nothing */
};
/* All of the kind if there are no references. What one of several does not find is told by selection_end(). In
 * env->keep. */
int selection_find(struct env *env, const struct kind *k, const struct object_refs *refs, struct selection *ret,
		   struct err *e);
/* More than one object was asked for, or found: a list. */
static inline bool selection_several(const struct selection *s)
{
	return s->n != 1 || s->refs->n != 1;
}
/* An object of it that is gone by now: a failure if it was named by its id. */
void selection_gone(struct env *env, struct selection *s, uint32_t id);
/* When all others are printed: -ENOENT if something that was named is not there. */
int selection_end(const struct selection *s, struct err *e);

/* The sentence for an id that no object has; returns -ENOENT. */
int select_no_such(const struct kind *k, uint32_t id, struct err *e);

/*
 * A descriptor of it (live source), and its id unless @ret_id is NULL. >= 0 or -errno. Maps: select_open() gives one
 * for reading only, which also holds, pins and names the map; select_open_rw() is for what writes to it.
 */
int select_open(struct env *env, const struct kind *k, const struct object_ref *ref, uint32_t *ret_id, struct err *e);
int select_open_rw(struct env *env, const struct kind *k, const struct object_ref *ref, uint32_t *ret_id,
		   struct err *e);

#endif
