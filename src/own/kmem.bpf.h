/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_KMEM_BPF_H
#define OWN_KMEM_BPF_H

/* What kmem.bpf.c and own/kmem.c tell each other: the program's global variable. Compiled for the BPF target, too. */
#define KMEM_BYTES (64u << 10)		/* that one run reads */
#define KMEM_READS 8192u		/* reads of one run */

struct kmem_run {
	/* What to read: count times size bytes, from addr on, step bytes from one to the next. */
	unsigned long long addr, step;
	unsigned size, count;
	unsigned long long map;		/* where the struct bpf_map is */
	unsigned char failed[KMEM_READS];	/* 1: it is not there; its bytes are zero */
	unsigned char bytes[2 * KMEM_BYTES];
};

#endif
