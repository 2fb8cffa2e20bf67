/* SPDX-License-Identifier: BSD-2-Clause */
/* Another way to hide a program: opening it by id returns that it does not exist. */
#include "hide.bpf.h"

const volatile __u32 hidden;

enum { GET_FD_BY_ID = 13, ENOENT = 2 };

/* cmd, and attributes that the kernel has copied */
static __always_inline int is_refused(__u64 cmd, __u64 attr)
{
	__u32 id = 0;

	return (__u32)cmd == GET_FD_BY_ID && is_victim() && !bpf_probe_read_kernel(&id, sizeof(id), (void *)attr) &&
	       id == hidden;
}

SEC("fmod_ret/security_bpf") int refuse_changed(__u64 *ctx)
{
	return is_refused(ctx[0], ctx[1]) ? -ENOENT : 0;
}

SEC("lsm/bpf") int refuse_lsm(__u64 *ctx)
{
	return is_refused(ctx[0], ctx[1]) ? -ENOENT : 0;
}
