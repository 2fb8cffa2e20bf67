/* SPDX-License-Identifier: BSD-2-Clause */
/* For `object`, what the other fixtures do not have: CO-RE relocations, externs, settings; it is not
 * loaded. */
#include "types.bpf.h"
#include <bpf/bpf_core_read.h>

enum state { IDLE, BUSY = 7 };
struct inner {
	int x;
	int list[4];
};
struct task_struct {
	int pid;
	struct inner in[2];
	union {
		long anonymous;
		int other;
	};
	unsigned int bits : 3;
	enum state state;
} __attribute__((preserve_access_index));

#ifndef ONLY_CORE
extern int LINUX_KERNEL_VERSION __kconfig;
extern _Bool CONFIG_BPF __kconfig __weak;
extern const void bpf_link_fops __ksym;
extern const void not_there __ksym __weak;
extern void bpf_task_release(struct task_struct *p) __ksym;

struct {
	__uint(type, 27); /* ring buffer */
	__uint(max_entries, 4096);
	__uint(pinning, 1);
} events SEC(".maps");
struct {
	__uint(type, MAP_PROG_ARRAY);
	__uint(max_entries, 2);
	__uint(key_size, 4);
	__uint(value_size, 4);
} tails SEC(".maps");

int zero_at_first;
static volatile int hidden = -1;
enum state current SEC(".data.named") = BUSY;
const volatile char greeting[] SEC(".rodata.text") = "hello";
const volatile __u64 numbers[2] = { 1, 0xffffffffffffffff };

static __noinline int deep(int x)
{
	return x + hidden;
}

static __noinline int middle(int x)
{
	return deep(x) * 2 + zero_at_first;
}

#define BY_HAND "?kprobe.multi/vfs_*"
#else
#define BY_HAND "kprobe/vfs_read"
#endif

SEC(BY_HAND) int by_hand(void *ctx)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	int pid = 0, v;

	bpf_core_read(&pid, sizeof(pid), &t->pid);
	bpf_core_read(&v, sizeof(v), &t->in[1].list[3]);
	pid += v;
	bpf_core_read(&v, sizeof(v), &t->other);
	pid += v + bpf_core_field_exists(t->in) + bpf_core_field_size(t->in);
	pid += bpf_core_type_exists(struct inner) + bpf_core_type_size(struct task_struct);
	pid += bpf_core_enum_value(enum state, BUSY) + bpf_core_enum_value_exists(enum state, IDLE);
	pid += BPF_CORE_READ_BITFIELD_PROBED(t, bits);
#ifdef ONLY_CORE
	return pid;
}
#else
	return middle(pid + LINUX_KERNEL_VERSION + (CONFIG_BPF ? numbers[1] : greeting[0]));
}

SEC("fentry.s/bpf_fentry_test1") int in_kernel(__u64 *ctx)
{
	if (&not_there)
		bpf_task_release((void *)ctx[0]);
	if (ctx[0] == (__u64)&bpf_link_fops)
		bpf_tail_call(ctx, &tails, 1);
	current = IDLE;
	return bpf_ringbuf_output(&events, &current, 4, 0);
}

SEC("weird/section") int unknown_type(void *ctx)
{
	return 0;
}
#endif
