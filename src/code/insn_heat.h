/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct heat;
struct xlated;
/*
 * Samples of BPF instructions. The kernel only reports where the machine code of each source line begins, so the
 * instructions of a line form a run, which has its samples together.
 */
struct insn_run {
	size_t start, end; /* slots; start < end */
	uint64_t samples;
	bool line; /* false: a whole function, because the start of its lines is unknown */
};
struct insn_heat {
	const struct insn_run *runs; /* ascending, not overlapping */
	size_t n;
	uint64_t samples; /* of the program; some may not be in a run */
	bool lines;	  /* every run with samples is a source line */
};
/* @h is of the same program; its machine code may be missing. The result lives in the arena. */
void insn_heat_read(const struct heat *h, const struct xlated *x, struct arena *a, struct insn_heat *ret);
/* The run that begins at this instruction; NULL: none. */
const struct insn_run *insn_heat_at(const struct insn_heat *h, size_t insn);
/*
 * The samples of the instructions from @start to @end, at most. Adds to *shared the samples of runs that extend beyond
 * this range, which may be of other instructions.
 */
uint64_t insn_heat_sum(const struct insn_heat *h, size_t start, size_t end, uint64_t *shared);
