/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_CFG_H
#define PROG_CFG_H

#include <stddef.h>
#include <stdint.h>

struct arena;
/*
 * The control flow of a program's instructions: functions (the first instruction, and what calls and function pointers
 * lead to), and in each the blocks (runs that are entered at the first and left at the last instruction). Positions are
 * in slots. Jumps that lead out of their function, or into the middle of an instruction, lead nowhere.
 */
#define CFG_NONE ((size_t)-1)
#define CFG_EXIT ((size_t)-2)
struct cfg_block {
	size_t start, end;
	size_t next, jump; /* blocks that follow, the one by falling through first; or CFG_NONE, CFG_EXIT */
};
struct cfg_func {
	size_t start, end;
	size_t block, nblocks; /* its blocks: ascending, without gaps */
};
struct cfg {
	const struct cfg_func *funcs;
	const struct cfg_block *blocks;
	size_t nfuncs, nblocks, insns;
	const uint32_t *block_of; /* by slot: the block that begins there + 1; 0: none */
};
/* @image: so many slots of INSN_SIZE bytes. Lives in the arena. */
void cfg_build(const unsigned char *image, size_t insns, struct arena *a, struct cfg *ret);
size_t cfg_block_at(const struct cfg *c, size_t insn); /* the block that begins there; CFG_NONE: none */

#endif
