/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs of test_replace.py, before and after a change: REPLACE_NEW selects. */
#include "types.bpf.h"

#define ETH_TEST 0xb588 /* 0x88b5, for experiments, in network order */
enum { AT_XDP, AT_TCX, AT_TC, AT_CGROUP, AT_TRACE, PLACES };

struct rp_count {
	__u64 packets;
#ifdef REPLACE_NEW
	__u64 bytes;
#endif
};

/* Kept. */
struct {
	__uint(type, MAP_ARRAY);
	__uint(max_entries, PLACES);
	__type(key, __u32);
	__type(value, __u64);
} rp_kept SEC(".maps");
__u64 rp_total;

/* Of another size. */
struct {
	__uint(type, MAP_ARRAY);
	__uint(max_entries, PLACES);
	__type(key, __u32);
	__type(value, struct rp_count);
} rp_sized SEC(".maps");

/* Of the same size with members in another order. */
struct rp_pair {
#ifdef REPLACE_NEW
	__u32 b, a;
#else
	__u32 a, b;
#endif
};
struct {
	__uint(type, MAP_HASH);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct rp_pair);
} rp_ordered SEC(".maps");

static int count(__u32 at)
{
	struct rp_count *c = bpf_map_lookup_elem(&rp_sized, &at);
	__u64 *n = bpf_map_lookup_elem(&rp_kept, &at);

	if (c)
		__sync_fetch_and_add(&c->packets, 1);
	if (n)
		__sync_fetch_and_add(n, 1);
	__sync_fetch_and_add(&rp_total, 1);
	return 0;
}

struct xdp_md {
	__u32 data, data_end;
};
SEC("xdp") int rp_xdp(struct xdp_md *ctx)
{
	__u8 *p = (void *)(long)ctx->data;

	if (p + 14 <= (__u8 *)(long)ctx->data_end && *(__u16 *)(p + 12) == ETH_TEST)
		count(AT_XDP);
	return 2;
}

struct skb {
	__u32 len, pkt_type, mark, queue_mapping, protocol;
};
SEC("tc") int rp_tcx(struct skb *skb)
{
	if (skb->protocol == ETH_TEST)
		count(AT_TCX);
	return -1;
}

SEC("tc") int rp_tc(struct skb *skb)
{
	if (skb->protocol == ETH_TEST)
		count(AT_TC);
	return 0;
}

SEC("cgroup_skb/ingress") int rp_cgroup(struct skb *skb)
{
	return 1 + count(AT_CGROUP);
}

SEC("tp/syscalls/sys_enter_getpgid") int rp_trace(void *ctx)
{
	__u32 key = AT_TRACE;

	bpf_map_lookup_elem(&rp_ordered, &key);
	return count(AT_TRACE);
}

SEC("tc") int rp_tail(struct skb *skb)
{
#ifdef REPLACE_NEW
	return 1;
#else
	return 0;
#endif
}
