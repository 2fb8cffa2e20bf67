/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MAP_TYPES_H
#define MAP_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/* What can be done with the maps of a type, whatever is in them. A type newer than the table can perhaps be walked. */
enum map_type_flags {
	MAP_PERCPU = 1 << 0,		/* a value for each possible CPU, 8-byte aligned */
	MAP_OF_MAPS = 1 << 1,		/* values are ids of maps (uint32_t) */
	MAP_SPARSE = 1 << 2,		/* a key without a value is nothing to speak of */
};
struct map_type {
	unsigned flags;
	const char *why;		/* it cannot be walked: "..., " completes "a TYPE cannot be dumped: "; NULL: it can */
	const char *instead;		/* what can be done then; a sentence for a hint */
};
/* Never NULL. */
const struct map_type *map_type(uint32_t type);

#endif
