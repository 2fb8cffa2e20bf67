/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_PACE_H
#define HOST_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "host/stop.h"

struct err;
/*
 * Looks at regular times, until the user has seen enough. Between begin and end SIGINT, SIGTERM and SIGHUP wait for
 * pace_wait(), so that what is being printed is finished; they do not end the program.
 */
struct pace {
	struct stop stop;
	uint64_t interval, next, last; /* nanoseconds of CLOCK_MONOTONIC */
};
int pace_begin(struct pace *p, uint64_t interval_ns); /* 0 or -errno */
/* Until the next look is due. false: interrupted. A look that took longer than the interval is followed by the next at
 * once. */
bool pace_wait(struct pace *p);
/* Nanoseconds since it was called before, or since the beginning; at least 1. */
uint64_t pace_lap(struct pace *p);
void pace_end(struct pace *p);
/* The clocks that programs note times with, in nanoseconds: since boot without sleep, with it, and the time of day. */
#define PACE_CLOCKS 3
void pace_clocks(uint64_t ret[PACE_CLOCKS]);

/* "1", "0.25": seconds, 0.01 to 86400, to nanoseconds. */
int pace_parse(const char *text, uint64_t *ret, struct err *e);
/* The time of day: "2026-11-21T09:30:00.123Z"; returns buf. */
#define PACE_TIME 32
char *pace_time(char *buf, size_t size);
/* The same of so many nanoseconds since the epoch, to the microsecond. */
char *pace_moment(uint64_t ns, char *buf, size_t size);

#endif
