/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in verified_lines.c. */

#include "load/load.h"

/*
 * What the verifier says about one program: the statistics at the end of its log (kernel/bpf/verifier.c,
 * print_verification_stats(), since 5.2), and with the log of level 2 what it did at each instruction.
 */
enum { VERIFIER_STATS = 4, VERIFIER_EACH = 2 | VERIFIER_STATS }; /* load_request.log_level */

struct verifier_stats {
	uint64_t insns, insns_most; /* processed, repetitions included; the kernel's limit */
	uint64_t per_insn;	    /* most states at one instruction */
	uint64_t states, peak_states;
	uint64_t nsec;
	const uint32_t *stacks; /* bytes of stack of each function of the program, in the order of its code */
	uint32_t nstacks;
	uint8_t has, has_nsec; /* enum avail; 0: the log has no statistics: the verifier was not asked */
};
void verifier_stats_read(struct verifier_stats *ret, const char *log, struct arena *a);

/* The functions of a program, ascending by their first instruction. */
struct verified_funcs {
	const struct verified_func {
		size_t start;
		const char *name;
	} * v;
	uint32_t n;
};
/* Those of the only program of @l, after load_load(), whether it was accepted or not; none if they are not known. */
void verified_funcs_find(const struct load *l, struct arena *a, struct verified_funcs *ret);

/* A line of source, and how often the verifier processed instructions of it; or a function, without a line. */
struct verified_line {
	const char *func;	 /* NULL: unknown */
	const char *source, *at; /* NULL: unknown; "FILE:LINE" since 6.8 */
	uint64_t insns;
	double share; /* of all, percent, to a tenth, rounded down */
};
struct verified_lines {
	const struct verified_line *lines, *funcs;
	uint32_t nlines, nfuncs;
};
/* Lines and functions of a log of VERIFIER_EACH, the most expensive first. Returns the sum of insns: less than in the
 * statistics if the log is not complete. */
uint64_t verified_lines_read(const char *log, const struct verified_funcs *funcs, struct arena *a,
			     struct verified_lines *ret);

/*
 * Bytes of stack of the deepest chain of calls in a program that was loaded; a callback counts as called where its
 * address is taken. False: @s is not about its functions, because the verifier removed some.
 */
bool verified_chain(const struct bpf_program *p, const struct verifier_stats *s, uint32_t *ret);
