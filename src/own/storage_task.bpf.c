/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/program.bpf.h"
#include "own/storage.h"
#include "own/task.bpf.h"

OFFSET(task_struct, comm);
const volatile __u32 size;		/* bytes of a value */
GIVEN_MAP(storage);

struct iter_task {			/* struct bpf_iter__task */
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
	bpf_seq_write(ctx->meta->seq, &o, sizeof(o));
	bpf_seq_write(ctx->meta->seq, value, size);
	return 0;
}
