/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "own/bpf/program.bpf.h"

/* For the *.bpf.c files that report tasks: a task has another number in each process namespace. */
OFFSET(task_struct, thread_pid);
OFFSET(task_struct, group_leader);
OFFSET(pid, level);
OFFSET(pid, numbers);

#define UPID_SIZE 16 /* size of struct upid on 64 bits */

struct iter_task_file { /* struct bpf_iter__task_file */
	struct iter_meta *meta;
	const char *task;
	__u32 fd __attribute__((aligned(8)));
	const char *file;
};

/* The task's number in the reader's process namespace, as in the reader's /proc. */
static __always_inline __u32 tid_of(const char *task)
{
	const char *self = (const char *)bpf_get_current_task(), *pid = 0;
	__u32 level = 0, number = 0;

	PROBE(pid, self, task_struct, thread_pid);
	PROBE(level, pid, pid, level);
	PROBE(pid, task, task_struct, thread_pid);
	PROBE(number, pid + (__u64)level * UPID_SIZE, pid, numbers);
	return number;
}

/* The same for its process. */
static __always_inline __u32 pid_of(const char *task)
{
	const char *leader = 0;

	PROBE(leader, task, task_struct, group_leader);
	return tid_of(leader);
}
