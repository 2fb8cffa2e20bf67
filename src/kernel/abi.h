/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/bytes.h"

/*
 * The kernel's BPF ABI up to Linux 7.2 (include/uapi/linux/bpf.h), in our own definitions, because a distribution's
 * headers may be years older than the running kernel. An info struct grows only at its end: the kernel reports how many
 * bytes it filled.
 */
enum abi_cmd {
	ABI_MAP_UPDATE_ELEM = 2,
	ABI_MAP_DELETE_ELEM = 3,
	ABI_MAP_LOOKUP_AND_DELETE_ELEM = 21,
	ABI_PROG_LOAD = 5,
	ABI_PROG_STREAM_READ = 37,
	ABI_PROG_ATTACH = 8,
	ABI_PROG_DETACH = 9,
	ABI_PROG_QUERY = 16,
	ABI_LINK_CREATE = 28,
	ABI_MAP_LOOKUP_BATCH = 24,
	ABI_MAP_LOOKUP_AND_DELETE_BATCH = 25,
	ABI_MAP_UPDATE_BATCH = 26,
	ABI_MAP_DELETE_BATCH = 27,
	ABI_LINK_GET_FD_BY_ID = 30,
	ABI_LINK_GET_NEXT_ID = 31,
};

/* clang-format off */
enum abi_prog_type {
	ABI_PROG_SOCKET_FILTER = 1, ABI_PROG_KPROBE, ABI_PROG_SCHED_CLS, ABI_PROG_SCHED_ACT, ABI_PROG_TRACEPOINT, ABI_PROG_XDP,
	ABI_PROG_PERF_EVENT, ABI_PROG_CGROUP_SKB, ABI_PROG_CGROUP_SOCK, ABI_PROG_LWT_IN, ABI_PROG_LWT_OUT, ABI_PROG_LWT_XMIT,
	ABI_PROG_SOCK_OPS, ABI_PROG_SK_SKB, ABI_PROG_CGROUP_DEVICE, ABI_PROG_SK_MSG, ABI_PROG_RAW_TRACEPOINT,
	ABI_PROG_CGROUP_SOCK_ADDR, ABI_PROG_LWT_SEG6LOCAL, ABI_PROG_LIRC_MODE2, ABI_PROG_SK_REUSEPORT, ABI_PROG_FLOW_DISSECTOR,
	ABI_PROG_CGROUP_SYSCTL, ABI_PROG_RAW_TRACEPOINT_WRITABLE, ABI_PROG_CGROUP_SOCKOPT, ABI_PROG_TRACING,
	ABI_PROG_STRUCT_OPS, ABI_PROG_EXT, ABI_PROG_LSM, ABI_PROG_SK_LOOKUP, ABI_PROG_SYSCALL, ABI_PROG_NETFILTER,
};
/* clang-format on */

/* Types that the oldest headers lack, and others that the code names. */
/* clang-format off */
enum abi_map_type {
	ABI_MAP_ARRAY = 2, ABI_MAP_PROG_ARRAY, ABI_MAP_PERF_EVENT_ARRAY, ABI_MAP_DEVMAP = 14, ABI_MAP_SOCKMAP, ABI_MAP_CPUMAP, ABI_MAP_SOCKHASH = 18,
	ABI_MAP_DEVMAP_HASH = 25, ABI_MAP_SK_STORAGE = 24, ABI_MAP_STRUCT_OPS = 26, ABI_MAP_RINGBUF = 27, ABI_MAP_INODE_STORAGE, ABI_MAP_TASK_STORAGE,
	ABI_MAP_BLOOM_FILTER,
	ABI_MAP_USER_RINGBUF, ABI_MAP_CGRP_STORAGE, ABI_MAP_ARENA, ABI_MAP_INSN_ARRAY, ABI_MAP_RHASH,
};
/* clang-format on */

enum {
	/* prog_flags */
	ABI_PROG_SLEEPABLE = 1 << 4,	      /* 5.10 */
	ABI_PROG_XDP_HAS_FRAGS = 1 << 5,      /* 5.18 */
	ABI_PROG_XDP_DEV_BOUND_ONLY = 1 << 6, /* 6.3 */
	ABI_MAP_PRESERVE_ELEMS = 1 << 11,     /* map_flags of a perf event array: keeps its events (5.10) */
	ABI_MAP_LINK = 1 << 13,		      /* map_flags of a struct_ops map: registered by a link (6.4) */
};

/* BPF tokens (6.9) */
enum { ABI_TOKEN_CREATE = 36, ABI_TOKEN_FD = 1 << 16 }; /* a command, and the flag that a request has a token */
struct abi_token_create {
	uint32_t flags, bpffs_fd;
};

