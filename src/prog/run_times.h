/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "render/histogram.h"

struct env;
struct object_ref;
struct schema;
struct times_sum;
/* The distribution of the times of a program's runs: `prog stats --histogram`. */
struct run_times_rec {
	const char *time, *type, *name; /* name NULL: none */
	uint64_t lapse_ns, run_cnt, run_avg_ns, p50_ns, p99_ns, max_ns, untimed;
	struct histogram_rows rows;
	uint32_t id;
	uint8_t has_times; /* enum avail: NO without runs */
};
extern const struct schema schema_run_times;
/*
 * Sets counts and times of the runs between two reads, and their histogram in powers of two, in the arena. Percentiles
 * are the middle of a slot of own/runs/times.h, thus within 1/32 of the time. The maximum is exact if it is the longest
 * run of all so far; else it is the upper limit of its slot.
 */
void run_times_set(struct run_times_rec *ret, const struct times_sum *old, const struct times_sum *now,
		   struct histogram *ret_g, struct arena *a);
/*
 * Measures one program until the user interrupts, and prints a record after each @interval nanoseconds, @count times;
 * @interval 0: one, at the end; @count 0: no limit. 0 or -errno with a sentence.
 */
int run_times_measure(struct env *env, const struct object_ref *prog, uint64_t interval, uint32_t count, struct err *e);
