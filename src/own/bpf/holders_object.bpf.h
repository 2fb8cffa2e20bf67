/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "own/bpf/holders.bpf.h"
#include "own/bpf/program.bpf.h"
#include "own/bpf/task.bpf.h"

/*
 * For the *.bpf.c files: what both ways to find the holders of BPF objects share. The reader's own descriptors show
 * which files are BPF objects: each kind has its own release function in its file operations.
 */
enum { PROG, MAP, LINK, BTF }; /* enum object_kind */
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

/* Kind of the only object to report, state.object; HOLDERS_KINDS: report all objects. */
const volatile __u32 only = HOLDERS_KINDS;
struct holders_state state;

static __always_inline __u64 cookie(const char *link)
{
	const char *file = 0, *event = 0;
	__u64 v = 0;
	__u32 type = 0;

	PROBE(type, link, bpf_link, type);
	if (type != LINK_PERF_EVENT || at__bpf_perf_link__link < 0 || at__bpf_perf_link__perf_file < 0 ||
	    at__perf_event__bpf_cookie < 0)
		return 0;
	PROBE(file, link - at__bpf_perf_link__link, bpf_perf_link, perf_file);
	PROBE(event, file, file, private_data);
	PROBE(v, event, perf_event, bpf_cookie);
	return v;
}

/* Called when learning. */
static __always_inline void offsets_set(void)
{
	state.id_at[PROG] = at__bpf_prog_aux__id;
	state.id_at[MAP] = at__bpf_map__id;
	state.id_at[LINK] = at__bpf_link__id;
	state.id_at[BTF] = at__btf__id;
}

/* Few branches, because the verifier follows all of them at each call. */
static __always_inline __u32 id_of(const char *object, __u32 kind)
{
	__u32 id = 0;

	if (kind == PROG)
		PROBE(object, object, bpf_prog, aux);
	KEEP(kind);
	kind %= HOLDERS_KINDS;
	bpf_probe_read_kernel(&id, sizeof(id), object + state.id_at[kind]);
	return id;
}

static __always_inline __u64 release_of(const char *f_op)
{
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

/* Is it the only object to report, if there is one? This excludes most files before more is read. */
static __always_inline int may_count(const char *object)
{
	return only == HOLDERS_KINDS || (__u64)object == state.object;
}

/* HOLDERS_KINDS: not a BPF object. Without branches, like id_of(). */
static __always_inline __u32 kind_of(const char *f_op)
{
	const __u64 release = release_of(f_op);
	__u32 kind = HOLDERS_KINDS;

	for (__u32 k = 0; k < HOLDERS_KINDS; k++) {
		const __u64 other = release ^ state.release[k];
		__u64 minus = -other;

		KEEP(minus);
		kind -= (HOLDERS_KINDS - k) * (1 - (__u32)((other | minus) >> 63));
	}
	return kind;
}

static __always_inline void tell(const char *task, __u32 tgid, const char *object, __u32 kind, struct holder_raw *ret)
{
	ret->kind = kind;
	ret->id = id_of(object, kind);
	if (kind == LINK)
		ret->cookie = cookie(object);
	process_of(task, tgid, ret);
}
