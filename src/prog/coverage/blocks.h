/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "code/xlated.h"

/*
 * The basic blocks of a program that counts them. At the beginning of a block, the address of its counter, which is in
 * the value of a map, is loaded into a register, and 1 is added there atomically. Registers that this takes may be
 * saved on the stack before and restored after.
 */
struct counted_block {
	size_t start, end; /* instructions: from those of its counter to the next counter, or the end of the function */
	size_t func;	   /* its function: index in func_info; 0 without any */
	uint32_t map, off; /* of the counter: id of the map, and bytes in its value */
	uint32_t entry;	   /* off of the first block of the function, which begins where the function does */
};
/* May the map have a counter there? */
typedef bool counted_at(void *ctx, uint32_t map, uint64_t off);
/* Finds them, in the order of the code; returns their number. *ret is in @a. */
size_t counted_blocks_find(const struct xlated *x, counted_at *is_counter, void *ctx, struct arena *a,
			   const struct counted_block **ret);
/* The block of an instruction; NULL: it is in none. */
const struct counted_block *counted_block_at(const struct counted_block *v, size_t n, size_t insn);
