/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MAP_ELEM_REPLACE_H
#define MAP_ELEM_REPLACE_H

#include <stdbool.h>
#include <stdint.h>
#include "map/elem/state.h"

struct env;
struct err;
struct open_map;
/*
 * A map's new contents, all of them, before anything of the old ones is touched. The order of the change is what keeps
 * the old ones from being lost: where both have room, others go only after all new elements are there.
 */
#define REPLACE_MAX (1u << 30) /* bytes of elements */
struct replace {
	struct env *env;
	const struct open_map *map;
	struct state elems;	/* new: key, value as transferred, and replace_at() */
	struct state others;	/* keys of the map that elems lacks */
	bool room;		/* for both at once: write first, then delete */
	unsigned char *scratch; /* a key, and one of elems */
	uint64_t deleted;
};
/* -EOPNOTSUPP: the map's elements have no keys, or values that no file can hold. -EPERM: it is frozen. */
int replace_init(struct replace *r, struct env *env, const struct open_map *m, struct err *e);
void replace_release(struct replace *r);
#define CLEAN_REPLACE __attribute__((cleanup(replace_release))) struct replace
/*
 * Key and value, and where in the file they are; of one key the last value counts. -E2BIG with a sentence: more than
 * the map has room for. -EINVAL: a key that it cannot have.
 */
int replace_put(struct replace *r, const unsigned char *elem, uint64_t at, struct err *e);
uint64_t replace_at(const struct replace *r, size_t i);
/* Finds the others. Fails if they cannot be read, or cannot be deleted: nothing is changed here. */
int replace_plan(struct replace *r, struct err *e);
/* Deletes them: ->deleted. What goes by itself meanwhile is not counted. */
int replace_delete(struct replace *r, struct err *e);

#endif
