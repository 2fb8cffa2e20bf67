/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <time.h>

#include "base/base.h"

/*
 * The time of one of the kernel's own clocks (CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME) in nanoseconds. Cannot
 * fail.
 */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}
