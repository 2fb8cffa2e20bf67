/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct err;
struct machine;
/*
 * Counters over time in a recording, which `record` writes every second: Q_COUNTERS 0, 1, ... are the moments, in
 * pieces as they came. The form is described at counters_put().
 */
struct counter { /* of one program, as the kernel counted at that moment: absolute values */
	uint32_t id;
	uint64_t run_cnt, run_time_ns, recursion_misses;
};
struct counters {		 /* one moment */
	uint64_t boot_ns;	 /* CLOCK_BOOTTIME */
	uint64_t busy_ns;	 /* CPU time that was not idle, of all CPUs, since boot; 0: not known */
	const struct counter *v; /* all programs that had run at least once, ascending by id */
	size_t n;
};
/*
 * Passes on all moments of the recording between @from_ns and @to_ns (0, UINT64_MAX: all), ascending; each call of
 * @each has values that live until it returns. Pieces that are damaged or refused are noted, and those that depend on
 * them left out. Returns 0; -ENOENT: there are no counters in the file (a hint says how to record them); another
 * -errno: they are refused; or what @each returned, if it is not 0.
 */
int counters_each(struct machine *m, uint64_t from_ns, uint64_t to_ns,
		  int (*each)(const struct counters *c, void *ctx, struct err *e), void *ctx, struct err *e);

/* The time of the last moment; 0: there is none, or it cannot be read, which is not noted. */
uint64_t counters_end(struct machine *m);

#define COUNTERS_WHOLE 64	  /* each such piece, from the first on, is whole: reading can begin there */
#define COUNTERS_PROGS (1u << 20) /* in a moment; a file with more is damaged */
/*
 * Appends a moment as numbers of 7 bits a byte, the least significant first, and bit 7 set if more follow: time since
 * boot and CPU time, both in nanoseconds; 2 * N, plus 1 if it is whole; and N times the increments, since the moment
 * before, of id (since the previous program), runs, run time and recursion misses. @old is the moment before, NULL:
 * this one is whole, and its increments are since 0. Programs that did not run are left out; three increments of 0 say
 * that the program has gone. A counter in @now is not less than that in @old.
 */
void counters_put(struct str *ret, const struct counters *old, const struct counters *now);
