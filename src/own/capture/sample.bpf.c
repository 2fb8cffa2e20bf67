/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/program.bpf.h"

/*
 * Loaded to compare its copy with the kernel's dump. It has every kind of instruction that the dump changes. It is
 * never run.
 */
GIVEN_MAP(table); /* of programs */
__u64 variable;

__attribute__((noinline)) int sub(__u64 x)
{
	variable += x;
	return x > 1;
}

SEC("test_run") int capture_sample(void *ctx)
{
	__u32 key = (__u32)variable & 1;
	char comm[16];

	bpf_get_current_comm(comm, sizeof(comm));
	if (sub(comm[0]))
		bpf_tail_call(ctx, &table, key);
	return sub(key);
}
