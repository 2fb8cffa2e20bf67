/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/capture/copy.bpf.h"

/* As capture_fentry.bpf.c. */
OFFSET(pt_regs, di) __weak; /* x86 */
OFFSET(pt_regs, si) __weak;
OFFSET(pt_regs, regs) __weak; /* arm64 */
enum { LOAD = 1 };

SEC("kprobe/perf_event_bpf_event") int capture_kprobe(const void *regs)
{
	__u64 arg[2] = { 0 };

	if (at__pt_regs__di >= 0) {
		PROBE(arg[0], regs, pt_regs, di);
		PROBE(arg[1], regs, pt_regs, si);
	} else if (at__pt_regs__regs >= 0) {
		PROBE(arg, regs, pt_regs, regs);
	}
	if ((__u32)arg[1] == LOAD)
		copy(arg[0], CAPTURE_LOADED);
	return 0;
}
