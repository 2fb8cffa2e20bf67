/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/ids.bpf.h"
#include "own/bpf/task.bpf.h"

struct iter_task { /* struct bpf_iter__task */
	struct iter_meta *meta;
	const char *task;
};

SEC("iter/task") int ids(struct iter_task *ctx)
{
	const char *task = ctx->task, *leader = 0;

	if (!task)
		return 0;
	PROBE(leader, task, task_struct, group_leader);
	if (leader == task)
		tell_id(ctx->meta, tid_of(task));
	return 0;
}
