/* SPDX-License-Identifier: BSD-2-Clause */
/* Iterators that print their elements: one for each type of argument. */
#include "types.bpf.h"

#define CORE __attribute__((preserve_access_index))
struct seq_file;
struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 session_id, seq_num;
} CORE;
struct task_struct {
	int pid, tgid;
} CORE;
struct bpf_map {
	__u32 id;
} CORE;
struct kernfs_node {
	__u64 id;
} CORE;
struct cgroup {
	struct kernfs_node *kn;
} CORE;
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} CORE;
struct bpf_iter__bpf_map {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
} CORE;
struct bpf_iter__bpf_map_elem {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
	void *key, *value;
} CORE;
struct bpf_iter__cgroup {
	struct bpf_iter_meta *meta;
	struct cgroup *cgroup;
} CORE;
struct bpf_iter__tcp {
	struct bpf_iter_meta *meta;
	void *sk_common;
	unsigned int uid;
} CORE;

#define SAY(seq, text, number) \
	do { \
		static const char text_[] = text; \
		__u64 args_[] = { (number) }; \
		bpf_seq_printf(seq, text_, sizeof(text_), args_, sizeof(args_)); \
	} while (0)

SEC("iter/task") int say_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *p = ctx->task;

	if (p)
		SAY(ctx->meta->seq, "task %d\n", p->pid);
	return 0;
}

SEC("iter/bpf_map") int say_maps(struct bpf_iter__bpf_map *ctx)
{
	struct bpf_map *p = ctx->map;

	if (p)
		SAY(ctx->meta->seq, "map %u\n", p->id);
	return 0;
}

SEC("iter/bpf_map_elem") int say_elems(struct bpf_iter__bpf_map_elem *ctx)
{
	void *p = ctx->key;

	if (p)
		SAY(ctx->meta->seq, "key %u\n", *(__u32 *)p);
	return 0;
}

SEC("iter/cgroup") int say_cgroups(struct bpf_iter__cgroup *ctx)
{
	struct cgroup *p = ctx->cgroup;

	if (p)
		SAY(ctx->meta->seq, "cgroup %llu\n", p->kn->id);
	return 0;
}

SEC("iter/tcp") int say_tcp(struct bpf_iter__tcp *ctx)
{
	void *p = ctx->sk_common;

	if (p)
		SAY(ctx->meta->seq, "socket of %u\n", ctx->uid);
	return 0;
}

/* Long text, for pipes and buffers. */
SEC("iter/bpf_map") int say_much(struct bpf_iter__bpf_map *ctx)
{
	if (ctx->meta->seq_num)
		return 0;
	for (int i = 0; i < 64; i++)
		SAY(ctx->meta->seq, "%064d\n", i);
	return 0;
}

/* Escape sequences of a terminal. */
SEC("iter/bpf_map") int say_escapes(struct bpf_iter__bpf_map *ctx)
{
	static const char text[] = "\033]0;owned\007caf\303\251\r\n";

	if (!ctx->meta->seq_num)
		bpf_seq_write(ctx->meta->seq, text, sizeof(text) - 1);
	return 0;
}

SEC("socket") int no_iterator(void *ctx)
{
	return 0;
}
