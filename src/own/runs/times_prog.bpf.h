/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "own/runs/times.bpf.h"
#include "own/bpf/program.bpf.h"

/* For times_entry.bpf.c and times_exit.bpf.c. */
GIVEN_MAP(times); /* struct times_cpu */

static __always_inline struct times_cpu *this_cpu(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&times, &key);
}
