/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "map/elem/state.h"

struct env;
struct open_map;
/*
 * All new contents of a map, collected before an old element is touched. The order of the change protects the old
 * elements: if there is room for both, others are deleted only after all new elements have been written.
 */
#define REPLACE_MAX (1u << 30) /* bytes of elements */
struct replace {
	struct env *env;
	const struct open_map *map;
	struct state elems;	/* new: key, value as transferred, and replace_at() */
	struct state others;	/* keys of the map that are not in elems */
	bool room;		/* for both: write first, then delete */
	unsigned char *scratch; /* a key, and an element of elems */
	uint64_t deleted;
};
/* -EOPNOTSUPP: the elements have no keys, or values that cannot be in a file. -EPERM: the map is frozen. */
int replace_init(struct replace *r, struct env *env, const struct open_map *m, struct err *e);
void replace_release(struct replace *r);
#define CLEAN_REPLACE __attribute__((cleanup(replace_release))) struct replace
/*
 * Key and value, and their position in the file; if a key is repeated, its last value counts. -E2BIG with a sentence:
 * more elements than the map has room for. -EINVAL: a key that the map cannot have.
 */
int replace_put(struct replace *r, const unsigned char *elem, uint64_t at, struct err *e);
uint64_t replace_at(const struct replace *r, size_t i);
/* Finds the others, and changes nothing. Fails if they cannot be read, or could not be deleted. */
int replace_plan(struct replace *r, struct err *e);
/* Deletes them: ->deleted. Elements that have gone meanwhile are not counted. */
int replace_delete(struct replace *r, struct err *e);
