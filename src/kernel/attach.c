/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/attach.h"

#include "kernel/abi.h"
#include "kernel/bpf.h"

static int sys_attach_call(int cmd, const struct sys_attach *a)
{
	struct abi_prog_attach attr = {
		.target = a->target,
		.prog_fd = (uint32_t)a->prog_fd,
		.attach_type = a->attach_type,
		.flags = a->flags,
		.replace_fd = (uint32_t)a->replace_fd,
		.relative = a->relative,
		.revision = a->revision,
	};

	return sys_bpf(cmd, (union bpf_attr *)&attr, sizeof(attr));
}

int sys_attach(const struct sys_attach *a)
{
	return sys_attach_call(ABI_PROG_ATTACH, a);
}

int sys_detach(const struct sys_attach *a)
{
	return sys_attach_call(ABI_PROG_DETACH, a);
}

int sys_attach_link(const struct sys_attach *a)
{
	struct abi_link_create attr = {
		.prog_fd = (uint32_t)a->prog_fd,
		.target = a->target,
		.attach_type = a->attach_type,
		.flags = a->flags,
		.relative = a->relative,
		.revision = a->revision,
	};

	return sys_bpf(ABI_LINK_CREATE, (union bpf_attr *)&attr, sizeof(attr));
}
