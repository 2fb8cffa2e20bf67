/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/program.bpf.h"

GIVEN_MAP(events);

/* The slot is the first argument. Returns -ENOENT if it is empty. */
SEC("test_run") int events_find_taken(const __u64 *ctx)
{
	struct {
		__u64 counter, enabled, running;
	} value; /* struct bpf_perf_event_value */

	return bpf_perf_event_read_value(&events, ctx[0], (void *)&value, sizeof(value));
}