/* gpl_compatible, the first bit of a bit field */
#define ABI_PROG_GPL (BIG_HERE ? 1u << 31 : 1u)
struct abi_prog_info {
	uint32_t type, id;
	uint8_t tag[8];
	uint32_t jited_prog_len, xlated_prog_len;
	uint64_t jited_prog_insns, xlated_prog_insns;
	uint64_t load_time; /* ns since boot, CLOCK_BOOTTIME */
	uint32_t created_by_uid, nr_map_ids;
	uint64_t map_ids;
	char name[16];
	uint32_t ifindex;
	uint32_t flags; /* ABI_PROG_GPL */
	uint64_t netns_dev, netns_ino;
	uint32_t nr_jited_ksyms, nr_jited_func_lens;
	uint64_t jited_ksyms, jited_func_lens;
	uint32_t btf_id, func_info_rec_size;
	uint64_t func_info;
	uint32_t nr_func_info, nr_line_info;
	uint64_t line_info, jited_line_info;
	uint32_t nr_jited_line_info, line_info_rec_size, jited_line_info_rec_size, nr_prog_tags;
	uint64_t prog_tags;
	uint64_t run_time_ns, run_cnt, recursion_misses;
	uint32_t verified_insns;		   /* 5.16 */
	uint32_t attach_btf_obj_id, attach_btf_id; /* 6.0 */
};

struct abi_map_info {
	uint32_t type, id, key_size, value_size, max_entries, map_flags;
	char name[16];
	uint32_t ifindex, btf_vmlinux_value_type_id;
	uint64_t netns_dev, netns_ino;
	uint32_t btf_id, btf_key_type_id, btf_value_type_id, btf_vmlinux_id;
	uint64_t map_extra;
	uint64_t hash; /* 6.18: pointer */
	uint32_t hash_size;
	uint32_t pad;
};

/*
 * The first version of struct btf_header (linux/btf.h); later ones are longer, as hdr_len shows. Offsets count from the
 * end of the header.
 */
struct abi_btf_header {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t hdr_len;
	uint32_t type_off, type_len, str_off, str_len;
};

/* struct btf_layout of linux/btf.h, since Linux 7.2; in 1-byte alignment, so that it can be anywhere. */
struct abi_btf_layout {
	uint8_t info_sz, elem_sz; /* bytes after struct btf_type, and for each of vlen */
	uint8_t flags[2];
};

/* Parts of struct btf_type.info. Before Linux 7.3 they had 5 and 16 bits, and the bits between them were 0. */
#define ABI_BTF_KIND(info) ((info) >> 24 & 0x7f)
#define ABI_BTF_VLEN(info) ((info)&0xffffff)

struct abi_btf_info {
	uint64_t btf;
	uint32_t btf_size, id;
	uint64_t name;
	uint32_t name_len, kernel_btf;
};

/* clang-format off */
enum abi_link_type {
	ABI_LINK_RAW_TRACEPOINT = 1, ABI_LINK_TRACING, ABI_LINK_CGROUP, ABI_LINK_ITER, ABI_LINK_NETNS, ABI_LINK_XDP,
	ABI_LINK_PERF_EVENT, ABI_LINK_KPROBE_MULTI, ABI_LINK_STRUCT_OPS, ABI_LINK_NETFILTER, ABI_LINK_TCX,
	ABI_LINK_UPROBE_MULTI, ABI_LINK_NETKIT, ABI_LINK_SOCKMAP, ABI_LINK_TRACING_MULTI,
	ABI_LINK_TYPES,
};
/* clang-format on */

/* Values of abi_link_info.perf_event.type. */
enum abi_perf_type {
	ABI_PERF_UPROBE = 1,
	ABI_PERF_URETPROBE,
	ABI_PERF_KPROBE,
	ABI_PERF_KRETPROBE,
	ABI_PERF_TRACEPOINT,
	ABI_PERF_EVENT,
};

/* Attach types that the code names; hooks.h has all. */
/* clang-format off */
enum abi_attach_type {
	ABI_ATTACH_FLOW_DISSECTOR = 17, ABI_ATTACH_RAW_TP = 23, ABI_ATTACH_MODIFY_RETURN = 26, ABI_ATTACH_SK_LOOKUP = 36, ABI_ATTACH_XDP,
	ABI_ATTACH_KPROBE_MULTI = 42, ABI_ATTACH_LSM_CGROUP,
	ABI_ATTACH_NETFILTER = 45, ABI_ATTACH_TCX_INGRESS, ABI_ATTACH_TCX_EGRESS, ABI_ATTACH_UPROBE_MULTI,
	ABI_ATTACH_NETKIT_PRIMARY = 54, ABI_ATTACH_NETKIT_PEER, ABI_ATTACH_FSESSION = 58,
};
/* clang-format on */

