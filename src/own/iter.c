/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/iter.h"

#include <linux/bpf.h>

#include "kernel/bpf.h"

#define READ_SIZE (64u << 10)

int iter_link(int prog_fd, const struct iter_walk *w)
{
	/* union bpf_iter_link_info, which is incomplete in older headers */
	union {
		uint32_t map_fd;
		struct {
			uint32_t order, fd;
			uint64_t id;
		} cgroup;
		struct {
			uint32_t tid, pid, pid_fd;
		} task;
	} info;
	union bpf_attr attr;

	memset(&info, 0, sizeof(info));
	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (uint32_t)prog_fd;
	attr.link_create.attach_type = BPF_TRACE_ITER;
	attr.link_create.iter_info = (uintptr_t)&info;
	switch (w ? w->of : ITER_ALL) {
	case ITER_ALL:
		attr.link_create.iter_info = 0;
		break;
	case ITER_MAP:
		info.map_fd = w->map_fd;
		attr.link_create.iter_info_len = sizeof(info.map_fd);
		break;
	case ITER_TASK:
		info.task.tid = w->tid;
		info.task.pid = w->pid;
		attr.link_create.iter_info_len = sizeof(info.task);
		break;
	case ITER_CGROUP:
		info.cgroup.order = w->order;
		info.cgroup.fd = w->cgroup_fd;
		attr.link_create.iter_info_len = sizeof(info.cgroup);
		break;
	}
	return sys_bpf(BPF_LINK_CREATE, &attr, sizeof(attr));
}

int iter_open(int link_fd)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.iter_create.link_fd = (uint32_t)link_fd;
	return sys_bpf(BPF_ITER_CREATE, &attr, sizeof(attr));
}

/* Read once. Returns the number of bytes; 0: the end; -EAGAIN: the program stopped at an object, or wrote nothing for a
 * million objects, and continues at the next call. */
static ssize_t iter_step(int fd, void *buf, size_t n)
{
	ssize_t r;

	do
		r = read(fd, buf, n);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r;
}

ssize_t iter_read(int fd, void *buf, size_t n)
{
	ssize_t r;

	do
		r = iter_step(fd, buf, n);
	while (r == -EAGAIN);
	return r;
}

int iter_run(int link_fd, iter_after *after, void *ctx, struct str *ret)
{
	CLEAN_FD fd = iter_open(link_fd);
	const size_t before = ret->n;
	ssize_t n;
	int err = 0;

	if (fd < 0)
		return fd;
	do {
		str_reserve(ret, READ_SIZE);
		n = iter_step(fd, ret->p + ret->n, READ_SIZE);
		ret->n += n > 0 ? (size_t)n : 0;
		err = after ? after(ctx, ret) : 0;
	} while (!err && (n > 0 || n == -EAGAIN));
	if (!err && n < 0)
		err = (int)n;
	if (err)
		ret->n = before;
	ret->p[ret->n] = '\0';
	return err;
}
