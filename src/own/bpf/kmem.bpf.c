/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/kmem.bpf.h"
#include "own/bpf/program.bpf.h"

/* Read kernel memory for one map, and report the map's address. Memory that cannot be read is marked in failed[]. */
GIVEN_MAP(subject);
struct kmem_run run;

SEC("test_run") int kmem(void *ctx)
{
	(void)ctx;
	*(volatile __u64 *)&run.map = (__u64)&subject;
	for (__u64 i = 0; i < KMEM_READS && i < run.count; i++) {
		__u64 size = run.size, to = i * size;

		KEEP(size);
		KEEP(to);
		if (size > KMEM_BYTES || to > KMEM_BYTES)
			break;
		run.failed[i] =
			bpf_probe_read_kernel(run.bytes + to, size, (const void *)(run.addr + i * run.step)) != 0;
	}
	return 0;
}
