/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters of basic blocks, as `gen object --coverage` adds them: COUNTS(N) at the beginning of each. */
#pragma once

__u64 coverage[16] SEC(".data.coverage");

#define COUNTS(i) \
	asm volatile("r1 = %0 ll\n r2 = 1\n lock *(u64 *)(r1 + %1) += r2" \
		     : \
		     : "i"(coverage), "i"(8 * (i)) \
		     : "r1", "r2", "memory")
