/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/holders_object.bpf.h"

/*
 * The iterator of tasks, with bpf_loop() (since Linux 5.17) over the descriptor table of each: a third of the time of
 * the iterator of files. The table is read without its lock, in an RCU section. An entry is reported only if it is
 * still in the table after it was read.
 */
OFFSET(task_struct, files);
OFFSET(files_struct, fdt);
OFFSET(fdtable, max_fds);
OFFSET(fdtable, fd);
OFFSET(fdtable, open_fds);

#define CHUNKS 4096 /* per bpf_loop(), so that the kernel can do something else in between */

struct iter_task { /* struct bpf_iter__task */
	struct iter_meta *meta;
	const char *task;
};

struct scan { /* of one task's table */
	const char *task;
	__u64 files, fd, open_fds; /* addresses */
	__u32 tgid;
	__u32 first;	  /* descriptor to begin with */
	__u32 base, done; /* base: first descriptor of the chunk; done: stop here */
};

static __always_inline int still_there(const struct scan *s, __u32 fd, __u64 file)
{
	__u64 files = 0, now = 0;

	PROBE(files, s->task, task_struct, files);
	bpf_probe_read_kernel(&now, sizeof(now), (const void *)(s->fd + fd * sizeof(now)));
	return files == s->files && now == file;
}

/* The next run continues there. */
static __always_inline void stop_at(struct scan *s, __u32 fd)
{
	state.stopped = (__u64)s->task;
	state.stopped_at = fd;
	s->done = 1;
}

static __always_inline void add(const struct holder_raw *e)
{
	__u32 at = state.count;

	KEEP(at);
	if (at >= HOLDERS_ROOM)
		return;
	state.out[at] = *e;
	state.count = at + 1;
}

static long one_file(__u32 i, void *ctx)
{
	struct scan *s = ctx;
	__u64 file = state.files[i & (HOLDERS_CHUNK - 1)];
	const __u32 fd = s->base + i;
	const char *object = 0, *f_op = 0;
	struct holder_raw e = { 0 };
	__u32 kind;

	if (!file || fd < s->first)
		return 0;
	PROBE(object, (const char *)file, file, private_data);
	if (!may_count(object))
		return 0;
	PROBE(f_op, (const char *)file, file, f_op);
	kind = kind_of(f_op);
	if (kind >= HOLDERS_KINDS)
		return 0;
	if (state.count >= HOLDERS_ROOM) {
		stop_at(s, fd);
		return 1;
	}
	tell(s->task, s->tgid, object, kind, &e);
	if (!still_there(s, fd, file))
		return 0;
	add(&e);
	/* A process may have many descriptors of the only object; it is reported once. */
	return s->done = only < HOLDERS_KINDS;
}

static long one_chunk(__u32 i, void *ctx)
{
	struct scan *s = ctx;
	const __u64 chunk = s->first / HOLDERS_CHUNK + i;
	__u64 open = 0;

	bpf_probe_read_kernel(&open, sizeof(open), (const void *)(s->open_fds + chunk * sizeof(open)));
	if (!open || bpf_probe_read_kernel(state.files, sizeof(state.files),
					   (const void *)(s->fd + chunk * sizeof(state.files))))
		return 0;
	s->base = chunk * HOLDERS_CHUNK;
	bpf_loop(HOLDERS_CHUNK, one_file, s, 0);
	return s->done != 0;
}

/* Learn from the reader's own descriptors. */
static __always_inline void learn(const struct scan *s, __u32 max)
{
	offsets_set();
	for (int k = 0; k < HOLDERS_KINDS; k++) {
		const __u32 fd = state.fd[k];
		const char *file = 0, *f_op = 0, *object = 0;

		if (fd >= max)
			continue;
		bpf_probe_read_kernel(&file, sizeof(file), (const void *)(s->fd + fd * sizeof(file)));
		PROBE(f_op, file, file, f_op);
		PROBE(object, file, file, private_data);
		PROBE(state.release[k], f_op, file_operations, release);
		if (k == only)
			state.object = (__u64)object;
	}
}

/*
 * Almost all threads share the table of their process. Not a plain load, because for each pointer the verifier searches
 * all names of the kernel's types.
 */
static __always_inline int has_own_table(const char *task, __u64 files)
{
	const char *leader = 0;
	__u64 its = 0;

	PROBE(leader, task, task_struct, group_leader);
	if (leader == task)
		return 1;
	PROBE(its, leader, task_struct, files);
	return files != its;
}

static __always_inline int walk_task(const char *task)
{
	const char *fdt = 0;
	const __u32 self = bpf_get_current_pid_tgid() >> 32;
	struct scan s = { .task = task };
	__u32 max = 0, chunks;

	if (!task)
		return 0;
	s.tgid = READ(s.tgid, task, task_struct, tgid);
	if ((s.tgid == self) != !!state.learning ||
	    (only < HOLDERS_KINDS && s.tgid == state.last_tgid && !state.learning))
		return 0;
	PROBE(s.files, task, task_struct, files);
	if (!s.files || !has_own_table(task, s.files))
		return 0;
	PROBE(fdt, (const char *)s.files, files_struct, fdt);
	PROBE(max, fdt, fdtable, max_fds);
	PROBE(s.fd, fdt, fdtable, fd);
	PROBE(s.open_fds, fdt, fdtable, open_fds);
	if (state.learning) {
		learn(&s, max);
		return 0;
	}
	if (state.stopped == (__u64)task)
		s.first = state.stopped_at;
	state.stopped = 0;
	chunks = (max + HOLDERS_CHUNK - 1) / HOLDERS_CHUNK - s.first / HOLDERS_CHUNK;
	bpf_loop(chunks < CHUNKS ? chunks : CHUNKS, one_chunk, &s, 0);
	if (!s.done && chunks > CHUNKS)
		stop_at(&s, (s.first / HOLDERS_CHUNK + CHUNKS) * HOLDERS_CHUNK);
	return state.stopped != 0; /* the same task again */
}

SEC("iter/task") int holders_tasks(struct iter_task *ctx)
{
	__u64 again = walk_task(ctx->task);

	/* The verifier wants 0 or 1, and does not know a value that the compiler kept on the stack. */
	KEEP(again);
	return again & 1;
}
