/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * A way to load programs of a type. If a type has several ways, it is there if one of them works, and may call each
 * helper that one of them may.
 */
struct probe_way {
	uint32_t type;
	uint32_t attach; /* expected attach type; for struct_ops the index of a member */
	uint32_t flags;
	const char *func, *btf; /* the kernel function or type that it is for; NULL: none */
	int id;			/* type id of func or btf; -1: this kernel does not have it */
};
#define PROBE_WAYS 64
/* List all ways of all types, also of types up to @beyond that are newer than bpflens. At most PROBE_WAYS, grouped by
 * type. Returns their number. */
size_t probe_ways(struct probe_way *ret, uint32_t beyond);

/* Is there such a map type? 0 or -errno; -EINVAL: no. A map that it creates is closed. */
int probe_map(uint32_t type, uint32_t ifindex);
