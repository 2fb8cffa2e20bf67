/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * BPF_PROG_ATTACH, BPF_PROG_DETACH and BPF_LINK_CREATE with what libbpf 1.1 lacks: order and revisions of cgroups, tcx
 * and netkit. A kernel that does not know a member that is not zero returns -EINVAL or -E2BIG.
 */
struct sys_attach {
	uint32_t target;	     /* descriptor, or index of an interface */
	uint32_t attach_type, flags; /* enum abi_attach_flag */
	int prog_fd;
	int replace_fd;	   /* with ABI_ATTACH_REPLACE; else 0 */
	uint32_t relative; /* an id with ABI_ATTACH_ID, that of a link with ABI_ATTACH_LINK; else 0 */
	uint64_t revision; /* the revision expected, else -ESTALE; 0: any */
};
int sys_attach(const struct sys_attach *a);	 /* 0 or -errno */
int sys_detach(const struct sys_attach *a);	 /* 0 or -errno */
int sys_attach_link(const struct sys_attach *a); /* a descriptor of the new link, or -errno */
