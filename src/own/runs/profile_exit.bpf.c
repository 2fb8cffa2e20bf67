/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/runs/profile_prog.bpf.h"

/*
 * A run is not counted if another run of the program interrupted it on its CPU, because its starting counts were
 * overwritten; nor if it was in progress when the counting began.
 */
SEC("fexit") int profile_exit(void *ctx)
{
	struct profile_count now[PROFILE_EVENTS] = { { 0 } };
	int failed = counts_read(now);
	struct profile_cpu *c = this_cpu();

	(void)ctx;
	if (failed || !c || c->by != current())
		return 0;
	c->by = 0;
	for (__u32 i = 0; i < PROFILE_EVENTS && i < nevents; i++) {
		c->sum[i].value += now[i].value - c->then[i].value;
		c->sum[i].enabled += now[i].enabled - c->then[i].enabled;
		c->sum[i].running += now[i].running - c->then[i].running;
	}
	c->runs++;
	return 0;
}
