/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/kmem.bpf.h"

/* Reads the kernel's memory for one map, whose address it tells. What is not there is said to be so. */
typedef unsigned long long u64;
static long (*const probe_read)(void *dst, u64 size, const void *from) = (void *)113;
static long (*const loop)(unsigned n, void *callback, void *ctx, u64 flags) = (void *)181;

/* So that the bounds that were checked are those of the register that is used. */
#define KEEP(v) __asm__ volatile("" : "+r"(v))

struct {
	int (*type)[2];			/* BPF_MAP_TYPE_ARRAY; the map that is asked about takes its place */
	int (*key_size)[4];
	int (*value_size)[4];
	int (*max_entries)[1];
} subject __attribute__((section(".maps"), used));

struct kmem_run kmem;

static long one(unsigned i, void *ctx)
{
	u64 size = kmem.size, n = i, to = n * size, at = kmem.addr + n * kmem.step;

	(void)ctx;
	KEEP(size);
	KEEP(n);
	KEEP(to);
	if (size > KMEM_BYTES || to > KMEM_BYTES || n >= KMEM_READS)
		return 1;
	kmem.failed[n] = probe_read(kmem.bytes + to, size, (const void *)at) != 0;
	return 0;
}

__attribute__((section("raw_tp"), used)) int kmem_read(void *ctx)
{
	(void)ctx;
	*(volatile u64 *)&kmem.map = (u64)&subject;
	loop(kmem.count, one, 0, 0);
	return 0;
}

char license_text[] __attribute__((section("license"), used)) = "Dual BSD/GPL";
