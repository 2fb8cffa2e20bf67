/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_CLOCK_H
#define KERNEL_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "base/num.h"

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

#endif
