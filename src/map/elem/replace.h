/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MAP_ELEM_REPLACE_H
#define MAP_ELEM_REPLACE_H

#include <stdbool.h>
#include <stdint.h>
#include "map/elem/state.h"

struct env; struct err; struct open_map;
/* The keys that a map will have, to take the others out. state_release(&keep) is the caller's. */
#define REPLACE_MAX (1u << 30)		/* bytes of keys */
struct replace {
	struct env *env;
	const struct open_map *map;
	struct state keep;		/* keys alone */
	unsigned char *scratch;
	uint64_t deleted;
};
/* -EOPNOTSUPP: the map's elements have no keys. */
int replace_init(struct replace *r, struct env *env, const struct open_map *m, struct err *e);
int replace_keep(struct replace *r, const unsigned char *key, struct err *e);	/* -E2BIG with a sentence */
/* Takes out what is not kept, or with @dry counts it: ->deleted. What goes by itself meanwhile is not counted. */
int replace_run(struct replace *r, bool dry, struct err *e);

#endif
