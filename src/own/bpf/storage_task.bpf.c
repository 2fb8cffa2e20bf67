/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/storage.bpf.h"
#include "own/bpf/task.bpf.h"

OFFSET(task_struct, comm);
GIVEN_MAP(storage);

struct iter_task { /* struct bpf_iter__task */
	struct iter_meta *meta;
	const char *task;
};

SEC("iter/task") int storage_task(struct iter_task *ctx)
{
	const char *task = ctx->task;
	struct storage_owner o = { 0 };
	void *value;

	if (!task)
		return 0;
	value = bpf_task_storage_get(&storage, (void *)task, 0, 0);
	if (!value)
		return 0;
	o.tid = tid_of(task);
	o.pid = pid_of(task);
	PROBE(o.comm, task, task_struct, comm);
	return storage_tell(ctx->meta, &o, value);
}
