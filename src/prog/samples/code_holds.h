/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct arena;
struct machine;
struct sample;
/*
 * Where perf(1) may read /proc/kcore, it takes a map of all addresses of the kernel from there when it first looks at
 * the kernel's own code. Of the code that it knows then, it keeps only programs. In that map it finds no code that
 * comes later; the next unload in it removes the map, with the functions of modules. Therefore, at that moment, each
 * place of later code is held, as if a program were there.
 */
struct code_look {
	uint64_t text, end; /* the kernel's own code; 0: unknown */
	/* The first samples in it: an instruction, and a caller, at which perf looks for call chains. UINT64_MAX: none.
	 */
	uint64_t at[2];
};
void code_look_begin(struct code_look *ret, struct machine *m);
void code_look_take(struct code_look *x, const struct sample *s); /* each sample, in any order */

/* Code that is there from @from to @to. */
struct code_stay {
	uint64_t addr, from, to;
	uint32_t len;
	bool kept;  /* a program's: perf keeps it */
	bool fixed; /* other code that cannot be removed at the moment, and announced again */
};
struct code_hold {
	uint64_t addr;
	uint32_t len;
};
/* The places to hold at @at, ascending, in the arena. The number of them. */
size_t code_holds_find(const struct code_stay *stay, size_t n, uint64_t at, struct arena *a, struct code_hold **ret);
