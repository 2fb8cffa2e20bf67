/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that need what no kernel has, with names similar to what every kernel has. */
#include "types.bpf.h"

#define KERNEL __attribute__((preserve_access_index))

struct task_struct {
	int tgidd;
	int pid[4];
} KERNEL;
struct task_strukt {
	int pid;
} KERNEL;
enum bpf_map_type { BPF_MAP_TYPE_HASHH = 99 };

SEC("raw_tp/sys_enter") int member(void *ctx)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	int x = 0;

	bpf_probe_read_kernel(&x, sizeof(x), &t->tgidd);
	return x;
}

SEC("raw_tp/sys_enter") int other_type(void *ctx)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	int x = 0;

	bpf_probe_read_kernel(&x, sizeof(x), &t->pid[1]);
	return x;
}

SEC("raw_tp/sys_enter") int type(void *ctx)
{
	struct task_strukt *t = (void *)bpf_get_current_task();
	int x = 0;

	bpf_probe_read_kernel(&x, sizeof(x), &t->pid);
	return x;
}

SEC("raw_tp/sys_enter") int enumerator(void *ctx)
{
	return __builtin_preserve_enum_value(*(typeof(enum bpf_map_type) *)BPF_MAP_TYPE_HASHH, 1);
}

static __attribute__((noinline)) int deeper(void)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	int x = 0;

	bpf_probe_read_kernel(&x, sizeof(x), &t->tgidd);
	return x;
}

SEC("raw_tp/sys_enter") int subprogram(void *ctx)
{
	return deeper();
}
