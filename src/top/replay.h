/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "top/live.h"

/* The moments of a recording, for which it has the counters that `top` would have read. */
struct replay {
	struct top *top; /* its env reads the recording */
	struct replay_moment {
		uint64_t boot_ns, busy_ns; /* as in struct counters */
	} * v;
	size_t n, cap;
	size_t at;	     /* the moment that is shown, from 1: the interval before it; below n */
	const uint32_t *ids; /* all programs of the recording, in env->keep */
	size_t nids;
	bool learnt; /* places were read */
};
/*
 * Finds the moments; the last one, or the last until @at_ns (since boot) if that is not 0, is the one to show. 0, or
 * -errno with a message; -ENOENT: the file has no counters, or those of one moment only.
 */
int replay_begin(struct replay *r, struct top *t, uint64_t at_ns, struct err *e);
void replay_end(struct replay *r);
/* Makes history, records and head those of that moment. 0 or -errno with a message. */
int replay_show(struct replay *r, struct err *e);
/* To the moment @ns nanoseconds later, or earlier; the next one for a smaller number. Stays within the recording. */
void replay_move(struct replay *r, int64_t ns);
/*
 * For each interval of at least @interval_ns, and the rest of the recording: makes the same of its end, and calls
 * @each, until that returns 1. 0 or -errno with a message.
 */
int replay_each(struct replay *r, uint64_t interval_ns, int (*each)(void *ctx), void *ctx, struct err *e);
