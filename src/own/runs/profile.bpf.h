/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

/* What profile_entry.bpf.c, profile_exit.bpf.c and profile.c share. */
#define PROFILE_EVENTS 4

struct profile_count { /* struct bpf_perf_event_value */
	uint64_t value, enabled, running;
};
struct profile_cpu { /* the only element of a per-CPU array */
	uint64_t runs;
	uint64_t by;				   /* task whose run is in progress; 0: none */
	struct profile_count then[PROFILE_EVENTS]; /* counts when it began */
	struct profile_count sum[PROFILE_EVENTS];
};
