/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "own/runs/attach.h"
#include "own/runs/times.bpf.h"

/*
 * Count the runs of one program by their time, in the kernel only: our programs at its entry and exit read the clock.
 * Everything ends when our descriptors are closed.
 */
struct times {
	struct runs_hooks hooks;
	int map; /* -1: none */
	uint32_t cpus;
	struct times_cpu *cpu; /* room for an element of the map */
};
#define TIMES __attribute__((cleanup(times_close))) struct times
#define TIMES_NONE \
	{ \
		.hooks = RUNS_HOOKS_NONE, .map = -1 \
	}
/* What was counted so far, on all CPUs. */
struct times_sum {
	uint64_t sum, most; /* nanoseconds: of all runs, of the longest */
	uint64_t lost;	    /* runs that were not timed: in progress at the beginning, or our programs did not run */
	uint64_t count[TIMES_SLOTS];
};
/* Count from now on. @cpus: possible CPUs. 0 or -errno, as own_load(). */
int times_attach(struct times *t, struct own *own, const struct own_target *at, uint32_t cpus);
int times_read(struct times *t, struct times_sum *ret); /* 0 or -errno */
void times_close(struct times *t);
/* The lowest time in a slot, nanoseconds; of TIMES_SLOTS: 0. */
uint64_t times_least(uint32_t slot);
