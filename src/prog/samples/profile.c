/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/samples/profile.h"

#include <linux/perf_event.h>

#include "own/runs/profile.h"
#include "prog/prog.h"
#include "record/field.h"

#define CACHE_READ(unit, result) \
	PERF_TYPE_HW_CACHE, (PERF_COUNT_HW_CACHE_##unit | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
			     PERF_COUNT_HW_CACHE_RESULT_##result << 16)

enum { PER_NOTHING = METRICS, PER_RUN };
static const struct {
	uint32_t type;
	uint64_t config;
	unsigned per; /* enum metric, or one of those above */
	double of;    /* the ratio is to this many of them */
	const char *unit;
} metrics[METRICS] = {
	[METRIC_CYCLES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PER_NOTHING, 0, NULL },
	[METRIC_INSTRUCTIONS] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, METRIC_CYCLES, 1, "insns per cycle" },
	[METRIC_L1D_LOADS] = { CACHE_READ(L1D, ACCESS), PER_NOTHING, 0, NULL },
	[METRIC_LLC_MISSES] = { CACHE_READ(LL, MISS), METRIC_INSTRUCTIONS, 1e6, "LLC misses per million insns" },
	[METRIC_ITLB_MISSES] = { CACHE_READ(ITLB, MISS), METRIC_INSTRUCTIONS, 1e6, "itlb misses per million insns" },
	[METRIC_DTLB_MISSES] = { CACHE_READ(DTLB, MISS), METRIC_INSTRUCTIONS, 1e6, "dtlb misses per million insns" },
	[METRIC_CPU_CLOCK] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, PER_RUN, 1, "ns per run" },
	[METRIC_TASK_CLOCK] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, PER_RUN, 1, "ns per run" },
	[METRIC_PAGE_FAULTS] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, PER_RUN, 1, "faults per run" },
	[METRIC_CONTEXT_SWITCHES] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, PER_RUN, 1,
				      "switches per run" },
};

void metric_event(enum metric m, struct profile_event *ret)
{
	*ret = (struct profile_event){ .type = metrics[m].type, .config = metrics[m].config };
}

static double counted(unsigned per, const enum metric *chosen, const struct profile_event *events, size_t n,
		      uint64_t runs)
{
	if (per == PER_RUN)
		return (double)runs;
	for (size_t i = 0; i < n; i++)
		if (chosen[i] == (enum metric)per && !events[i].err)
			return (double)events[i].sum.value;
	return 0;
}

void metric_read(struct metric_rec *ret, const enum metric *chosen, const struct profile_event *events, size_t n,
		 size_t i, uint64_t runs, const char *name)
{
	const enum metric m = chosen[i];
	const double base = counted(metrics[m].per, chosen, events, n, runs);
	const struct profile_count *sum = &events[i].sum;

	*ret = (struct metric_rec){
		.metric = name,
		.run_cnt = runs,
		.value = sum->value,
		.enabled = sum->enabled,
		.running = sum->running,
		.has_counts = events[i].err ? AVAIL_UNKNOWN : AVAIL_YES,
		.has_derived = AVAIL_NO,
	};
	if (events[i].err || !(base > 0))
		return;
	ret->derived = (double)sum->value * metrics[m].of / base;
	ret->derived_unit = metrics[m].unit;
	ret->has_derived = AVAIL_YES;
}

#define DERIVED_WIDTH 41
static size_t derived_text(const void *rec, char *buf, size_t size)
{
	const struct metric_rec *r = rec;

	if (r->has_derived != AVAIL_YES)
		return str_snprintf(buf, size, "%*s", DERIVED_WIDTH, "");
	return str_snprintf(buf, size, "# %8.2f %-30s", r->derived, r->derived_unit);
}

/* The share of the time in which the metric was counted, if it was not counted all the time. */
static size_t running_text(const void *rec, char *buf, size_t size)
{
	const struct metric_rec *r = rec;

	if (r->has_counts == AVAIL_YES && r->running < r->enabled)
		return str_snprintf(buf, size, "(%4.2f%%)", (double)r->running * 100 / (double)r->enabled);
	return 0;
}

static const struct field fields[] = {
	FIELD(metric_rec, metric, "metric", "name of the metric", .plain = " %", .width = 20, .col = 1),
	FIELD_RUN_CNT(metric_rec, run_cnt, .flags = FIELD_NOPLAIN),
	FIELD_IF(metric_rec, value, has_counts, "value", "value, counted in the kernel", .plain = "%", .width = 18),
	FIELD_IF(metric_rec, enabled, has_counts, "enabled", "time in which counting was enabled", .unit = FU_NSEC,
		 .flags = FIELD_NOPLAIN),
	FIELD_IF(metric_rec, running, has_counts, "running", "time in which it was counted", .unit = FU_NSEC,
		 .plain = "%", .col = 3, .text = running_text),
	FIELD_IF(metric_rec, derived, has_derived, "derived", "ratio to another metric", .plain = "%", .col = 2,
		 .text = derived_text),
	FIELD_IF(metric_rec, derived_unit, has_derived, "derived_unit", "unit of the ratio", .flags = FIELD_NOPLAIN),
};
const struct schema schema_metric = SCHEMA("metric", metric_rec, fields);
