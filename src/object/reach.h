/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct object;
struct object_func;
struct elf_symbol;
/*
 * Which instructions of a function can run on a given kernel. The verifier ignores branches that are never taken
 * because of numbers it knows: whether a member (CO-RE) or a weak function is there, the kernel's version and
 * configuration, constants in .rodata. What such a branch needs may be missing. An unknown condition may go both ways
 * here, so never fewer instructions are reached than by the verifier.
 */
struct reach_ask {
	/* The number that the instruction at that offset of a section loads; false: unknown. */
	bool (*number)(void *ctx, uint32_t section, uint64_t off, uint64_t *ret);
	/* The value of a variable of .kconfig; false: unknown. */
	bool (*kconfig)(void *ctx, const struct elf_symbol *symbol, uint64_t *ret);
	void *ctx;
};
/* Is an instruction slot reached? By slot, in the arena. *ret_loops: the function may jump back. */
const bool *reach_func(const struct object *o, const struct object_func *f, const struct reach_ask *ask,
		       struct arena *a, bool *ret_loops);
