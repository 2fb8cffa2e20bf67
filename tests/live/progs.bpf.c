/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs of types that need the kernel's BTF, with source lines, subprograms and callbacks. */
#include "types.bpf.h"

struct {
	__uint(type, MAP_HASH);
	__uint(max_entries, 16);
	__type(key, __u32);
	__type(value, __u64);
} exits SEC(".maps");

static __noinline int twice(int x)
{
	volatile int y = x;

	return y + y;
}

static long each(__u32 i, void *ctx)
{
	*(int *)ctx += i;
	return 0;
}

SEC("raw_tp/sched_process_exit") int count_exits(void *ctx)
{
	__u32 key = 1;
	__u64 one = 1, *n = bpf_map_lookup_elem(&exits, &key);
	int sum = 0;

	bpf_loop(3, each, &sum, 0);
	if (!n)
		return twice(sum);
	if (*n > 1000000)
		bpf_map_delete_elem(&exits, &key);
	__sync_fetch_and_add(&one, *n);
	return 0;
}

SEC("tp_btf/sched_process_exit") int a_very_long_program_name_indeed(void *ctx)
{
	return 0;
}

SEC("uprobe") int on_user_call(void *ctx)
{
	return 0;
}

SEC("iter/task") int iter_task(void *ctx)
{
	return 0;
}

SEC("iter/bpf_map") int iter_map(void *ctx)
{
	return 0;
}

SEC("iter/bpf_map_elem") int iter_elem(void *ctx)
{
	return 0;
}

SEC("iter/cgroup") int iter_cgroup(void *ctx)
{
	return 0;
}

SEC("fentry/bpf_fentry_test1") int on_entry(void *ctx)
{
	return 0;
}

SEC("fexit/bpf_fentry_test1") int on_exit(void *ctx)
{
	return 0;
}

SEC("lsm/file_open") int on_file_open(void *ctx)
{
	return 0;
}

SEC("kprobe/do_nanosleep") int on_kernel_call(void *ctx)
{
	return 0;
}
