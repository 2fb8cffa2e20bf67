/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct profile_event;
struct schema;
/* Metrics that `prog profile` counts, and their records: bpftool's rows. */
enum metric {
	METRIC_CYCLES,
	METRIC_INSTRUCTIONS,
	METRIC_L1D_LOADS,
	METRIC_LLC_MISSES,
	METRIC_ITLB_MISSES,
	METRIC_DTLB_MISSES,
	METRIC_CPU_CLOCK,
	METRIC_TASK_CLOCK,
	METRIC_PAGE_FAULTS,
	METRIC_CONTEXT_SWITCHES,
	METRICS
};
void metric_event(enum metric m, struct profile_event *ret); /* the perf event of a metric */

struct metric_rec {
	const char *metric;
	uint64_t run_cnt, value, enabled, running;
	double derived;
	const char *derived_unit;
	uint8_t has_counts, has_derived; /* enum avail */
};
extern const struct schema schema_metric;
/*
 * Sets the record of the @i-th of @n metrics. @events are the counts of @metrics, in the order of the enum; @name is
 * the name of the metric. A ratio is derived if the other metric was also counted and is not 0.
 */
void metric_read(struct metric_rec *ret, const enum metric *metrics, const struct profile_event *events, size_t n,
		 size_t i, uint64_t runs, const char *name);
