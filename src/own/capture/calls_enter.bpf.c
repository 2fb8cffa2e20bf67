/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/program.bpf.h"

/* Note when a thread began its bpf(2). */
const volatile __u32 nr_bpf, nr_bpf_compat;
GIVEN_MAP(begun);

SEC("raw_tp/sys_enter") int calls_enter(const __u64 *ctx)
{
	const __u32 nr = ctx[1], tid = bpf_get_current_pid_tgid();
	__u64 now;

	/* The number may be one of the other table; calls_exit.bpf.c checks which. */
	if (nr != nr_bpf && nr != nr_bpf_compat)
		return 0;
	now = bpf_ktime_get_boot_ns();
	bpf_map_update_elem(&begun, &tid, &now, 0);
	return 0;
}
