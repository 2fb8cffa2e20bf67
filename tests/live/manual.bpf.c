// SPDX-License-Identifier: BSD-2-Clause
/* The objects of the examples in the manual's text, with the names there. */
#include "types.bpf.h"
#include "coverage.bpf.h"

struct addr {
	__u32 saddr;
	__u16 sport;
	__u16 dport;
};
struct traffic {
	__u64 bytes, packets;
};
enum state { SYN_SENT, ESTABLISHED };
struct conn {
	__u64 bytes;
	enum state state;
	__u32 unused;
};
struct limit {
	__u64 rate;
};
struct prefix {
	__u32 len;
	__u8 addr[4];
};
struct work {
	char comm[16];
	__u64 packets;
};
struct visits {
	__u64 count;
};
struct event {
	__u32 pid;
	__u32 what;
};
typedef __u32 u32;
struct flow {
	__u64 packets;
};
struct event last_event;
u32 key_of_new; /* else the types are not in the BTF */
struct flow value_of_new;

#define MAP(map, kind, entries, map_key, map_value) \
	struct { \
		__uint(type, kind); \
		__uint(max_entries, entries); \
		__type(key, map_key); \
		__type(value, map_value); \
	} map SEC(".maps")
#define STORAGE(map, kind, map_value) \
	struct { \
		__uint(type, kind); \
		__uint(map_flags, F_NO_PREALLOC); \
		__type(key, int); \
		__type(value, map_value); \
	} map SEC(".maps")

MAP(flows, MAP_HASH, 64, struct addr, struct traffic);
MAP(flows_v2, MAP_HASH, 64, struct addr, struct traffic);
MAP(counts, MAP_PERCPU_HASH, 64, __u32, __u64);
MAP(conns, MAP_HASH, 64, struct addr, struct conn);
MAP(progs, MAP_PROG_ARRAY, 4, __u32, __u32);
MAP(tail_calls, MAP_PROG_ARRAY, 4, __u32, __u32);
MAP(limits, MAP_HASH, 64, __u32, struct limit);
MAP(latency, MAP_ARRAY, 27, __u32, __u64);
MAP(tasks, MAP_HASH, 64, __u32, struct work);
MAP(counters, MAP_HASH, 64, __u32, struct traffic);
STORAGE(task_data, MAP_TASK_STORAGE, struct visits);
STORAGE(inode_data, MAP_INODE_STORAGE, __u64);

struct {
	__uint(type, MAP_LPM_TRIE);
	__uint(max_entries, 64);
	__uint(map_flags, F_NO_PREALLOC);
	__type(key, struct prefix);
	__type(value, __u32);
} allowed SEC(".maps");
struct {
	__uint(type, 30 /* bloom_filter */);
	__uint(max_entries, 64);
	__type(value, __u32);
} seen SEC(".maps");
struct {
	__uint(type, 27 /* ringbuf */);
	__uint(max_entries, 4096);
} events SEC(".maps");
struct {
	__uint(type, 4 /* perf_event_array */);
	__uint(max_entries, 4);
	__uint(key_size, 4);
	__uint(value_size, 4);
} perf_events SEC(".maps");
struct {
	__uint(type, 7 /* stack_trace */);
	__uint(max_entries, 16);
	__uint(key_size, 4);
	__uint(value_size, 127 * 8);
} stackmap SEC(".maps");

SEC("cgroup_skb/ingress") int count_in(void *ctx)
{
	return 1;
}
SEC("cgroup_skb/ingress") int first_in(void *ctx)
{
	return 1;
}
SEC("cgroup_skb/egress") int count_out(void *ctx)
{
	return 1;
}
SEC("raw_tp/sys_enter") int tracepoint__syscalls__sys_enter_open(void *ctx)
{
	return 0;
}
SEC("tc") int count_packets(void *ctx)
{
	return 0;
}
SEC("tc") int meter(void *ctx)
{
	bpf_tail_call(ctx, &tail_calls, 0);
	return 0;
}
SEC("tc") int parse_ipv6(void *ctx)
{
	return 0;
}
SEC("xdp") int filter(void *ctx)
{
	return 2 /* XDP_PASS */;
}
SEC("xdp") int on_packet(void *ctx)
{
	struct addr key = { 1, 2, 3 };

	return bpf_map_lookup_elem(&flows, &key) ? 1 : 2;
}
volatile __u64 too_long;
SEC("syscall") int admit(struct { __u32 len; } * ctx)
{
	COUNTS(0);
	if (ctx->len > 1500) {
		COUNTS(1);
		too_long++;
	}
	COUNTS(2);
	return 0;
}
SEC("xdp") int xdp_count(void *ctx)
{
	return 2 /* XDP_PASS */;
}
SEC("kprobe") int count_reads(void *ctx)
{
	return 0;
}
SEC("perf_event") int sample(void *ctx)
{
	return 0;
}
SEC("raw_tp/sys_exit") int count_exits(void *ctx)
{
	return 0;
}
SEC("raw_tp/sys_exit") int count(void *ctx)
{
	struct addr key = { 1, 2, 3 };

	struct event *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);

	if (e)
		bpf_ringbuf_discard(e, 0);
	return bpf_map_lookup_elem(&flows, &key) ? 1 : 0;
}
