/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MAP_TYPES_H
#define MAP_TYPES_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct arena;
/* What can be done with the maps of a type, whatever is in them. */
enum map_type_flags {
	MAP_PERCPU = 1 << 0,	/* a value for each possible CPU, 8-byte aligned */
	MAP_OF_MAPS = 1 << 1,	/* values are ids of maps (uint32_t) */
	MAP_SPARSE = 1 << 2,	/* a key without a value is nothing to speak of */
	MAP_INDEXED = 1 << 3,	/* keys are the numbers below max_entries, and each has its place */
	MAP_FILES = 1 << 4,	/* values are descriptors of what the kernel shows otherwise or not at all */
	MAP_EVICTS = 1 << 5,	/* makes room by itself */
	MAP_UNCOUNTED = 1 << 6, /* max_entries is 0: there is one for each of what it belongs to */
};
/* The commands whose success depends on the type. */
enum map_verb {
	VERB_LOOKUP,
	VERB_UPDATE,
	VERB_DELETE,
	VERB_GETNEXT,
	VERB_POP,
	VERB_FREEZE,
	VERB_IMPORT,
	VERB_DUMP,
	VERB_EXPORT,
	VERB_HISTOGRAM,
	VERB_WATCH,
	VERB_TAP,
	VERB_EVENT_PIPE,
	VERB_STACKS,
	VERB_STORAGE,
	MAP_VERBS
};
struct map_type {
	unsigned flags;
	unsigned can; /* 1 << enum map_verb */
	/*
	 * Why it lacks the others: completes "a TYPE cannot be dumped: "; what to use instead, a sentence for a hint.
	 * Not for the verbs in @but, which have reasons of their own. NULL: what a verb says of the types that lack it.
	 */
	const char *why, *instead;
	struct {
		unsigned verbs;
		const char *why, *instead;
	} but;
};
/* Never NULL. Of a type newer than the table the kernel has to say what it can do: nothing is excluded but what needs
 * to know what is in it. */
const struct map_type *map_type(uint32_t type);
static inline bool map_type_can(uint32_t type, enum map_verb v)
{
	return map_type(type)->can & 1u << v;
}

/* Does the kernel want a descriptor that may write for it? So it does for consuming a ring buffer, and for adding perf
 * events. */
bool map_verb_writes(enum map_verb v);
/* 0, or -EOPNOTSUPP and why maps of this type cannot: "map 7: a queue cannot be dumped: ..." */
int map_can(uint32_t id, uint32_t type, enum map_verb v, struct err *e);
/* kind.h: types that can do the same, and what that is. */
bool map_types_row(unsigned row, struct arena *a, const char **ret_types, const char **ret_verbs);

#endif
