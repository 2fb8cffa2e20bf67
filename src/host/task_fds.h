/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct own;
/*
 * Descriptors of perf events and raw tracepoints that run a program, from BPF_TASK_FD_QUERY on every descriptor, or on
 * those selected by an iterator (own/files.h).
 */
/* The kernel's enum bpf_task_fd_type. */
enum task_fd_type {
	TASK_FD_RAW_TRACEPOINT,
	TASK_FD_TRACEPOINT,
	TASK_FD_KPROBE,
	TASK_FD_KRETPROBE,
	TASK_FD_UPROBE,
	TASK_FD_URETPROBE,
};

/*
 * The answer to sys/task_fds: a list of these entries, each followed by its name and zeros up to a multiple of 8 bytes.
 */
struct task_fd_raw {
	uint32_t pid, fd;
	/*
	 * 0, or the kernel's -errno. -EOPNOTSUPP: a perf event with a program of type perf_event, of which the kernel
	 * reports nothing else. If fd is TASK_FD_NONE: why the descriptors of the process could not be listed.
	 */
	int32_t err;
	uint32_t prog_id, type; /* enum task_fd_type */
	uint32_t name_len;	/* length of the name with its NUL; 0: none */
	/* number of the first entry with the same open file; its own number if it is the first */
	uint32_t file;
	uint32_t pad;
	uint64_t offset, addr;
	char comm[16]; /* of the process; not terminated if full */
};
#define TASK_FD_NONE UINT32_MAX

/* Live: append all except our own. -EPERM, -EINVAL: the kernel does not permit or does not know the query. */
int task_fds_collect(struct own *own, struct str *ret);

/* Decode into the arena; an incomplete entry ends the list, with -EBADMSG. */
struct task_fd {
	uint32_t pid, fd;
	int err;
	uint32_t prog_id, type, file;
	uint64_t offset, addr;
	const char *name; /* never NULL */
	char comm[17];
};
int task_fds_parse(const void *p, size_t n, struct arena *a, const struct task_fd **ret, size_t *ret_n);
