/* SPDX-License-Identifier: BSD-2-Clause */
/* A program whose runs send its packet to a ring buffer and a perf event array, as the fake has it. */
#include "own/bpf/program.bpf.h"

struct packet {
	__u32 n;
	char word[12];
} type_of_the_packets; /* else the type is not in the BTF */

struct {
	__uint(type, 27 /* ringbuf */);
	__uint(max_entries, 4096);
} records SEC(".maps");
struct {
	__uint(type, 4 /* perf_event_array */);
	__uint(key_size, 4);
	__uint(value_size, 4);
} samples SEC(".maps");
struct {
	__uint(type, 7 /* stack_trace */);
	__uint(max_entries, 4);
	__uint(key_size, 4);
	__uint(value_size, 32);
} stacks SEC(".maps");
struct stack_key {
	__u32 pid;
	int kern_stack_id;
};
struct {
	__uint(type, 1 /* hash */);
	__uint(max_entries, 8);
	__type(key, struct stack_key);
	__type(value, __u64);
} by_pid SEC(".maps");

SEC("xdp") int sends(void *ctx)
{
	__u32 n = type_of_the_packets.n;

	bpf_ringbuf_output(&records, &n, sizeof(n), 0);
	struct stack_key key = { n, bpf_get_stackid(ctx, &stacks, 0) };

	bpf_map_lookup_elem(&by_pid, &key);
	bpf_perf_event_output(ctx, &samples, 0, &n, sizeof(n));
	return 2;
}
char LICENSE[] SEC("license") = "GPL";
