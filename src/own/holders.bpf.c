/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/holders.bpf.h"

/*
 * A task_file iterator that tells which processes hold BPF objects. Which files are BPF objects it learns from the
 * descriptors that its own reader has: the operations' release function is one per kind. Nothing here is relocated by
 * a loader: all offsets come in at run time, so loading needs no look at the types of the whole kernel.
 */
static long (*const probe_read)(void *dst, unsigned size, const void *from) = (void *)113;
static long (*const seq_write)(void *seq, const void *data, unsigned len) = (void *)127;
static unsigned long long (*const current_pid_tgid)(void) = (void *)14;

enum { PROG, MAP, LINK, BTF };		/* enum object_kind */
#define LINK_PERF_EVENT 7

struct iter_meta {
	void *seq;
};

struct iter_task_file {			/* struct bpf_iter__task_file */
	struct iter_meta *meta;
	const char *task;
	unsigned fd __attribute__((aligned(8)));
	const char *file;
};

struct holders_state state;

static inline __attribute__((always_inline)) const char *read_ptr(const char *base, unsigned off)
{
	const char *p = 0;

	probe_read(&p, sizeof(p), base + off);
	return p;
}

static inline __attribute__((always_inline)) unsigned read_u32(const char *base, unsigned off)
{
	unsigned v = 0;

	probe_read(&v, sizeof(v), base + off);
	return v;
}

static inline __attribute__((always_inline)) unsigned long long cookie(const char *link)
{
	const char *file, *event;
	unsigned long long v = 0;

	if (!state.has_cookie || read_u32(link, state.link_type) != LINK_PERF_EVENT)
		return 0;
	file = read_ptr(link - state.perf_link_link, state.perf_link_file);
	event = read_ptr(file, state.file_private_data);
	probe_read(&v, sizeof(v), event + state.event_cookie);
	return v;
}

static inline __attribute__((always_inline)) void learn(unsigned fd, unsigned long long release)
{
	for (int k = 0; k < HOLDERS_KINDS; k++)
		if ((int)fd == state.fd[k])
			state.release[k] = release;
}

static inline __attribute__((always_inline)) unsigned long long release_of(const char *file)
{
	const char *f_op = read_ptr(file, state.file_f_op);

	if (!f_op || (unsigned long long)f_op != state.last_f_op) {
		state.last_release = (unsigned long long)read_ptr(f_op, state.fops_release);
		state.last_f_op = (unsigned long long)f_op;
	}
	return state.last_release;
}

static inline __attribute__((always_inline)) void comm_of(const char *task, unsigned pid, char *ret)
{
	if (pid != state.last_pid) {
		probe_read(state.last_comm, sizeof(state.last_comm), read_ptr(task, state.task_group_leader) + state.task_comm);
		state.last_pid = pid;
	}
	__builtin_memcpy(ret, state.last_comm, sizeof(state.last_comm));
}

__attribute__((section("iter/task_file"), used)) int holders(struct iter_task_file *ctx)
{
	struct holders_entry e = {0};
	unsigned long long release;
	const char *task = ctx->task, *file = ctx->file, *obj;

	if (!task || !file)
		return 0;
	release = release_of(file);
	if (state.learning) {
		if (read_u32(task, state.task_tgid) == current_pid_tgid() >> 32)
			learn(ctx->fd, release);
		return 0;
	}
	if (release == state.release[PROG])
		e.kind = PROG;
	else if (release == state.release[MAP])
		e.kind = MAP;
	else if (release == state.release[LINK])
		e.kind = LINK;
	else if (release == state.release[BTF])
		e.kind = BTF;
	else
		return 0;
	e.pid = read_u32(task, state.task_tgid);
	if (e.pid == current_pid_tgid() >> 32)
		return 0;
	obj = read_ptr(file, state.file_private_data);
	e.id = read_u32(e.kind == PROG ? read_ptr(obj, state.prog_aux) : obj, state.id[e.kind]);
	if (e.kind == LINK)
		e.cookie = cookie(obj);
	comm_of(task, e.pid, e.comm);
	seq_write(ctx->meta->seq, &e, sizeof(e));
	return 0;
}

char license_text[] __attribute__((section("license"), used)) = "Dual BSD/GPL";
