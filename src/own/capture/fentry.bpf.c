/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/capture/copy.bpf.h"

/* The kernel announces each program to perf here, however it is loaded. */
enum { LOAD = 1 }; /* enum perf_bpf_event_type */

SEC("fentry/perf_event_bpf_event") int capture_fentry(const void *ctx)
{
	__u64 arg[2] = { 0 };

	/* Not a plain load, which would give a pointer with a type. */
	bpf_probe_read_kernel(arg, sizeof(arg), ctx);
	if ((__u32)arg[1] == LOAD)
		copy(arg[0], CAPTURE_LOADED);
	return 0;
}