enum {
	ABI_PROBE_MULTI_RETURN = 1 << 0, /* flags of kprobe_multi and uprobe_multi: run at the function's return */
};

struct abi_link_info {
	uint32_t type, id, prog_id, pad;
	union {
		struct {
			uint64_t tp_name;
			uint32_t tp_name_len, pad;
			uint64_t cookie;
		} raw_tracepoint;
		struct {
			uint32_t attach_type, target_obj_id, target_btf_id, pad;
			uint64_t cookie;
		} tracing;
		struct {
			uint64_t cgroup_id;
			uint32_t attach_type;
		} cgroup;
		struct {
			uint64_t target_name;
			uint32_t target_name_len;
			uint32_t map_id;
			union {
				struct {
					uint64_t cgroup_id;
					uint32_t order;
				} cgroup;
				struct {
					uint32_t tid, pid;
				} task;
			};
		} iter;
		struct {
			uint32_t netns_ino, attach_type;
		} netns;
		struct {
			uint32_t ifindex;
		} xdp;
		struct {
			uint32_t map_id;
		} struct_ops;
		struct {
			uint32_t pf, hooknum;
			int32_t priority;
			uint32_t flags;
		} netfilter;
		struct {
			uint64_t addrs;
			uint32_t count, flags;
			uint64_t missed, cookies;
		} kprobe_multi;
		struct {
			uint64_t path, offsets, ref_ctr_offsets, cookies;
			uint32_t path_size, count, flags, pid;
		} uprobe_multi;
		struct {
			uint32_t type, pad;
			union {
				struct {
					uint64_t file_name;
					uint32_t name_len, offset;
					uint64_t cookie, ref_ctr_offset;
				} uprobe;
				struct {
					uint64_t func_name;
					uint32_t name_len, offset;
					uint64_t addr, missed, cookie;
				} kprobe;
				struct {
					uint64_t tp_name;
					uint32_t name_len, pad;
					uint64_t cookie;
				} tracepoint;
				struct {
					uint64_t config;
					uint32_t type, pad;
					uint64_t cookie;
				} event;
			};
		} perf_event;
		struct {
			uint32_t ifindex, attach_type;
		} tcx; /* netkit is the same */
		struct {
			uint32_t map_id, attach_type;
		} sockmap;
		struct {
			uint32_t attach_type, count;
			uint64_t ids, cookies;
		} tracing_multi;
	};
};

struct abi_prog_attach { /* part of union bpf_attr for BPF_PROG_ATTACH and BPF_PROG_DETACH */
	uint32_t target, prog_fd, attach_type, flags;
	uint32_t replace_fd; /* 5.6 */
	uint32_t relative;   /* 6.6; for cgroups 6.17 */
	uint64_t revision;
};
struct abi_link_create { /* part of union bpf_attr for BPF_LINK_CREATE of tcx, netkit and cgroup links */
	uint32_t prog_fd, target, attach_type, flags;
	uint32_t relative, pad; /* 6.6; for cgroups 6.17 */
	uint64_t revision;
};

struct abi_prog_query { /* part of union bpf_attr for BPF_PROG_QUERY */
	uint32_t target, attach_type, query_flags, attach_flags;
	uint64_t prog_ids;
	uint32_t count, pad;
	uint64_t prog_attach_flags;	      /* 6.0 */
	uint64_t link_ids, link_attach_flags; /* 6.6 */
	uint64_t revision;		      /* 6.6; for cgroups 6.17 */
};
enum { ABI_QUERY_EFFECTIVE = 1 << 0 };
/* Flags of BPF_PROG_ATTACH; BPF_LINK_CREATE takes those from BEFORE on. */
enum abi_attach_flag {
	ABI_ATTACH_OVERRIDE = 1 << 0,
	ABI_ATTACH_MULTI = 1 << 1,
	ABI_ATTACH_REPLACE = 1 << 2,
	ABI_ATTACH_BEFORE = 1 << 3,
	ABI_ATTACH_AFTER = 1 << 4,
	ABI_ATTACH_ID = 1 << 5,	      /* 6.6; for cgroups 6.17 */
	ABI_ATTACH_PREORDER = 1 << 6, /* 6.15 */
	ABI_ATTACH_LINK = 1 << 13,
};

/* The BTF format (include/uapi/linux/btf.h) is in types/btf.h, instructions (struct bpf_insn) are in code/insn.h.
 */
