/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_KMEM_BPF_H
#define OWN_KMEM_BPF_H

#include <stdint.h>

/* What kmem.bpf.c and kmem.c tell each other: the program's variables. */
#define KMEM_BYTES (64u << 10) /* that one run reads */
#define KMEM_READS 256u	       /* reads of one run */

struct kmem_run {
	/* What to read: count times size bytes, from addr on, step bytes from one to the next. */
	uint64_t addr, step;
	uint32_t size, count;
	uint64_t map;		    /* where the struct bpf_map is */
	uint8_t failed[KMEM_READS]; /* 1: it is not there; its bytes are zero */
	uint8_t bytes[2 * KMEM_BYTES];
};

#endif
