/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_INSN_HEAT_H
#define PROG_INSN_HEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct heat;
struct xlated;
/*
 * Samples at BPF instructions. The kernel says where the machine code of each line of source begins, and no more: a run
 * of instructions that are of one line has its samples together.
 */
struct insn_run {
	size_t start, end; /* slots; start < end */
	uint64_t samples;
	bool line; /* false: a whole function, of which it is not known where its lines begin */
};
struct insn_heat {
	const struct insn_run *runs; /* ascending, apart from each other */
	size_t n;
	uint64_t samples; /* of the program; some may be in none of its runs */
	bool lines;	  /* every run that has samples is of a line */
};
/* @h of the same program; its machine code may be missing. Lives in the arena. */
void insn_heat_read(const struct heat *h, const struct xlated *x, struct arena *a, struct insn_heat *ret);
/* The run that begins there; NULL: none. */
const struct insn_run *insn_heat_at(const struct insn_heat *h, size_t insn);
/*
 * Samples of the instructions from @start to @end, at most: *shared of them (added to what it is) are of runs that go
 * beyond these, and may belong there.
 */
uint64_t insn_heat_sum(const struct insn_heat *h, size_t start, size_t end, uint64_t *shared);

#endif
