/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

struct prog_stats { /* what prog_stats.bpf.c writes for each program */
	uint32_t id, nr_maps;
	uint64_t load_time;				 /* as in struct bpf_prog_info */
	uint64_t run_cnt, run_time_ns, recursion_misses; /* sums over all CPUs */
};
