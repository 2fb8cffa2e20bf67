/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MAP_CONTENTS_H
#define MAP_CONTENTS_H

#include <stdint.h>

struct env;
struct map_rec;
/* One element, or one member of its value, that is not the same in both maps. Texts are JSON; by type, else as bytes.
 */
struct content_change {
	const char *key;
	const char *member;	    /* ".in.x"; NULL: the value as a whole */
	const char *before, *after; /* NULL: the element is not there */
	uint32_t old_map, new_map;  /* of a map of maps the inner ones; 0: none */
};
typedef void content_changed(void *ctx, const struct content_change *c);
/*
 * Compares the elements of two maps, each of its own machine. Nothing is compared where one of them has no contents
 * that can be read (an archive without them), nor of maps with other sizes of keys or values, whose elements are taken
 * out by reading, or stand for what other commands show: programs in slots, operations. Refusals are noted in the env
 * of the machine. What fn() gets lives until it returns.
 */
void map_contents_compare(struct env *old, const struct map_rec *a, struct env *now, const struct map_rec *b,
			  content_changed *fn, void *ctx);

#endif
