/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * The control flow of a program: its functions (those at the first instruction, and at the targets of calls and
 * function pointers), and the basic blocks of each. Positions are in slots. Jumps out of their function, or into the
 * middle of an instruction, have no target.
 */
#define CFG_NONE ((size_t)-1)
#define CFG_EXIT ((size_t)-2)
struct cfg_block {
	size_t start, end;
	size_t next, jump; /* successors: next by falling through, jump by the jump; or CFG_NONE, CFG_EXIT */
};
struct cfg_func {
	size_t start, end;
	size_t block, nblocks; /* index of its first block, and number of blocks: ascending, without gaps */
};
struct cfg {
	const struct cfg_func *funcs;
	const struct cfg_block *blocks;
	size_t nfuncs, nblocks, insns;
	const uint32_t *block_of; /* by slot: index of the block that begins there, plus 1; 0: none */
};
/* @image has @insns slots of INSN_SIZE bytes; @big as for insn_decode(). The result lives in the arena. */
void cfg_build(const unsigned char *image, size_t insns, bool big, struct arena *a, struct cfg *ret);
size_t cfg_block_at(const struct cfg *c, size_t insn); /* the block that begins there; CFG_NONE: none */
