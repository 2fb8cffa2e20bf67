/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "own/numbers.h"
#include "own/bpf/program.bpf.h"

/* For the *.bpf.c files that report which task called. */
OFFSET(task_struct, thread_pid);
OFFSET(task_struct, group_leader);
OFFSET(pid, level);
OFFSET(pid, numbers);

struct upid { /* its layout on 64 bits */
	__u32 nr, pad;
	__u64 ns;
};

static __always_inline void number_at(const char *task, __u32 level, struct upid *ret)
{
	const char *pid = 0;

	PROBE(pid, task, task_struct, thread_pid);
	bpf_probe_read_kernel(ret, sizeof(*ret), FIELD(pid, pid, numbers) + (__u64)level * sizeof(*ret));
}

/* 0: it is not in the reader's namespace. */
static __always_inline __u32 number_in(const char *task, const struct numbers *of)
{
	const char *pid = 0;
	__u32 level = 0;
	struct upid n = { 0 };

	PROBE(pid, task, task_struct, thread_pid);
	PROBE(level, pid, pid, level);
	if (level < of->level)
		return 0;
	number_at(task, of->level, &n);
	return n.ns == of->namespace ? n.nr : 0;
}

/* The caller is the reader. */
static __always_inline int numbers_learn(struct numbers *ret)
{
	const char *task = (const char *)bpf_get_current_task(), *pid = 0;
	struct upid n = { 0 };

	PROBE(pid, task, task_struct, thread_pid);
	PROBE(ret->level, pid, pid, level);
	number_at(task, ret->level, &n);
	ret->namespace = n.ns;
	return 0;
}
