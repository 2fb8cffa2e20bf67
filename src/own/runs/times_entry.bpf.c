/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/runs/times_prog.bpf.h"

/*
 * The end of a run may not be seen: the kernel skips our program where it would interrupt itself. What such a run left
 * behind is overwritten by one with the same address of arguments, or in its turn when all places are taken.
 */
SEC("fentry") int times_entry(void *ctx)
{
	struct times_cpu *c = this_cpu();
	__u64 at = 0;

	if (!c)
		return 0;
	while (at < TIMES_OPEN && c->open[at].run && c->open[at].run != (__u64)ctx)
		at++;
	if (at >= TIMES_OPEN)
		at = c->turn++ % TIMES_OPEN;
	c->open[at].run = (__u64)ctx;
	c->open[at].since = bpf_ktime_get_ns();
	return 0;
}
