/* SPDX-License-Identifier: BSD-2-Clause */
/* Uses of what no kernel has, behind guards that the verifier evaluates. Programs with names that begin with "un" have
 * none. */
#include "types.bpf.h"
#include <stdbool.h>

#define KERNEL __attribute__((preserve_access_index))
#define NO_HELPER ((int (*)(void))9999)

struct task_struct {
	int no_such_member, pid;
} KERNEL;
struct no_such_struct {
	int x;
} KERNEL;
enum bpf_func_id___no { BPF_FUNC_no_such_thing = 9999 };

extern int no_such_kfunc(int x) __attribute__((weak, section(".ksyms")));
extern int LINUX_KERNEL_VERSION __attribute__((weak, section(".kconfig")));
extern bool CONFIG_NO_SUCH_OPTION __attribute__((weak, section(".kconfig")));
const volatile bool wanted = false;
const volatile struct {
	int a;
	long b[3];
} numbers = { 1, { 2, 3, 4 } };

static __attribute__((always_inline)) int read_missing(void)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	int x = 0;

	bpf_probe_read_kernel(&x, sizeof(x), &t->no_such_member);
	return x;
}

SEC("raw_tp/sys_enter") int member(void *ctx)
{
	return __builtin_preserve_field_info(((struct task_struct *)0)->no_such_member, 2 /* exists */) ?
		       read_missing() :
		       0;
}

SEC("raw_tp/sys_enter") int type(void *ctx)
{
	if (__builtin_preserve_type_info(*(struct no_such_struct *)0, 0))
		return NO_HELPER();
	return 1;
}

SEC("raw_tp/sys_enter") int enumerator(void *ctx)
{
	if (__builtin_preserve_enum_value(*(typeof(enum bpf_func_id___no) *)BPF_FUNC_no_such_thing, 0))
		return NO_HELPER();
	return 2;
}

SEC("raw_tp/sys_enter") int version(void *ctx)
{
	return LINUX_KERNEL_VERSION < 0x030000 ? NO_HELPER() : 3;
}

SEC("raw_tp/sys_enter") int option(void *ctx)
{
	return CONFIG_NO_SUCH_OPTION ? NO_HELPER() : 4;
}

SEC("raw_tp/sys_enter") int constant(void *ctx)
{
	return wanted || numbers.b[1] != 3 ? NO_HELPER() : 5;
}

SEC("tc") int kfunc(void *ctx)
{
	return no_such_kfunc ? no_such_kfunc(6) : 6;
}

static __attribute__((noinline)) int deeper(int x)
{
	return numbers.a == 2 ? NO_HELPER() : x;
}

SEC("raw_tp/sys_enter") int subprogram(void *ctx)
{
	return deeper((int)bpf_ktime_get_ns());
}

SEC("raw_tp/sys_enter") int unguarded_member(void *ctx)
{
	return read_missing();
}

SEC("raw_tp/sys_enter") int unguarded_helper(void *ctx)
{
	return bpf_get_prandom_u32() & 1 ? NO_HELPER() : 0;
}

SEC("tc") int unguarded_kfunc(void *ctx)
{
	return no_such_kfunc(7);
}
