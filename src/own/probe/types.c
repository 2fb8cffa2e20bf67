/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/probe/types.h"

#include <bpf/btf.h>
#include <linux/bpf.h>
#include <linux/btf.h>

#include "kernel/abi.h"
#include "kernel/bpf.h"
#include "kernel/names.h"
#include "own/kbtf.h"

#ifndef ENOTSUPP
#define ENOTSUPP 524 /* the kernel's own */
#endif
#define RING (64u << 10) /* a multiple of any page size */

/* Types that need more than the type to be loaded, or whose helpers depend on more. */
static const struct probe_way special[] = {
	{ BPF_PROG_TYPE_KPROBE },
	{ BPF_PROG_TYPE_KPROBE, .flags = BPF_F_SLEEPABLE },
	{ BPF_PROG_TYPE_CGROUP_SOCK_ADDR, BPF_CGROUP_INET4_CONNECT },
	{ BPF_PROG_TYPE_CGROUP_SOCK_ADDR, BPF_CGROUP_INET4_BIND },
	{ BPF_PROG_TYPE_CGROUP_SOCKOPT, BPF_CGROUP_GETSOCKOPT },
	{ BPF_PROG_TYPE_CGROUP_SOCKOPT, BPF_CGROUP_SETSOCKOPT },
	{ BPF_PROG_TYPE_TRACING, BPF_TRACE_ITER, .func = "bpf_iter_task" },
	{ BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, .btf = "btf_trace_sched_switch" },
	{ BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, .func = "bpf_fentry_test1" },
	{ BPF_PROG_TYPE_TRACING, BPF_TRACE_FEXIT, .func = "bpf_fentry_test1" },
	{ BPF_PROG_TYPE_STRUCT_OPS, 0, .btf = "tcp_congestion_ops" },
	/* member 5, because before Linux 5.16 the first members were data */
	{ BPF_PROG_TYPE_STRUCT_OPS, 5, .btf = "tcp_congestion_ops" },
	/* Rejected by the verifier because there is no program to replace, but only if the verifier knows the type. */
	{ BPF_PROG_TYPE_EXT, .func = "bpf_fentry_test1" },
	{ BPF_PROG_TYPE_LSM, BPF_LSM_MAC, .func = "bpf_lsm_file_open" },
	{ BPF_PROG_TYPE_LSM, BPF_LSM_MAC, BPF_F_SLEEPABLE, .func = "bpf_lsm_file_open" },
	{ ABI_PROG_SK_LOOKUP, BPF_SK_LOOKUP },
	{ ABI_PROG_SYSCALL, .flags = BPF_F_SLEEPABLE },
	{ ABI_PROG_NETFILTER, ABI_ATTACH_NETFILTER },
};

static bool is_special(uint32_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(special); i++)
		if (special[i].type == type)
			return true;
	return false;
}

/* Find the type ids. Without the kernel's BTF, programs for a function or type cannot be loaded. */
static void ids_find(struct probe_way *ways, size_t n)
{
	struct kbtf_want want[ARRAY_SIZE(special)];
	size_t wants = 0;

	for (size_t i = 0; i < n; i++) {
		ways[i].id = -1;
		if (ways[i].func || ways[i].btf)
			want[wants++] = (struct kbtf_want){ ways[i].btf, ways[i].func, true, &ways[i].id };
	}
	/* On failure all ids stay unknown. */
	(void)kbtf_ask(want, wants);
}

size_t probe_ways(struct probe_way *ret, uint32_t beyond)
{
	size_t n = ARRAY_SIZE(special);

	memcpy(ret, special, sizeof(special));
	ids_find(ret, n);
	for (uint32_t type = BPF_PROG_TYPE_UNSPEC + 1; type <= beyond && n < PROBE_WAYS; type++)
		if (!is_special(type))
			ret[n++] = (struct probe_way){ .type = type, .id = -1 };
	return n;
}

/*
 * What each map type requires. @there: the error for what is wrong here on purpose (a descriptor of an inner map, a
 * type that is not a table of operations), which comes after all other checks. libbpf's probe is not used, because it
 * also loads a program to find out how memory is charged.
 */
