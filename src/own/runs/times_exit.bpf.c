/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/runs/times_prog.bpf.h"

/* Both programs are called with the address of the same arguments. */
SEC("fexit") int times_exit(void *ctx)
{
	__u64 ns = bpf_ktime_get_ns();
	struct times_cpu *c = this_cpu();
	__u32 slot;

	if (!c)
		return 0;
	for (__u32 i = 0; i < TIMES_OPEN; i++) {
		struct times_open *o = &c->open[i];

		if (o->run != (__u64)ctx)
			continue;
		ns -= o->since;
		o->run = 0;
		c->sum += ns;
		if (ns > c->most)
			c->most = ns;
		slot = times_slot(ns);
		if (slot < TIMES_SLOTS)
			c->count[slot]++;
		return 0;
	}
	c->lost++;
	return 0;
}
