/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/file.bpf.h"
#include "own/bpf/task.bpf.h"
#include "own/task_fds.h"

/*
 * Descriptors that may be perf events or raw tracepoints: those of anonymous files except BPF programs, maps and BTF
 * objects. A file of an unknown kind may be one.
 */
/* "bpf-prog", "bpf-map", "btf" */
static __always_inline int is_other(const char *file)
{
	char word[8];

	file_word(file, word);
	if (word[0] != 'b' || word[2] != 'f')
		return 0;
	return word[1] == 't' ? !word[3] : word[1] == 'p' && word[3] == '-' && (word[4] == 'p' || word[4] == 'm');
}

SEC("iter/task_file") int task_fds(struct iter_task_file *ctx)
{
	const char *task = ctx->task, *file = ctx->file, *leader = 0;
	struct own_task_fd e = { 0 };

	if (!task || !file || !is_nameless(file) || is_other(file))
		return 0;
	/* /proc/PID/fd shows the table of the leader. */
	PROBE(leader, task, task_struct, group_leader);
	if (leader != task)
		return 0;
	e.pid = tid_of(task);
	e.fd = ctx->fd;
	bpf_seq_write(ctx->meta->seq, &e, sizeof(e));
	return 0;
}
