/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* Properties of the maps of a type. */
enum map_type_flags {
	MAP_PERCPU = 1 << 0,  /* a value for each possible CPU, 8-byte aligned */
	MAP_OF_MAPS = 1 << 1, /* values are ids of maps (uint32_t) */
	MAP_SPARSE = 1 << 2,  /* a key without a value is not shown */
	MAP_INDEXED = 1 << 3, /* keys are the numbers below max_entries, all present */
	MAP_FILES = 1 << 4,   /* values are descriptors, whose objects the kernel shows in another way or not at all */
	MAP_EVICTS = 1 << 5,  /* the kernel evicts elements to make room */
	MAP_UNCOUNTED = 1 << 6, /* max_entries is 0: an element for each owner */
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
	 * Why it does not support the other verbs: completes "a TYPE cannot be dumped: "; and what to use instead, for
	 * a hint. Not for the verbs in @but, which have their own. NULL: the default of the verb.
	 */
	const char *why, *instead;
	struct {
		unsigned verbs;
		const char *why, *instead;
	} but;
};
/*
 * Never NULL. A type newer than the table is allowed everything that does not depend on its contents; the kernel
 * decides.
 */
const struct map_type *map_type(uint32_t type);
static inline bool map_type_can(uint32_t type, enum map_verb v)
{
	return map_type(type)->can & 1u << v;
}

/* Does the kernel require a writable descriptor? Also for consuming a ring buffer, and for adding perf events. */
bool map_verb_writes(enum map_verb v);
/* 0, or -EOPNOTSUPP and why maps of this type cannot: "map 7: a queue cannot be dumped: ..." */
int map_can(uint32_t id, uint32_t type, enum map_verb v, struct err *e);
/* kind.h: types that can do the same, and what they can do. */
bool map_types_row(unsigned row, struct arena *a, const char **ret_types, const char **ret_verbs);
