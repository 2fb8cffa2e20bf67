/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/file/perf_time.h"

#include <linux/perf_event.h>
#include <time.h>

#include "kernel/perf/data.h"
#include "source/lives.h"

static void pair_add(struct perf_time *t, uint64_t perf, uint64_t boot)
{
	ARRAY_MORE(t->pair, t->n, t->cap);
	t->pair[t->n++] = (struct perf_time_pair){ perf, boot };
}

void perf_time_prog(struct perf_time *t, const struct lives *lives, const struct sideband_record *r)
{
	const struct life *l = r->time ? lives_find(lives, r->prog.id) : NULL;
	int64_t later;

	if (!l)
		return;
	if (r->prog.event == PERF_BPF_EVENT_PROG_UNLOAD && l->gone_at)
		pair_add(t, r->time, l->gone_at);
	if (r->prog.event != PERF_BPF_EVENT_PROG_LOAD || !l->loaded)
		return;
	later = (int64_t)(r->time - l->loaded);
	t->load = t->nloads++ && t->load < later ? t->load : later;
}

static int by_perf(const void *pa, const void *pb)
{
	const struct perf_time_pair *a = pa, *b = pb;

	return NUM_CMP(a->perf, b->perf);
}

/*
 * Between two listeners the kernel may do something else for milliseconds. So a pair whose clocks are further apart
 * than those of the pairs around it is left out; clocks drift by less than a ten thousandth.
 */
#define NEAR 9
#define APART_NS 10000
#define DRIFT 10000
static bool is_outlier(const struct perf_time *t, size_t i)
{
	const size_t n = t->n < NEAR ? t->n : NEAR, from = i < NEAR / 2 ? 0 : i - NEAR / 2;
	const struct perf_time_pair *near = t->pair + (from + n > t->n ? t->n - n : from);
	const int64_t apart = (int64_t)(t->pair[i].perf - t->pair[i].boot);
	const uint64_t most = APART_NS + (near[n - 1].perf - near[0].perf) / DRIFT;
	size_t same = 0;

	for (size_t k = 0; k < n; k++) {
		const int64_t d = (int64_t)(near[k].perf - near[k].boot) - apart;

		same += (uint64_t)(d < 0 ? -d : d) <= most;
	}
	return same <= n / 2;
}

static void outliers_drop(struct perf_time *t)
{
	bool *drop = array_resize(NULL, t->n, sizeof(*drop));
	size_t kept = 0;

	for (size_t i = 0; i < t->n; i++)
		drop[i] = is_outlier(t, i);
	for (size_t i = 0; i < t->n; i++)
		if (!drop[i])
			t->pair[kept++] = t->pair[i];
	t->n = kept ? kept : t->n;
	free(drop);
}

int perf_time_settle(struct perf_time *t, const struct perf_data_head *h, const char *path, struct err *e)
{
	const bool boot = h->has_clock && h->clock == CLOCK_BOOTTIME;

	if (boot)
		t->n = 0;
	if (boot || t->n) {
		if (t->n)
			qsort(t->pair, t->n, sizeof(*t->pair), by_perf);
		outliers_drop(t);
		return 0;
	}
	if (h->has_clock && h->clock == CLOCK_MONOTONIC)
		return 0;
	if (t->nloads) {
		pair_add(t, (uint64_t)t->load, 0);
		return 0;
	}
	err_set(e, -ENODATA, "the times of %s cannot be compared with those of the recording", path);
	return err_hint(e, "`perf record -k CLOCK_MONOTONIC` takes a clock that can be compared");
}

int perf_time_compare(struct perf_time *t, const struct perf_data_head *h, const struct lives *lives, uint64_t first,
		      uint64_t last, const char *path, struct err *e)
{
	int err = perf_time_settle(t, h, path, e);

	if (err)
		return err;
	if (perf_time_boot(t, last) >= lives->from && (!lives->to || perf_time_boot(t, first) <= lives->to))
		return 0;
	return err_set(e, -ERANGE, "no sample of %s was taken during the recording", path);
}

static uint64_t between(uint64_t at, uint64_t from, uint64_t to, uint64_t ret_from, uint64_t ret_to)
{
	if (to == from)
		return at - from + ret_from;
	return ret_from + (uint64_t)(int64_t)((double)(int64_t)(at - from) * (double)(int64_t)(ret_to - ret_from) /
					      (double)(to - from));
}

uint64_t perf_time_boot(const struct perf_time *t, uint64_t perf)
{
	const size_t i = ARRAY_LOWER(t->n, k, t->pair[k].perf <= perf);
	const struct perf_time_pair *a, *b;

	if (!t->n)
		return perf;
	a = &t->pair[i ? i - 1 : 0];
	b = &t->pair[i < t->n ? i : i - 1];
	return between(perf, a->perf, b->perf, a->boot, b->boot);
}

uint64_t perf_time_perf(const struct perf_time *t, uint64_t boot)
{
	const size_t i = ARRAY_LOWER(t->n, k, t->pair[k].boot <= boot);
	const struct perf_time_pair *a, *b;
	uint64_t perf;

	if (!t->n)
		return boot;
	a = &t->pair[i ? i - 1 : 0];
	b = &t->pair[i < t->n ? i : i - 1];
	perf = between(boot, a->boot, b->boot, a->perf, b->perf);
	return boot < a->boot && perf > a->perf ? 0 : perf;
}

void perf_time_release(struct perf_time *t)
{
	free(t->pair);
	*t = (struct perf_time){ 0 };
}
