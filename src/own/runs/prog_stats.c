/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/runs/prog_stats.h"

#include <linux/bpf.h>

#include "kernel/cpus.h"
#include "own/iter.h"
#include "own/own.h"

#include "own/runs/prog_stats.bpf.inc"
static const struct own_program program = OWN_PROGRAM(prog_stats);

int prog_stats_open(struct own *own)
{
	const struct own_map_wish each = { "bpflens.each", BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, 1, 0 };
	CLEAN_PTR uint32_t *number = NULL;
	const int n = cpus_possible(&number);
	CLEAN_FD map = -1;

	if (n <= 0)
		return n ? n : -ENOENT;
	if (number[n - 1] != (uint32_t)n - 1)
		return -ENOENT;
	map = own_map(own, &each);
	if (map < 0)
		return map;
	return own_iter_open(own, &program, (struct own_const[]){ { "cpus", (uint32_t)n }, { NULL, 0 } }, map, NULL);
}

int prog_stats_read(int link, struct str *ret)
{
	return iter_run(link, NULL, NULL, ret);
}
