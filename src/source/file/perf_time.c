/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/file/perf_time.h"

#include <time.h>

#include "kernel/perf/data.h"
#include "source/lives.h"

static void pair_add(struct perf_time *t, uint64_t perf, uint64_t boot)
{
	ARRAY_MORE(t->pair, t->n, t->cap);
	t->pair[t->n++] = (struct perf_time_pair){ perf, boot };
}

static void prog_take(struct perf_time *t, const struct lives *lives, const struct code_seen *c)
{
	const struct life *l = lives_find(lives, c->prog);
	int64_t later;

	if (!l || (c->gone ? !l->gone_at : !l->loaded))
		return;
	if (c->gone) {
		pair_add(t, c->time, l->gone_at);
		return;
	}
	later = (int64_t)(c->time - l->loaded);
	t->load = t->nloads++ && t->load < later ? t->load : later;
}

static int by_perf(const void *pa, const void *pb)
{
	const struct perf_time_pair *a = pa, *b = pb;

	return NUM_CMP(a->perf, b->perf);
}

/*
 * Between two listeners the kernel may do something else for milliseconds. So of the pairs around each, those whose
 * clocks are as far apart as those of most others are right; clocks drift by less than a ten thousandth.
 */
#define NEAR 9
#define APART_NS 10000
#define DRIFT 10000
static size_t near_first(const struct perf_time *t, size_t i)
{
	const size_t from = i < NEAR / 2 ? 0 : i - NEAR / 2;

	return t->n < NEAR ? 0 : from + NEAR > t->n ? t->n - NEAR : from;
}

/* How many are like it. */
static unsigned same_count(const struct perf_time *t, size_t i)
{
	const size_t n = t->n < NEAR ? t->n : NEAR;
	const struct perf_time_pair *near = t->pair + near_first(t, i);
	const int64_t apart = (int64_t)(t->pair[i].perf - t->pair[i].boot);
	const uint64_t most = APART_NS + (near[n - 1].perf - near[0].perf) / DRIFT;
	unsigned same = 0;

	for (size_t k = 0; k < n; k++) {
		const int64_t d = (int64_t)(near[k].perf - near[k].boot) - apart;

		same += (uint64_t)(d < 0 ? -d : d) <= most;
	}
	return same;
}

static void outliers_drop(struct perf_time *t)
{
	unsigned *same = array_resize(NULL, t->n, sizeof(*same));
	size_t kept = 0;

	for (size_t i = 0; i < t->n; i++)
		same[i] = same_count(t, i);
	for (size_t i = 0; i < t->n; i++) {
		const size_t from = near_first(t, i);
		unsigned best = 0;

		for (size_t k = from; k < t->n && k < from + NEAR; k++)
			best = same[k] > best ? same[k] : best;
		if (2 * same[i] > best)
			t->pair[kept++] = t->pair[i];
	}
	t->n = kept;
	free(same);
}

int perf_time_settle(struct perf_time *t, const struct perf_data_head *h, const struct lives *lives, struct arena *a,
		     const char *path, struct err *e)
{
	codes_seen_settle(&t->seen, a);
	if (h->has_clock && h->clock == CLOCK_BOOTTIME)
		return 0;
	for (size_t i = 0; i < t->seen.n; i++)
		if (t->seen.v[i].what == SEEN_PROG && t->seen.v[i].time)
			prog_take(t, lives, &t->seen.v[i]);
	if (t->n) {
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
		      uint64_t last, struct arena *a, const char *path, struct err *e)
{
	int err = perf_time_settle(t, h, lives, a, path, e);

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
	codes_seen_release(&t->seen);
	*t = (struct perf_time){ 0 };
}
