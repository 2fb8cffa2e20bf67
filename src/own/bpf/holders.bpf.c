/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/holders_object.bpf.h"

/* The iterator of files (since Linux 5.8) calls the program for each file. */

/* Learn from one of the reader's own descriptors. */
static __always_inline void learn(const char *f_op, const char *object, int fd)
{
	const __u64 release = release_of(f_op);

	offsets_set();
	for (int k = 0; k < HOLDERS_KINDS; k++) {
		if (fd != state.fd[k])
			continue;
		state.release[k] = release;
		if (k == only)
			state.object = (__u64)object;
	}
}

SEC("iter/task_file") int holders(struct iter_task_file *ctx)
{
	const char *task = ctx->task, *file = ctx->file, *f_op = 0, *object;
	struct holder_raw e = { 0 };
	__u32 self = bpf_get_current_pid_tgid() >> 32, tgid, kind;

	if (!task || !file)
		return 0;
	tgid = READ(tgid, task, task_struct, tgid);
	object = READ(object, file, file, private_data);
	if (tgid == self ? !state.learning : state.learning || !may_count(object))
		return 0;
	PROBE(f_op, file, file, f_op);
	if (tgid == self) {
		learn(f_op, object, ctx->fd);
		return 0;
	}
	kind = kind_of(f_op);
	/* A process may have many descriptors of the only object; it is reported once. */
	if (kind >= HOLDERS_KINDS || (only < HOLDERS_KINDS && tgid == state.last_tgid))
		return 0;
	tell(task, tgid, object, kind, &e);
	bpf_seq_write(ctx->meta->seq, &e, sizeof(e));
	return 0;
}
