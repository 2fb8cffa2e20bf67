/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/holders.bpf.h"
#include "own/holders.h"
#include "own/program.bpf.h"
#include "own/task.bpf.h"

/*
 * A task_file iterator that tells which processes hold BPF objects. Which files are BPF objects it learns from the
 * descriptors that its own reader has: the operations' release function is one per kind.
 */
enum { PROG, MAP, LINK, BTF };		/* enum object_kind */
#define LINK_PERF_EVENT 7

OFFSET(file, f_op);
OFFSET(file, private_data);
OFFSET(file_operations, release);
OFFSET(task_struct, tgid);
OFFSET(task_struct, comm);
OFFSET(bpf_prog, aux);
OFFSET(bpf_prog_aux, id);
OFFSET(bpf_map, id);
OFFSET(bpf_link, id);
OFFSET(bpf_link, type);
OFFSET(btf, id);
OFFSET(bpf_perf_link, link) __weak;
OFFSET(bpf_perf_link, perf_file) __weak;
OFFSET(perf_event, bpf_cookie) __weak;

struct iter_task_file {			/* struct bpf_iter__task_file */
	struct iter_meta *meta;
	const char *task;
	__u32 fd __attribute__((aligned(8)));
	const char *file;
};

/* The kind of the only object that counts, which state.object is; HOLDERS_KINDS: all do. */
const volatile __u32 only = HOLDERS_KINDS;
struct holders_state state;

static __always_inline __u64 cookie(const char *link)
{
	const char *file = 0, *event = 0;
	__u64 v = 0;
	__u32 type = 0;

	PROBE(type, link, bpf_link, type);
	if (type != LINK_PERF_EVENT || at__bpf_perf_link__link < 0 || at__bpf_perf_link__perf_file < 0 || at__perf_event__bpf_cookie < 0)
		return 0;
	PROBE(file, link - at__bpf_perf_link__link, bpf_perf_link, perf_file);
	PROBE(event, file, file, private_data);
	PROBE(v, event, perf_event, bpf_cookie);
	return v;
}

static __always_inline __u32 id_of(const char *object, __u32 kind)
{
	const char *aux = 0;
	__u32 id = 0;

	switch (kind) {
	case PROG:
		PROBE(aux, object, bpf_prog, aux);
		PROBE(id, aux, bpf_prog_aux, id);
		break;
	case MAP:
		PROBE(id, object, bpf_map, id);
		break;
	case LINK:
		PROBE(id, object, bpf_link, id);
		break;
	case BTF:
		PROBE(id, object, btf, id);
		break;
	}
	return id;
}

static __always_inline __u64 release_of(const char *file)
{
	const char *f_op = READ(f_op, file, file, f_op);

	if (!f_op || (__u64)f_op != state.last_f_op) {
		state.last_release = 0;
		PROBE(state.last_release, f_op, file_operations, release);
		state.last_f_op = (__u64)f_op;
	}
	return state.last_release;
}

static __always_inline void process_of(const char *task, __u32 tgid, struct holder_raw *ret)
{
	const char *leader = 0;

	if (tgid != state.last_tgid) {
		PROBE(leader, task, task_struct, group_leader);
		PROBE(state.last_comm, leader, task_struct, comm);
		state.last_pid = tid_of(leader);
		state.last_tgid = tgid;
	}
	ret->pid = state.last_pid;
	__builtin_memcpy(ret->comm, state.last_comm, sizeof(ret->comm));
}

/* From a descriptor of the reader's own. */
static __always_inline int learn(const char *file, int fd)
{
	const char *object = READ(object, file, file, private_data);
	const __u64 release = release_of(file);

	for (int k = 0; k < HOLDERS_KINDS; k++) {
		if (fd != state.fd[k])
			continue;
		state.release[k] = release;
		if (k == only)
			state.object = (__u64)object;
	}
	return 0;
}

/* HOLDERS_KINDS: of no kind, or not the only object. */
static __always_inline __u32 kind_of(const char *file, const char *object)
{
	__u32 kind = HOLDERS_KINDS;
	__u64 release;

	/* Most files end here: nothing else is read of them. */
	if (only < HOLDERS_KINDS && (__u64)object != state.object)
		return kind;
	release = release_of(file);
	for (int k = 0; k < HOLDERS_KINDS; k++)
		if (release == state.release[k])
			kind = k;
	return kind;
}

SEC("iter/task_file") int holders(struct iter_task_file *ctx)
{
	const char *task = ctx->task, *file = ctx->file, *object;
	struct holder_raw e = { 0 };
	__u32 self = bpf_get_current_pid_tgid() >> 32, tgid;

	if (!task || !file)
		return 0;
	tgid = READ(tgid, task, task_struct, tgid);
	if (state.learning)
		return tgid == self ? learn(file, ctx->fd) : 0;
	object = READ(object, file, file, private_data);
	e.kind = kind_of(file, object);
	if (e.kind == HOLDERS_KINDS)
		return 0;
	/* A process may have many descriptors of the only object; it is told once. */
	if (tgid == self || (only < HOLDERS_KINDS && tgid == state.last_tgid))
		return 0;
	e.id = id_of(object, e.kind);
	if (e.kind == LINK)
		e.cookie = cookie(object);
	process_of(task, tgid, &e);
	bpf_seq_write(ctx->meta->seq, &e, sizeof(e));
	return 0;
}
