/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the first samples of tracing in the kernel's tree showed in 2015, as programs of today: system calls counted at
 * a tracepoint, sizes of writes as a histogram, latencies that are drawn over time, and the histogram of a kprobe. All
 * of one process, which test_samples.py sets.
 */
#include "types.bpf.h"

#define SLOTS 40

volatile const __u32 target;

#define MAP(name, t, n, k) \
	struct { \
		__uint(type, t); \
		__uint(max_entries, n); \
		__type(key, k); \
		__type(value, __u64); \
	} name SEC(".maps")
MAP(calls, MAP_PERCPU_HASH, 512, __u64);
MAP(write_sizes, MAP_ARRAY, SLOTS, __u32);
MAP(latency, MAP_ARRAY, SLOTS, __u32);
MAP(kprobe_sizes, MAP_ARRAY, SLOTS, __u32);
MAP(started, MAP_HASH, 64, __u64);

static __always_inline int is_target(void)
{
	return bpf_get_current_pid_tgid() >> 32 == target;
}

/* 0 and 1 are in slot 0, 2^i to 2^(i+1)-1 in slot i. */
static __always_inline void slot_count(void *map, __u64 v)
{
	__u32 slot = 0;
	__u64 *count;

	for (int i = 0; i < SLOTS - 1 && v > 1; i++, v >>= 1)
		slot++;
	count = bpf_map_lookup_elem(map, &slot);
	if (count)
		__sync_fetch_and_add(count, 1);
}

/* As in events/raw_syscalls/sys_enter/format and events/syscalls/sys_enter_write/format. */
struct sys_enter {
	__u64 common;
	long id;
	__u64 args[6];
};

SEC("tracepoint/raw_syscalls/sys_enter")
int count_calls(struct sys_enter *ctx)
{
	__u64 id = ctx->id, one = 1, *count;

	if (!is_target())
		return 0;
	count = bpf_map_lookup_elem(&calls, &id);
	if (count)
		*count += 1;
	else
		bpf_map_update_elem(&calls, &id, &one, 0);
	return 0;
}

SEC("tracepoint/syscalls/sys_enter_write")
int size_writes(struct sys_enter *ctx)
{
	if (is_target())
		slot_count(&write_sizes, ctx->args[2]);
	return 0;
}

SEC("tracepoint/syscalls/sys_enter_clock_nanosleep")
int sleep_begins(void *ctx)
{
	__u64 thread = bpf_get_current_pid_tgid(), now = bpf_ktime_get_ns();

	if (is_target())
		bpf_map_update_elem(&started, &thread, &now, 0);
	return 0;
}

SEC("tracepoint/syscalls/sys_exit_clock_nanosleep")
int sleep_ends(void *ctx)
{
	__u64 thread = bpf_get_current_pid_tgid(), *began = bpf_map_lookup_elem(&started, &thread);

	if (!began)
		return 0;
	slot_count(&latency, (bpf_ktime_get_ns() - *began) / 1000);
	bpf_map_delete_elem(&started, &thread);
	return 0;
}

/* The third argument, where struct pt_regs of x86-64 has it. */
SEC("kprobe/ksys_write")
int size_kernel_writes(__u64 *regs)
{
	__u64 size = 0;

	bpf_probe_read_kernel(&size, sizeof(size), regs + 12);
	if (is_target())
		slot_count(&kprobe_sizes, size);
	return 0;
}
