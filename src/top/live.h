/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "render/report.h"
#include "top/screen.h"

/* What `top` shows, and how it is read of the running kernel, round by round; replay.h: of a recording. */
struct top {
	struct env *env;
	struct history history;
	struct rows rows;
	struct report seen, known; /* what could not be read in the last round, and when places were read last */
	struct screen_head head;
	char time[40]; /* PACE_TIME */
	uint64_t busy_ns;
	unsigned rounds;	       /* since places were read */
	uint64_t learnt_at, learnt_ns; /* when they were read (CLOCK_MONOTONIC), and the CPU time that it took */
	unsigned need;		       /* what was read then */
	const struct own *ours;	       /* what this command has loaded; NULL: nothing */
};
void top_init(struct top *t, struct env *env);
/* Adds what could not be read to the report of the command, and frees all. */
void top_release(struct top *t);
/*
 * Reads the counters of all programs and, if it is time or the wish needs more than was read, what changes rarely;
 * makes the records of the @lapse_ns since the last call. 0, or -errno with a message: programs cannot be listed.
 */
int top_read(struct top *t, uint64_t lapse_ns, struct err *e);
/*
 * Initializes @ret with a new machine, because the facts of one are read once: the running kernel, without what this
 * command has loaded, or the recording that is shown. 0, or -errno with a message; env_close() in any case.
 */
int top_machine(const struct top *t, struct env *ret, struct report *r, struct err *e);
/* Sets the share of all CPUs that were busy for @busy_ns in @lapse_ns. */
void top_head_busy(struct top *t, uint64_t busy_ns, uint64_t lapse_ns);
