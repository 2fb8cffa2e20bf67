/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that write to maps that tests read; feed runs them on request. */
#include "types.bpf.h"

struct feed_event {
	__u32 n, pid;
	char comm[16];
};
struct feed_event type_of_the_events; /* else the type is not in the BTF */
enum { MAP_PERF_EVENTS = 4, MAP_STACK_TRACE = 7, MAP_RINGBUF = 27, F_STACK_BUILD_ID = 1 << 5, F_USER_STACK = 1 << 8 };
#define CURRENT_CPU 0xffffffffull

struct {
	__uint(type, MAP_PERF_EVENTS);
	__uint(key_size, 4);
	__uint(value_size, 4);
} feed_events SEC(".maps");
struct {
	__uint(type, MAP_RINGBUF);
	__uint(max_entries, 4096);
} feed_ring SEC(".maps");
struct {
	__uint(type, MAP_STACK_TRACE);
	__uint(max_entries, 16);
	__uint(key_size, 4);
	__uint(value_size, 32 * 8);
} feed_stacks SEC(".maps");
struct {
	__uint(type, MAP_STACK_TRACE);
	__uint(max_entries, 16);
	__uint(map_flags, F_STACK_BUILD_ID);
	__uint(key_size, 4);
	__uint(value_size, 8 * 32);
} feed_build_ids SEC(".maps");
struct stack_key {
	__u32 pid;
	__s32 kern_stack_id;
};
struct {
	__uint(type, MAP_HASH);
	__uint(max_entries, 16);
	__type(key, struct stack_key);
	__type(value, __u64);
} feed_counts SEC(".maps");

/* Local storage; feed gives each map one value. */
struct feed_value {
	int n;
	char word[8];
};
#define STORAGE(name, t) \
	struct { \
		__uint(type, t); \
		__uint(map_flags, F_NO_PREALLOC); \
		__type(key, int); \
		__type(value, struct feed_value); \
	} name SEC(".maps")
STORAGE(feed_task, MAP_TASK_STORAGE);
STORAGE(feed_sk, MAP_SK_STORAGE);
STORAGE(feed_cgrp, MAP_CGRP_STORAGE);
STORAGE(feed_inode, MAP_INODE_STORAGE);

static void fill(struct feed_event *e, __u32 n)
{
	e->n = n;
	e->pid = bpf_get_current_pid_tgid() >> 32;
	bpf_get_current_comm(e->comm, sizeof(e->comm));
}

SEC("raw_tp") int perf(unsigned long long *ctx)
{
	struct feed_event e = { 0 };

	fill(&e, ctx[0]);
	return bpf_perf_event_output(ctx, &feed_events, CURRENT_CPU, &e, sizeof(e));
}

SEC("raw_tp") int ring(unsigned long long *ctx)
{
	struct feed_event e = { 0 };

	fill(&e, ctx[0]);
	return bpf_ringbuf_output(&feed_ring, &e, sizeof(e), 0);
}

SEC("raw_tp") int discard(unsigned long long *ctx)
{
	void *e = bpf_ringbuf_reserve(&feed_ring, 40, 0);

	if (!e)
		return -1;
	bpf_ringbuf_discard(e, 0);
	return 0;
}

SEC("raw_tp") int stack(unsigned long long *ctx)
{
	struct stack_key key = { .pid = 7 };
	__u64 one = 1, *n;

	key.kern_stack_id = bpf_get_stackid(ctx, &feed_stacks, 0);
	bpf_get_stackid(ctx, &feed_build_ids, F_USER_STACK);
	n = bpf_map_lookup_elem(&feed_counts, &key);
	if (n)
		(*n)++;
	else
		bpf_map_update_elem(&feed_counts, &key, &one, 0);
	type_of_the_events.n = key.kern_stack_id;
	return key.kern_stack_id < 0;
}
