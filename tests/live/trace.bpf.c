/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that run at functions of the kernel, of its modules and of other programs; each is loaded by itself. */
#include "types.bpf.h"

__noinline int replaceable(int x)
{
	volatile int y = x;

	return y + 1;
}

SEC("socket") int has_functions(void *ctx)
{
	return replaceable(7);
}

SEC("freplace") int replacement(int x)
{
	return x + 2;
}

SEC("fentry") int enters_prog(void *ctx)
{
	return 0;
}

SEC("fentry/bpf_fentry_test1") int with_cookie(void *ctx)
{
	return 0;
}

SEC("fentry/bpf_fentry_test1") int in_session(void *ctx)
{
	return 0;
}

SEC("fmod_ret/bpf_modify_return_test") int changes_return(void *ctx)
{
	return 0;
}

SEC("fentry/p9_client_destroy") int in_module(void *ctx)
{
	return 0;
}

SEC("lsm/file_open") int guards_open(void *ctx)
{
	return 0;
}

SEC("lsm_cgroup/socket_bind") int guards_bind(void *ctx)
{
	return 1;
}
