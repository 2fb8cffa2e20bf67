/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_PROFILE_BPF_H
#define OWN_PROFILE_BPF_H

#include <stdint.h>

/* What profile_entry.bpf.c, profile_exit.bpf.c and profile.c tell each other. */
#define PROFILE_EVENTS 4

struct profile_count { /* struct bpf_perf_event_value */
	uint64_t value, enabled, running;
};
struct profile_cpu { /* the only element of an array, for each CPU */
	uint64_t runs;
	uint64_t by;				   /* whose run is under way; 0: none is */
	struct profile_count then[PROFILE_EVENTS]; /* when it began */
	struct profile_count sum[PROFILE_EVENTS];
};

#endif
