// SPDX-License-Identifier: BSD-2-Clause
#include "types.bpf.h"

/* The objects of the tasks in tests/tasks: those of a small firewall. */
struct flow_key {
	__u32 saddr __attribute__((btf_decl_tag("bpflens:ip"))), daddr __attribute__((btf_decl_tag("bpflens:ip")));
	__u16 sport, dport;
	__u8 proto;
};
enum verdict { V_PASS, V_DROP, V_LIMIT };
struct flow_val {
	__u64 packets, bytes;
	__u8 mac[6] __attribute__((btf_decl_tag("bpflens:mac")));
	enum verdict verdict;
};
struct route {
	__u32 plen;
	__u8 addr[4];
};

struct {
	__uint(type, MAP_HASH);
	__uint(max_entries, 1024);
	__type(key, struct flow_key);
	__type(value, struct flow_val);
} fw_flows SEC(".maps");

struct {
	__uint(type, MAP_ARRAY);
	__uint(max_entries, 16);
	__type(key, __u32);
	__type(value, __u64);
} fw_sizes SEC(".maps");

struct {
	__uint(type, MAP_PROG_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u32);
} fw_jumps SEC(".maps");

struct {
	__uint(type, 27 /* ringbuf */);
	__uint(max_entries, 4096);
} fw_events SEC(".maps");

struct {
	__uint(type, MAP_LPM_TRIE);
	__uint(max_entries, 16);
	__uint(map_flags, F_NO_PREALLOC);
	__type(key, struct route);
	__type(value, __u32);
} fw_routes SEC(".maps");

SEC("xdp") int fw_count(void *ctx)
{
	struct flow_key key = { .proto = 6 };
	struct flow_val *v = bpf_map_lookup_elem(&fw_flows, &key);
	__u32 slot = 1;
	__u64 *size = bpf_map_lookup_elem(&fw_sizes, &slot);

	if (v)
		v->packets++;
	if (size)
		++*size;
	return 2 /* XDP_PASS */;
}

SEC("tc") int fw_police(void *ctx)
{
	struct route r = { .plen = 32 };

	bpf_tail_call(ctx, &fw_jumps, 0);
	return bpf_map_lookup_elem(&fw_routes, &r) ? 2 : 0;
}

SEC("tc") int fw_limit(void *ctx)
{
	long *e = bpf_ringbuf_reserve(&fw_events, sizeof(*e), 0);

	if (e) {
		*e = 7;
		bpf_ringbuf_submit(e, 0);
	}
	return 0;
}

struct {
	__uint(type, 7 /* stack_trace */);
	__uint(max_entries, 16);
	__uint(key_size, 4);
	__uint(value_size, 127 * 8);
} fw_stacks SEC(".maps");

SEC("raw_tp/sys_enter") int fw_trace(void *ctx)
{
	return (int)bpf_get_stackid(ctx, &fw_stacks, 0);
}

SEC("cgroup_skb/egress") int fw_quota(void *ctx)
{
	return 1;
}
