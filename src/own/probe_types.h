/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_PROBE_TYPES_H
#define OWN_PROBE_TYPES_H

#include <stddef.h>
#include <stdint.h>

/*
 * How programs of a type are loaded. Several ways for one type: the type is there if one of them is, and may call what
 * one of them may.
 */
struct probe_way {
	uint32_t type;
	uint32_t attach; /* expected attach type; of struct_ops the number of a member */
	uint32_t flags;
	const char *func, *btf; /* the kernel's function, or type, that it is for; NULL: none is needed */
	int id;			/* of that; -1: this kernel does not have it */
};
#define PROBE_WAYS 64
/* All ways of all types, also of those up to @beyond that are newer than this program. At most PROBE_WAYS, those of one
 * type together. */
size_t probe_ways(struct probe_way *ret, uint32_t beyond);

/* Is there such a map type? 0 or -errno; EINVAL: no. What is made is closed. */
int probe_map(uint32_t type, uint32_t ifindex);

#endif
