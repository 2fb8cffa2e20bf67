/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct env;
struct map_rec;
/* An element, or a member of its value, that differs between two maps. Texts are JSON: by type, else as bytes.
 */
struct content_change {
	const char *key;
	const char *member;	    /* ".in.x"; NULL: the value as a whole */
	const char *before, *after; /* NULL: the element is missing */
	uint32_t old_map, new_map;  /* for a map of maps, the inner maps; 0: none */
};
typedef void content_changed(void *ctx, const struct content_change *c);
/*
 * Compares the elements of two maps of two machines. Maps are not compared if the contents of one cannot be read (an
 * archive without them), if the sizes of keys or values differ, if reading removes elements, or if the elements are
 * shown by other commands (programs in slots, operations). Refusals are noted in the env of the machine. The argument
 * of fn() lives until fn() returns.
 */
void map_contents_compare(struct env *old, const struct map_rec *a, struct env *now, const struct map_rec *b,
			  content_changed *fn, void *ctx);
