/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that the verifier rejects, one for each cause that bpflens reports; loaded one by one. */
#include "types.bpf.h"

struct md {
	__u32 data, data_end, data_meta, ingress_ifindex, rx_queue_index, egress_ifindex;
};

struct {
	__uint(type, MAP_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, long[4]);
} values SEC(".maps");

struct {
	__uint(type, 27 /* ringbuf */);
	__uint(max_entries, 4096);
} ring SEC(".maps");

SEC("socket") int unchecked_pointer(void *ctx)
{
	int key = 1;
	long *v = bpf_map_lookup_elem(&values, &key);

	return *v;
}

SEC("xdp") int out_of_bounds(struct md *ctx)
{
	char *data = (void *)(long)ctx->data;

	return data[13];
}

SEC("socket") int out_of_bounds_map(struct { __u32 len; } * ctx)
{
	int key = 1;
	long *v = bpf_map_lookup_elem(&values, &key);

	if (!v)
		return 0;
	return v[ctx->len];
}

SEC("socket") int unreleased_reference(void *ctx)
{
	long *v = bpf_ringbuf_reserve(&ring, 8, 0);

	if (v)
		*v = 1;
	return 0;
}

SEC("socket") int helper_not_allowed(void *ctx)
{
	return bpf_override_return(ctx, 1);
}

SEC("socket") int infinite_loop(void *ctx)
{
	volatile int i;

	for (i = 0; i < 10000000; i++)
		;
	return i;
}

SEC("socket") int not_a_pointer(struct { __u32 len; } * ctx)
{
	return *(int *)(long)ctx->len;
}

SEC("socket") int uninitialized(void *ctx)
{
	int x;

	asm volatile("%0 = r7" : "=r"(x));
	return x;
}

SEC("socket") int context_access(void *ctx)
{
	return *(int *)(ctx + 4000);
}

SEC("xdp") int stack_size(struct md *ctx)
{
	asm volatile("r1 = r10\n r1 += -520\n r2 = 0\n *(u64 *)(r1 + 0) = r2\n" ::: "r1", "r2");
	return 0;
}

SEC("cgroup/skb") int return_value(void *ctx)
{
	return 77;
}

SEC("socket") int wrong_type(void *ctx)
{
	int key = 1;

	return (long)bpf_map_lookup_elem(ctx, &key);
}

SEC("socket") int pointer_arithmetic(void *ctx)
{
	return *(int *)((long)ctx * 2);
}

struct task_struct {
	int no_such_member;
} __attribute__((preserve_access_index));
SEC("raw_tp/sys_enter") int core_relocation(void *ctx)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	int x = 0;

	bpf_probe_read_kernel(&x, sizeof(x), &t->no_such_member);
	return x;
}
