/* SPDX-License-Identifier: BSD-2-Clause */
/* CO-RE relocations of every kind that current compilers emit, for the kernel's own types; their results are in
 * answers. */
#include "types.bpf.h"
#include <bpf/bpf_core_read.h>

#define KERNEL __attribute__((preserve_access_index))
struct list_head {
	struct list_head *next;
} KERNEL;
struct nested {
	int not_there;
} KERNEL;
struct mm_struct {
	unsigned long start_code;
} KERNEL;
typedef int pid_t;
struct task_struct {
	pid_t pid, tgid;
	char comm[16];
	struct mm_struct *mm;
	struct list_head tasks, children;
	unsigned in_execve : 1;
	int not_there;
} KERNEL;
struct task_struct___old {
	long state;
} KERNEL; /* before 5.14 */
struct task_struct___new {
	unsigned int __state;
} KERNEL;
struct in6_addr {
	union {
		__u8 u6_addr8[16];
		__u32 u6_addr32[4];
	} in6_u;
} KERNEL;
struct sock_common {
	struct {
		__be32 skc_daddr;
	};
	unsigned short skc_family;
	struct in6_addr skc_v6_daddr;
} KERNEL;
struct sock {
	struct sock_common __sk_common;
} KERNEL;
struct bpf_map {
	int id;
	char name[16];
} KERNEL;
struct bpf_array {
	struct bpf_map map;
} KERNEL;
typedef __u64 (*bpf_callback_t)(__u64, __u64, __u64, __u64, __u64);
typedef struct {
	int counter;
} atomic_t;
union lens_not_there {
	int x;
};
enum bpf_map_type { BPF_MAP_TYPE_HASH, BPF_MAP_TYPE_LENS };
enum bpf_cmd___lens { BPF_PROG_LOAD___first, BPF_OBJ_PIN };

int answers[64];

#define OFFSET(x) __builtin_preserve_field_info(x, 0)
SEC("raw_tp/sys_enter") int lens_needs(void *ctx)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	struct task_struct___old *old = (void *)t;
	struct task_struct___new *new = (void *)t;
	struct sock *sk = (void *)t;
	struct bpf_array *array = (void *)t;
	int n = 0;

	answers[n++] = OFFSET(t->pid);
	answers[n++] = OFFSET(t->tasks.next);
	answers[n++] = OFFSET(t->comm[3]);
	answers[n++] = OFFSET(t->mm);
	answers[n++] = OFFSET(t->mm->start_code);
	answers[n++] = bpf_core_field_size(t->comm);
	answers[n++] = bpf_core_field_size(t->children);
	answers[n++] = bpf_core_field_exists(t->in_execve);
	answers[n++] = __builtin_preserve_field_info(t->in_execve, BPF_FIELD_LSHIFT_U64);
	answers[n++] = __builtin_preserve_field_info(t->in_execve, BPF_FIELD_RSHIFT_U64);
	answers[n++] = __builtin_preserve_field_info(t->tgid, BPF_FIELD_SIGNED);
	answers[n++] = bpf_core_field_exists(t->not_there);
	answers[n++] = bpf_core_field_exists(old->state);
	answers[n++] = bpf_core_field_exists(new->__state);
	answers[n++] = OFFSET(sk->__sk_common.skc_daddr);
	answers[n++] = OFFSET(sk->__sk_common.skc_v6_daddr.in6_u.u6_addr32[2]);
	answers[n++] = bpf_core_field_size(sk->__sk_common.skc_family);
	answers[n++] = OFFSET(array->map.name);
	answers[n++] = bpf_core_type_exists(struct mm_struct);
	answers[n++] = bpf_core_type_exists(struct nested);
	answers[n++] = bpf_core_type_exists(union lens_not_there);
	answers[n++] = bpf_core_type_exists(bpf_callback_t);
	answers[n++] = bpf_core_type_size(struct sock);
	answers[n++] = bpf_core_type_size(atomic_t);
	answers[n++] = bpf_core_type_size(pid_t);
	answers[n++] = bpf_core_enum_value_exists(enum bpf_map_type, BPF_MAP_TYPE_HASH);
	answers[n++] = bpf_core_enum_value_exists(enum bpf_map_type, BPF_MAP_TYPE_LENS);
	answers[n++] = bpf_core_enum_value(enum bpf_map_type, BPF_MAP_TYPE_HASH);
	answers[n++] = bpf_core_enum_value(enum bpf_cmd___lens, BPF_PROG_LOAD___first);
	answers[n++] = bpf_core_enum_value(enum bpf_cmd___lens, BPF_OBJ_PIN);
	answers[63] = n;
	return 0;
}
