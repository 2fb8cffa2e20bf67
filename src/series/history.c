/* SPDX-License-Identifier: BSD-2-Clause */
#include "series/history.h"

#include "record/field.h"

void history_ring_add(struct history_ring *r, struct history_point p)
{
	r->v[r->next] = p;
	r->next = (r->next + 1) % HISTORY_POINTS;
	r->n += r->n < HISTORY_POINTS;
}

void history_init(struct history *h)
{
	*h = (struct history){ .begun = false };
	stats_init(&h->old);
	stats_init(&h->now);
}

static void prog_free(struct history_prog *p)
{
	free(p->where);
	free(p->owner);
	free(p);
}

void history_clear(struct history *h)
{
	for (size_t i = 0; i < h->n; i++)
		prog_free(h->prog[i]);
	free(h->prog);
	stats_clear(&h->old);
	stats_clear(&h->now);
	*h = (struct history){ .old = h->old, .now = h->now };
}

void history_release(struct history *h)
{
	history_clear(h);
	stats_release(&h->old);
	stats_release(&h->now);
}

struct history_prog *history_find(const struct history *h, uint32_t id)
{
	const size_t i = ARRAY_LOWER(h->n, k, h->prog[k]->id < id);

	return i < h->n && h->prog[i]->id == id ? h->prog[i] : NULL;
}

struct stats_look *history_begin(struct history *h)
{
	const struct stats_look last = h->old;

	h->old = h->now;
	h->now = last;
	stats_clear(&h->now);
	return &h->now;
}

static struct history_prog *prog_new(const struct stats_seen *one)
{
	struct history_prog *p = array_resize(NULL, 1, sizeof(*p));

	*p = (struct history_prog){ .id = one->id, .load_time = one->load_time };
	return p;
}

/* The histories become those of the programs in the last read: others end. */
static void progs_match(struct history *h)
{
	struct history_prog **was = h->prog;
	const size_t nwas = h->n;
	size_t i = 0;

	h->prog = NULL;
	h->n = h->cap = 0;
	for (size_t k = 0; k < h->now.n; k++) {
		const struct stats_seen *one = &h->now.prog[k];

		while (i < nwas && was[i]->id < one->id)
			prog_free(was[i++]);
		if (i < nwas && was[i]->id == one->id && was[i]->load_time != one->load_time)
			prog_free(was[i++]);
		ARRAY_MORE(h->prog, h->n, h->cap);
		h->prog[h->n++] = i < nwas && was[i]->id == one->id ? was[i++] : prog_new(one);
	}
	while (i < nwas)
		prog_free(was[i++]);
	free(was);
}

static void points_add(struct history *h, const struct stats_rec *rec, size_t n)
{
	struct history_point all = { 0 };

	h->came = h->gone = 0;
	for (size_t i = 0; i < n; i++) {
		const struct history_point p = { (float)rec[i].cpu_percent, (float)rec[i].runs_per_sec };

		h->gone += rec[i].has_counts != AVAIL_YES;
		h->came += rec[i].change && rec[i].has_counts == AVAIL_YES;
		if (rec[i].has_counts != AVAIL_YES)
			continue;
		history_ring_add(&history_find(h, rec[i].id)->ring, p);
		all.cpu_percent += p.cpu_percent;
		all.runs_per_sec += p.runs_per_sec;
	}
	history_ring_add(&h->all, all);
	h->loads += h->came;
	h->unloads += h->gone;
}

size_t history_end(struct history *h, uint64_t lapse_ns, const char *time, struct arena *a, struct stats_rec **ret)
{
	size_t n = 0;

	progs_match(h);
	*ret = NULL;
	if (h->begun) {
		n = stats_between(&h->old, &h->now, lapse_ns, time, a, ret);
		points_add(h, *ret, n);
	}
	h->begun = true;
	return n;
}
