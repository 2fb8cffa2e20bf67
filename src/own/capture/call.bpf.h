/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "own/bpf/program.bpf.h"

/* For the *.bpf.c files that watch system calls: number and arguments of a call, descriptors of the calling task. */
OFFSET(pt_regs, orig_ax) __weak; /* x86 */
OFFSET(pt_regs, di) __weak;
OFFSET(pt_regs, si) __weak;
OFFSET(pt_regs, dx) __weak;
OFFSET(pt_regs, syscallno) __weak; /* arm64 */
OFFSET(pt_regs, orig_x0) __weak;
OFFSET(pt_regs, regs) __weak;
OFFSET(pt_regs, bx) __weak; /* i386 */
OFFSET(pt_regs, cx) __weak;
OFFSET(task_struct, thread_info) __weak;
OFFSET(thread_info, status) __weak;
OFFSET(task_struct, files);
OFFSET(files_struct, fdt);
OFFSET(fdtable, max_fds);
OFFSET(fdtable, fd);
OFFSET(file, f_op);
OFFSET(file, private_data);

enum { TS_COMPAT = 2, NONE = -1 };
struct call {
	__s32 nr;
	__u64 arg[3];
};
struct fds {
	__u64 fd;
	__u32 max;
};

static __always_inline __s32 call_number(const char *regs)
{
	__u64 ax = 0;
	__s32 no = NONE;

	if (at__pt_regs__orig_ax >= 0) {
		PROBE(ax, regs, pt_regs, orig_ax);
		no = (__s32)ax;
	} else if (at__pt_regs__syscallno >= 0) {
		PROBE(no, regs, pt_regs, syscallno);
	}
	return no;
}

/* Was the call made by int 0x80, which has its own numbers and registers? */
static __always_inline int call_is_compat(void)
{
	const char *task = (const char *)bpf_get_current_task();
	__u32 status = 0;

	if (at__pt_regs__orig_ax < 0 || at__task_struct__thread_info < 0 || at__thread_info__status < 0)
		return 0;
	bpf_probe_read_kernel(&status, sizeof(status), task + at__task_struct__thread_info + at__thread_info__status);
	return (status & TS_COMPAT) != 0;
}

static __always_inline void call_args(const char *regs, int compat, struct call *ret)
{
	if (at__pt_regs__orig_ax >= 0 && compat) {
		PROBE(ret->arg[0], regs, pt_regs, bx);
		PROBE(ret->arg[1], regs, pt_regs, cx);
		PROBE(ret->arg[2], regs, pt_regs, dx);
	} else if (at__pt_regs__orig_ax >= 0) {
		PROBE(ret->arg[0], regs, pt_regs, di);
		PROBE(ret->arg[1], regs, pt_regs, si);
		PROBE(ret->arg[2], regs, pt_regs, dx);
	} else if (at__pt_regs__orig_x0 >= 0) {
		PROBE(ret->arg[0], regs, pt_regs, orig_x0);
		bpf_probe_read_kernel(&ret->arg[1], 2 * sizeof(ret->arg[1]), regs + at__pt_regs__regs + sizeof(__u64));
	}
}

static __always_inline struct fds fds_mine(void)
{
	const char *p = (const char *)bpf_get_current_task();
	struct fds ret = { 0 };

	PROBE(p, p, task_struct, files);
	PROBE(p, p, files_struct, fdt);
	PROBE(ret.max, p, fdtable, max_fds);
	PROBE(ret.fd, p, fdtable, fd);
	return ret;
}

static __always_inline const char *file_of(const struct fds *fds, __u32 fd)
{
	const char *file = 0;

	if (fd < fds->max)
		bpf_probe_read_kernel(&file, sizeof(file), (const void *)(fds->fd + fd * sizeof(file)));
	return file;
}

static __always_inline __u64 file_operations(const char *file)
{
	__u64 f_op = 0;

	PROBE(f_op, file, file, f_op);
	return f_op;
}
