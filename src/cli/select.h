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
 * The ids that a reference stands for, ascending, in env->keep; at least one on success. -ENOENT (exit 3) with a sentence when
 * nothing matches. An id is not looked up here: reading it tells whether it exists. Objects that vanish meanwhile are skipped.
 * Program names match the full name from BTF; so does the 15-character name that the kernel keeps.
 */
int select_objects(struct env *env, const struct kind *k, const struct object_ref *ref, const uint32_t **ret, size_t *ret_n,
		   struct err *e);
/* The same where exactly one is wanted; several are an error that lists their ids. */
int select_one(struct env *env, const struct kind *k, const struct object_ref *ref, uint32_t *ret, struct err *e);

/* The sentence for an id that no object has; returns -ENOENT. */
int select_no_such(const struct kind *k, uint32_t id, struct err *e);

/*
 * A descriptor of it (live source), and its id unless @ret_id is NULL. >= 0 or -errno. Maps: select_open() gives one for reading only,
 * which also holds, pins and names the map; select_open_rw() is for what writes to it.
 */
int select_open(struct env *env, const struct kind *k, const struct object_ref *ref, uint32_t *ret_id, struct err *e);
int select_open_rw(struct env *env, const struct kind *k, const struct object_ref *ref, uint32_t *ret_id, struct err *e);

#endif
