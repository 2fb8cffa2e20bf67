/* SPDX-License-Identifier: BSD-2-Clause */
/* An iterator that the verifier rejects: at the end there is no task. */
#include "types.bpf.h"

struct task_struct {
	int pid;
} __attribute__((preserve_access_index));
struct bpf_iter__task {
	void *meta;
	struct task_struct *task;
} __attribute__((preserve_access_index));

SEC("iter/task") int lens_no_check(struct bpf_iter__task *ctx)
{
	return ctx->task->pid & 1;
}
