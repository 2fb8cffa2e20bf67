/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

/* What kmem.bpf.c and kmem.c share: the program's variables. */
#define KMEM_BYTES (64u << 10) /* most bytes that one run reads */
#define KMEM_READS 256u	       /* most reads of one run */

struct kmem_run {
	/* What to read: @count times @size bytes, the first at @addr, the others @step bytes apart. */
	uint64_t addr, step;
	uint32_t size, count;
	uint64_t map;		    /* address of the struct bpf_map */
	uint8_t failed[KMEM_READS]; /* 1: this read failed; its bytes are zero */
	uint8_t bytes[2 * KMEM_BYTES];
};
