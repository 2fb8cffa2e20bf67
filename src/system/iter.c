/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/iter.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/str.h"
#include "system/bpf.h"

int iter_link(int prog_fd, uint32_t tid)
{
	struct { uint32_t tid, pid, pid_fd; } info = { .tid = tid };
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (uint32_t)prog_fd;
	attr.link_create.attach_type = BPF_TRACE_ITER;
	if (tid) {
		attr.link_create.iter_info = (uintptr_t)&info;
		attr.link_create.iter_info_len = sizeof(info);
	}
	return sys_bpf(BPF_LINK_CREATE, &attr, sizeof(attr));
}

int iter_run(int link_fd, struct str *ret)
{
	union bpf_attr attr;
	CLEAN_FD fd = -1;

	memset(&attr, 0, sizeof(attr));
	attr.iter_create.link_fd = (uint32_t)link_fd;
	fd = sys_bpf(BPF_ITER_CREATE, &attr, sizeof(attr));
	if (fd < 0)
		return fd;
	for (;;) {
		ssize_t r;

		str_reserve(ret, 64 << 10);
		r = read(fd, ret->p + ret->n, 64 << 10);
		/* EAGAIN: a million objects without a word from the program. */
		if (r < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (r <= 0)
			return r ? -errno : 0;
		ret->n += (size_t)r;
	}
}
