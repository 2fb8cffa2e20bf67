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

int perf_time_settle(struct perf_time *t, const struct perf_data_head *h, const char *path, struct err *e)
{
	const bool boot = h->has_clock && h->clock == CLOCK_BOOTTIME;

	if (boot)
		t->n = 0;
	if (boot || t->n) {
		if (t->n)
			qsort(t->pair, t->n, sizeof(*t->pair), by_perf);
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

uint64_t perf_time_boot(const struct perf_time *t, uint64_t perf)
{
	const size_t i = ARRAY_LOWER(t->n, k, t->pair[k].perf <= perf);
	const struct perf_time_pair *a, *b;

	if (!t->n)
		return perf;
	a = &t->pair[i ? i - 1 : 0];
	b = &t->pair[i < t->n ? i : i - 1];
	if (a == b || b->perf == a->perf)
		return perf - a->perf + a->boot;
	return a->boot + (uint64_t)((double)(perf - a->perf) * (double)(int64_t)(b->boot - a->boot) /
				    (double)(b->perf - a->perf));
}

void perf_time_release(struct perf_time *t)
{
	free(t->pair);
	*t = (struct perf_time){ 0 };
}
