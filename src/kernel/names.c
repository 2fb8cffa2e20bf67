/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/names.h"

/* clang-format off */
static const char *const prog_types[] = {
	"unspec", "socket_filter", "kprobe", "sched_cls", "sched_act", "tracepoint", "xdp", "perf_event",
	"cgroup_skb", "cgroup_sock", "lwt_in", "lwt_out", "lwt_xmit", "sock_ops", "sk_skb", "cgroup_device",
	"sk_msg", "raw_tracepoint", "cgroup_sock_addr", "lwt_seg6local", "lirc_mode2", "sk_reuseport",
	"flow_dissector", "cgroup_sysctl", "raw_tracepoint_writable", "cgroup_sockopt", "tracing",
	"struct_ops", "ext", "lsm", "sk_lookup", "syscall", "netfilter",
};
/* clang-format on */

/* clang-format off */
static const char *const map_types[] = {
	"unspec", "hash", "array", "prog_array", "perf_event_array", "percpu_hash", "percpu_array",
	"stack_trace", "cgroup_array", "lru_hash", "lru_percpu_hash", "lpm_trie", "array_of_maps",
	"hash_of_maps", "devmap", "sockmap", "cpumap", "xskmap", "sockhash", "cgroup_storage",
	"reuseport_sockarray", "percpu_cgroup_storage", "queue", "stack", "sk_storage", "devmap_hash",
	"struct_ops", "ringbuf", "inode_storage", "task_storage", "bloom_filter", "user_ringbuf",
	"cgrp_storage", "arena", "insn_array", "rhash",
};
/* clang-format on */

/* clang-format off */
static const char *const link_types[] = {
	"unspec", "raw_tracepoint", "tracing", "cgroup", "iter", "netns", "xdp", "perf_event", "kprobe_multi",
	"struct_ops", "netfilter", "tcx", "uprobe_multi", "netkit", "sockmap", "tracing_multi",
};
/* clang-format on */

static const char *const map_flags[] = {
	"no_prealloc",	    "no_common_lru",  "numa_node",     "rdonly",       "wronly",
	"stack_build_id",   "zero_seed",      "rdonly_prog",   "wronly_prog",  "clone",
	"mmapable",	    "preserve_elems", "inner_map",     "link",	       "path_fd",
	"vtype_btf_obj_fd", "token_fd",	      "segv_on_fault", "no_user_conv", "rb_overwrite",
};

const struct name_table names_prog_type = {
	"prog_type", "bpf_prog_type", "BPF_PROG_TYPE_", prog_types, ARRAY_SIZE(prog_types), sizeof(prog_types[0]),
};
const struct name_table names_map_type = {
	"map_type", "bpf_map_type", "BPF_MAP_TYPE_", map_types, ARRAY_SIZE(map_types), sizeof(map_types[0]),
};
const struct name_table names_link_type = {
	"link_type", "bpf_link_type", "BPF_LINK_TYPE_", link_types, ARRAY_SIZE(link_types), sizeof(link_types[0]),
};

const struct name_table names_map_flag = {
	"map_flag", NULL, "BPF_F_", map_flags, ARRAY_SIZE(map_flags), sizeof(map_flags[0]),
};

const char *names_of(const struct name_table *t, uint64_t value)
{
	return value < t->n ? *(const char *const *)((const char *)t->word + value * t->stride) : NULL;
}

int names_value(const struct name_table *t, const char *word)
{
	for (unsigned i = 0; i < t->n; i++) {
		const char *w = names_of(t, i);

		if (w && !strcmp(w, word))
			return (int)i;
	}
	return -1;
}
