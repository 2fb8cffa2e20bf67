/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/runs/profile_prog.bpf.h"

SEC("fentry") int profile_entry(void *ctx)
{
	struct profile_cpu *c = this_cpu();

	(void)ctx;
	if (!c)
		return 0;
	c->by = current();
	if (counts_read(c->then))
		c->by = 0;
	return 0;
}
