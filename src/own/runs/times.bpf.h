/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

/*
 * What times_entry.bpf.c, times_exit.bpf.c and times.c share: counts of runs by their time. A slot is a sixteenth of a
 * power of two of nanoseconds, or one nanosecond below 16.
 */
#define TIMES_PART 16
#define TIMES_SLOTS 976
#define TIMES_OPEN 16 /* runs in progress on a CPU at once: nested, preempted or asleep */

struct times_open {
	uint64_t run; /* address of its arguments, which no other run in progress has; 0: free */
	uint64_t since;
};
struct times_cpu {	    /* the only element of a per-CPU array */
	uint64_t sum, most; /* of all counted runs, nanoseconds */
	uint64_t lost;	    /* ends of runs whose beginning was not seen, or overwritten */
	uint64_t turn;	    /* how often all places were taken */
	struct times_open open[TIMES_OPEN];
	uint64_t count[TIMES_SLOTS];
};

/* The slot of a time, which is less than TIMES_SLOTS. */
static inline uint32_t times_slot(uint64_t ns)
{
	uint32_t shift = 0;

	for (uint32_t step = 32; step; step /= 2) {
		if (ns >> step < TIMES_PART)
			continue;
		ns >>= step;
		shift += step;
	}
	return shift * TIMES_PART + (uint32_t)ns;
}
