// SPDX-License-Identifier: BSD-2-Clause
/* Of archives/annotated.tar.gz: `record -F 999 -- bpflens prog run ... repeat 8000000`, reduced to its samples. */
#include "types.bpf.h"

struct flow {
	__u64 packets, bytes;
};
struct {
	__uint(type, MAP_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, struct flow);
} flows SEC(".maps");

struct frame {
	__u32 data, data_end;
};

static __attribute__((noinline)) __u32 hash(const __u8 *p)
{
	__u32 h = 2166136261u;

	for (__u32 i = 0; i < 40; i++) {
		h ^= p[i];
		h *= 16777619u;
	}
	return h;
}

SEC("xdp") int count_flows(struct frame *ctx)
{
	__u8 *p = (__u8 *)(long)ctx->data, *end = (__u8 *)(long)ctx->data_end;
	struct flow *flow;
	__u32 key;

	if (p + 54 > end)
		return 2;
	key = hash(p);
	flow = bpf_map_lookup_elem(&flows, &key);
	if (!flow)
		return 2;
	flow->packets++;
	flow->bytes += end - p;
	return 2;
}
