/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/types.h"

#include <linux/bpf.h>

#include "base/clean.h"
#include "system/abi.h"


#define QUEUE { .why = "its elements have no keys, and reading them all would take them out", \
	.instead = "`map peek` shows the one that is next, `map pop` takes it out" }
#define RING(who) { .why = "it holds no elements, only records on their way to " who, \
	.instead = "`map tap` follows the records, `map show` tells how many bytes of them wait" }
#define SHOWN "`map storage` shows the values and whose they are"
#define STORAGE(owner, how) { .why = "each element belongs to a " owner " and is found only through it", \
	.instead = how }

static const struct map_type types[] = {
	[BPF_MAP_TYPE_PROG_ARRAY] = { .flags = MAP_SPARSE },
	[BPF_MAP_TYPE_PERCPU_HASH] = { .flags = MAP_PERCPU },
	[BPF_MAP_TYPE_PERCPU_ARRAY] = { .flags = MAP_PERCPU },
	[BPF_MAP_TYPE_LRU_PERCPU_HASH] = { .flags = MAP_PERCPU },
	[BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE] = { .flags = MAP_PERCPU },
	[BPF_MAP_TYPE_ARRAY_OF_MAPS] = { .flags = MAP_OF_MAPS | MAP_SPARSE },
	[BPF_MAP_TYPE_HASH_OF_MAPS] = { .flags = MAP_OF_MAPS | MAP_SPARSE },
	[BPF_MAP_TYPE_QUEUE] = QUEUE,
	[BPF_MAP_TYPE_STACK] = QUEUE,
	[BPF_MAP_TYPE_RINGBUF] = RING("user space"),
	[ABI_MAP_USER_RINGBUF] = RING("a BPF program"),
	[BPF_MAP_TYPE_BLOOM_FILTER] = { .why = "it keeps bits, not the values that were put in",
		.instead = "`map lookup MAP value VALUE` tells whether one value may be in it" },
	[BPF_MAP_TYPE_SK_STORAGE] = STORAGE("socket", SHOWN),
	[BPF_MAP_TYPE_INODE_STORAGE] = STORAGE("file", "`bpflens map lookup MAP key 3 3< FILE` finds that of a file"),
	[BPF_MAP_TYPE_TASK_STORAGE] = STORAGE("task", SHOWN),
	[ABI_MAP_CGRP_STORAGE] = STORAGE("cgroup", SHOWN),
	[ABI_MAP_ARENA] = { .why = "it is memory without elements",
		.instead = "the processes that map it (pids in `map show`) can read it" },
};

const struct map_type *map_type(uint32_t type)
{
	static const struct map_type other;

	return type < ARRAY_SIZE(types) ? &types[type] : &other;
}
