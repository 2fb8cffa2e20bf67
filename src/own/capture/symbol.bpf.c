/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/capture/copy.bpf.h"

/*
 * A program gets its symbol here, just before it is announced. So do its functions, which have no id. Linux 5.10 does
 * not allow tracing the file of perf_event_bpf_event(), neither by fentry nor by a kprobe (EINVAL).
 */
SEC("fentry/bpf_prog_kallsyms_add") int capture_symbol(const void *ctx)
{
	__u64 prog = 0;

	/* As capture_fentry.bpf.c. */
	bpf_probe_read_kernel(&prog, sizeof(prog), ctx);
	copy(prog, CAPTURE_LOADED);
	return 0;
}
