/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/capture_copy.bpf.h"

/*
 * Where a program gets its symbol, just before it is announced. Its functions get one, too, and have no id. Linux 5.10
 * lets nobody trace the file that perf_event_bpf_event() is in: neither fentry nor a kprobe (EINVAL).
 */
SEC("fentry/bpf_prog_kallsyms_add") int capture_symbol(const void *ctx)
{
	__u64 prog = 0;

	/* As capture_fentry.bpf.c. */
	bpf_probe_read_kernel(&prog, sizeof(prog), ctx);
	copy(prog, CAPTURE_LOADED);
	return 0;
}
