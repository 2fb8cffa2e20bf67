/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OBJECT_REACH_H
#define OBJECT_REACH_H

#include <stdbool.h>
#include <stdint.h>

struct object;
struct object_func;
struct elf_symbol;
struct arena;
/*
 * Which instructions of a function can run with one kernel. The verifier does not look at branches that are decided by
 * numbers it knows: whether a member is there (CO-RE), whether a weak function is, the kernel's version and
 * configuration, constants in .rodata. What stands in such a branch may be missing. Whatever is not known here counts
 * as possible: more is reached than by the verifier, never less.
 */
struct reach_ask {
	/* What the instruction at that byte of a section loads there; false: not known. */
	bool (*number)(void *ctx, uint32_t section, uint64_t off, uint64_t *ret);
	/* What stands in a variable of .kconfig there; false: not known. */
	bool (*kconfig)(void *ctx, const struct elf_symbol *symbol, uint64_t *ret);
	void *ctx;
};
/* By instruction slot, in the arena. *ret_loops: it may jump back. */
const bool *reach_func(const struct object *o, const struct object_func *f, const struct reach_ask *ask,
		       struct arena *a, bool *ret_loops);

#endif
