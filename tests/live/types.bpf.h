/* SPDX-License-Identifier: BSD-2-Clause */
/* The few kernel types that the fixtures need, so that they build without kernel headers or a vmlinux.h. */
#pragma once

typedef unsigned char __u8;
typedef signed char __s8;
typedef unsigned short __u16;
typedef short __s16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

#include <bpf/bpf_helpers.h>

enum {
	MAP_HASH = 1,
	MAP_ARRAY = 2,
	MAP_PROG_ARRAY = 3,
	MAP_PERF_EVENT_ARRAY = 4,
	MAP_PERCPU_HASH = 5,
	MAP_PERCPU_ARRAY = 6,
	MAP_LRU_HASH = 9,
	MAP_LPM_TRIE = 11,
	MAP_ARRAY_OF_MAPS = 12,
	MAP_HASH_OF_MAPS = 13,
	MAP_CGROUP_STORAGE = 19,
	MAP_PERCPU_CGROUP_STORAGE = 21,
	MAP_QUEUE = 22,
	MAP_SK_STORAGE = 24,
	MAP_DEVMAP_HASH = 25,
	MAP_INODE_STORAGE = 28,
	MAP_TASK_STORAGE = 29,
	MAP_CGRP_STORAGE = 32,
};
enum { F_NO_PREALLOC = 1 };

char LICENSE[] SEC("license") = "GPL";
