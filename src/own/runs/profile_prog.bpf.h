/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "own/runs/profile.bpf.h"
#include "own/bpf/program.bpf.h"

/* For profile_entry.bpf.c and profile_exit.bpf.c. */
const volatile __u32 nevents = 0;
GIVEN_MAP(events); /* a row of PROFILE_EVENTS slots for each CPU */
GIVEN_MAP(counts); /* struct profile_cpu */

static __always_inline struct profile_cpu *this_cpu(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&counts, &key);
}

/* The current task; plus 1, because the idle task is 0. */
static __always_inline __u64 current(void)
{
	return bpf_get_current_pid_tgid() + 1;
}

static __always_inline int counts_read(struct profile_count *ret)
{
	__u64 first = (__u64)bpf_get_smp_processor_id() * PROFILE_EVENTS;

	for (__u32 i = 0; i < PROFILE_EVENTS && i < nevents; i++)
		if (bpf_perf_event_read_value(&events, first + i, (void *)&ret[i], sizeof(ret[i])))
			return -1;
	return 0;
}
