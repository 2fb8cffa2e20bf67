/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "own/runs/attach.h"
#include "own/runs/profile.bpf.h"

/*
 * Count perf events during the runs of one program, in the kernel only: our programs at its beginning and end (fentry,
 * fexit) read the counters. Everything ends when our descriptors are closed.
 */
struct profile_event {
	uint32_t type; /* as in perf_event_attr */
	uint64_t config;
	int err;		  /* -errno: why it cannot be counted here; 0: it is counted */
	struct profile_count sum; /* sum over all CPUs */
};
struct profile {
	struct runs_hooks hooks;
	int events, counts; /* maps; -1: none */
	uint32_t cpus;
};
#define PROFILE __attribute__((cleanup(profile_close))) struct profile
#define PROFILE_NONE \
	{ \
		.hooks = RUNS_HOOKS_NONE, .events = -1, .counts = -1 \
	}
/*
 * Open @n <= PROFILE_EVENTS events on @cpus CPUs, some of which may be offline, and set err of each. 0: at least one is
 * counted; -ENODEV: none is; or another -errno.
 */
int profile_open(struct profile *p, struct own *own, struct profile_event *events, size_t n, uint32_t cpus);
/* Count from now on. 0 or -errno, as own_load(). */
int profile_attach(struct profile *p, struct own *own, const struct own_target *at, const struct profile_event *events,
		   size_t n);
/* Stop, and sum up the events and the counted runs. 0 or -errno. */
int profile_sum(struct profile *p, struct profile_event *events, size_t n, uint64_t *ret_runs);
void profile_close(struct profile *p);
