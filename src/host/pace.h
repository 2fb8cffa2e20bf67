/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "host/stop.h"

/*
 * Repeats at regular times until the user interrupts. Between begin and end SIGINT, SIGTERM and SIGHUP end pace_wait()
 * and not the program, so that printing is completed.
 */
struct pace {
	struct stop stop;
	uint64_t interval, next, last; /* nanoseconds of CLOCK_MONOTONIC */
};
int pace_begin(struct pace *p, uint64_t interval_ns); /* 0 or -errno */
/* Wait until the next time. false: interrupted. If the work took longer than the interval, the next time is now. */
bool pace_wait(struct pace *p);
/* The same, also until @fd is readable, or a signal with a handler came: 0: the time has come; 1: not yet; -1:
 * interrupted. */
int pace_wait_for(struct pace *p, int fd);
/* Nanoseconds since the last call, or since pace_begin(); at least 1. */
uint64_t pace_lap(struct pace *p);
void pace_end(struct pace *p);
/* The clocks that programs store times of, in nanoseconds: since boot without and with sleep, and the time of day. */
#define PACE_CLOCKS 3
void pace_clocks(uint64_t ret[PACE_CLOCKS]);

/* Parse seconds from 0.01 to 86400, "1", "0.25", to nanoseconds. 0, or -EINVAL with a message. */
int pace_parse(const char *text, uint64_t *ret, struct err *e);
/* The time of day: "2026-11-21T09:30:00.123Z"; returns buf. */
#define PACE_TIME 40
char *pace_time(char buf[PACE_TIME]);
