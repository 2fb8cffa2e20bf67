/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "base/clean.h"
#include "kernel/names.h"

static const char *const prog_types[] = {
	"unspec", "socket_filter", "kprobe", "sched_cls", "sched_act", "tracepoint", "xdp", "perf_event",
	"cgroup_skb", "cgroup_sock", "lwt_in", "lwt_out", "lwt_xmit", "sock_ops", "sk_skb", "cgroup_device",
	"sk_msg", "raw_tracepoint", "cgroup_sock_addr", "lwt_seg6local", "lirc_mode2", "sk_reuseport",
	"flow_dissector", "cgroup_sysctl", "raw_tracepoint_writable", "cgroup_sockopt", "tracing",
	"struct_ops", "ext", "lsm", "sk_lookup", "syscall", "netfilter",
};

static const char *const map_types[] = {
	"unspec", "hash", "array", "prog_array", "perf_event_array", "percpu_hash", "percpu_array",
	"stack_trace", "cgroup_array", "lru_hash", "lru_percpu_hash", "lpm_trie", "array_of_maps",
	"hash_of_maps", "devmap", "sockmap", "cpumap", "xskmap", "sockhash", "cgroup_storage",
	"reuseport_sockarray", "percpu_cgroup_storage", "queue", "stack", "sk_storage", "devmap_hash",
	"struct_ops", "ringbuf", "inode_storage", "task_storage", "bloom_filter", "user_ringbuf",
	"cgrp_storage", "arena", "insn_array", "rhash",
};

static const char *const link_types[] = {
	"unspec", "raw_tracepoint", "tracing", "cgroup", "iter", "netns", "xdp", "perf_event", "kprobe_multi",
	"struct_ops", "netfilter", "tcx", "uprobe_multi", "netkit", "sockmap", "tracing_multi",
};

static const char *const attach_types[] = {
	"cgroup_inet_ingress", "cgroup_inet_egress", "cgroup_inet_sock_create", "cgroup_sock_ops",
	"sk_skb_stream_parser", "sk_skb_stream_verdict", "cgroup_device", "sk_msg_verdict",
	"cgroup_inet4_bind", "cgroup_inet6_bind", "cgroup_inet4_connect", "cgroup_inet6_connect",
	"cgroup_inet4_post_bind", "cgroup_inet6_post_bind", "cgroup_udp4_sendmsg", "cgroup_udp6_sendmsg",
	"lirc_mode2", "flow_dissector", "cgroup_sysctl", "cgroup_udp4_recvmsg", "cgroup_udp6_recvmsg",
	"cgroup_getsockopt", "cgroup_setsockopt", "trace_raw_tp", "trace_fentry", "trace_fexit",
	"modify_return", "lsm_mac", "trace_iter", "cgroup_inet4_getpeername", "cgroup_inet6_getpeername",
	"cgroup_inet4_getsockname", "cgroup_inet6_getsockname", "xdp_devmap", "cgroup_inet_sock_release",
	"xdp_cpumap", "sk_lookup", "xdp", "sk_skb_verdict", "sk_reuseport_select",
	"sk_reuseport_select_or_migrate", "perf_event", "trace_kprobe_multi", "lsm_cgroup", "struct_ops",
	"netfilter", "tcx_ingress", "tcx_egress", "trace_uprobe_multi", "cgroup_unix_connect",
	"cgroup_unix_sendmsg", "cgroup_unix_recvmsg", "cgroup_unix_getpeername", "cgroup_unix_getsockname",
	"netkit_primary", "netkit_peer", "trace_kprobe_session", "trace_uprobe_session", "trace_fsession",
	"trace_fentry_multi", "trace_fexit_multi", "trace_fsession_multi",
};

const struct name_table names_prog_type = {
	"prog_type", "bpf_prog_type", "BPF_PROG_TYPE_", prog_types, ARRAY_SIZE(prog_types),
};
const struct name_table names_map_type = {
	"map_type", "bpf_map_type", "BPF_MAP_TYPE_", map_types, ARRAY_SIZE(map_types),
};
const struct name_table names_link_type = {
	"link_type", "bpf_link_type", "BPF_LINK_TYPE_", link_types, ARRAY_SIZE(link_types),
};
const struct name_table names_attach_type = {
	"attach_type", "bpf_attach_type", "BPF_", attach_types, ARRAY_SIZE(attach_types),
};

const char *names_of(const struct name_table *t, uint64_t value)
{
	return value < t->n ? t->word[value] : NULL;
}

int names_value(const struct name_table *t, const char *word)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->word[i] && !strcmp(t->word[i], word))
			return (int)i;
	return -1;
}
