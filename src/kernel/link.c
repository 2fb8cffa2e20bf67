/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/bpf.h>
#include "kernel/bpf.h"
#include "kernel/link.h"

int sys_link_cut(int fd)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.link_detach.link_fd = (__u32)fd;
	return sys_bpf(BPF_LINK_DETACH, &attr, sizeof(attr.link_detach));
}

int sys_link_swap(int fd, int fresh, int old)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	/* For struct_ops links these members are descriptors of maps. */
	attr.link_update.link_fd = (__u32)fd;
	attr.link_update.new_prog_fd = (__u32)fresh;
	if (old >= 0) {
		attr.link_update.flags = BPF_F_REPLACE;
		attr.link_update.old_prog_fd = (__u32)old;
	}
	return sys_bpf(BPF_LINK_UPDATE, &attr, sizeof(attr.link_update));
}