static const struct shape {
	uint32_t type, key, value, entries, flags;
	int there;
	bool btf, vmlinux;
} shapes[] = {
	{ BPF_MAP_TYPE_STACK_TRACE, 4, 8, 1 },
	{ BPF_MAP_TYPE_LPM_TRIE, 8, 8, 1, BPF_F_NO_PREALLOC },
	{ BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, 1, .there = -EBADF },
	{ BPF_MAP_TYPE_HASH_OF_MAPS, 4, 4, 1, .there = -EBADF },
	{ BPF_MAP_TYPE_CGROUP_STORAGE, sizeof(struct bpf_cgroup_storage_key), 8, 0 },
	{ BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE, sizeof(struct bpf_cgroup_storage_key), 8, 0 },
	{ BPF_MAP_TYPE_QUEUE, 0, 4, 1 },
	{ BPF_MAP_TYPE_STACK, 0, 4, 1 },
	{ ABI_MAP_SK_STORAGE, 4, 8, 0, BPF_F_NO_PREALLOC, .btf = true },
	{ ABI_MAP_INODE_STORAGE, 4, 8, 0, BPF_F_NO_PREALLOC, .btf = true },
	{ ABI_MAP_TASK_STORAGE, 4, 8, 0, BPF_F_NO_PREALLOC, .btf = true },
	{ ABI_MAP_CGRP_STORAGE, 4, 8, 0, BPF_F_NO_PREALLOC, .btf = true },
	{ ABI_MAP_STRUCT_OPS, 4, 4, 1, .there = -ENOTSUPP, .vmlinux = true },
	{ ABI_MAP_RINGBUF, 0, 0, RING },
	{ ABI_MAP_USER_RINGBUF, 0, 0, RING },
	{ ABI_MAP_BLOOM_FILTER, 0, 4, 1 },
	{ ABI_MAP_ARENA, 0, 0, 1, BPF_F_MMAPABLE },
	{ ABI_MAP_INSN_ARRAY, 4, 16, 1 },
	{ ABI_MAP_RHASH, 4, 4, 1, BPF_F_NO_PREALLOC },
	/* All other types. Types newer than bpflens are tried with each of these. */
	{ 0, 4, 4, 1 },
	{ 0, 0, 4, 1 },
	{ 0, 4, 4, 1, BPF_F_NO_PREALLOC },
	{ 0, 0, 0, RING },
};

/*
 * Load a BTF object with a number as key and one as value. It is not wrong on purpose, because then local storage would
 * make us wait: the kernel would free its map at once, not when it has time.
 */
static int btf_load(void)
{
	struct btf *btf = btf__new_empty();
	union bpf_attr attr;
	uint32_t size;
	int ret = -ENOMEM;

	memset(&attr, 0, sizeof(attr));
	if (btf && btf__add_int(btf, "key", 4, BTF_INT_SIGNED) == 1 && btf__add_int(btf, "value", 8, 0) == 2) {
		attr.btf = (uintptr_t)btf__raw_data(btf, &size);
		attr.btf_size = size;
		ret = sys_bpf(BPF_BTF_LOAD, &attr, sizeof(attr));
	}
	btf__free(btf);
	return ret;
}

static int map_try(uint32_t type, const struct shape *s, uint32_t ifindex)
{
	CLEAN_FD btf = s->btf ? btf_load() : -1;
	CLEAN_FD fd = -1;
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = type;
	attr.key_size = s->key;
	attr.value_size = s->value;
	attr.max_entries = s->entries;
	attr.map_flags = s->flags;
	attr.map_ifindex = ifindex;
	attr.inner_map_fd = s->there == -EBADF ? (uint32_t)-1 : 0;
	if (btf >= 0) {
		attr.btf_fd = (uint32_t)btf;
		attr.btf_key_type_id = 1;
		attr.btf_value_type_id = 2;
	}
	attr.btf_vmlinux_value_type_id = s->vmlinux;
	fd = sys_bpf(BPF_MAP_CREATE, &attr, sizeof(attr));
	return fd >= 0 || (s->there && fd == s->there) ? 0 : fd;
}

int probe_map(uint32_t type, uint32_t ifindex)
{
	const bool known = names_of(&names_map_type, type);
	int err = -EINVAL;

	for (size_t i = 0; err == -EINVAL && i < ARRAY_SIZE(shapes); i++) {
		if (shapes[i].type && shapes[i].type != type)
			continue;
		err = map_try(type, &shapes[i], ifindex);
		if (known)
			break;
	}
	return err;
}
