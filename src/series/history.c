/* SPDX-License-Identifier: BSD-2-Clause */
#include "series/history.h"

#include "record/field.h"

void history_ring_add(struct history_ring *r, struct history_point p)
{
	r->v[r->next] = p;
	r->next = (r->next + 1) % HISTORY_POINTS;
	r->n += r->n < HISTORY_POINTS;
}

void history_init(struct history *s)
{
	*s = (struct history){ .begun = false };
	stats_init(&s->old);
	stats_init(&s->now);
}

static void prog_free(struct history_prog *p)
{
	free(p->where);
	free(p->owner);
	free(p);
}

void history_release(struct history *s)
{
	for (size_t i = 0; i < s->n; i++)
		prog_free(s->prog[i]);
	free(s->prog);
	stats_release(&s->old);
	stats_release(&s->now);
	*s = (struct history){ .begun = false };
}

struct history_prog *history_find(const struct history *s, uint32_t id)
{
	const size_t i = ARRAY_LOWER(s->n, k, s->prog[k]->id < id);

	return i < s->n && s->prog[i]->id == id ? s->prog[i] : NULL;
}

struct stats_look *history_begin(struct history *s)
{
	const struct stats_look last = s->old;

	s->old = s->now;
	s->now = last;
	stats_clear(&s->now);
	return &s->now;
}

static struct history_prog *prog_new(const struct stats_seen *one)
{
	struct history_prog *p = array_resize(NULL, 1, sizeof(*p));

	*p = (struct history_prog){ .id = one->id, .load_time = one->load_time };
	return p;
}

/* The histories become those of the programs in the last read: others end. */
static void progs_match(struct history *s)
{
	struct history_prog **was = s->prog;
	const size_t nwas = s->n;
	size_t i = 0;

	s->prog = NULL;
	s->n = s->cap = 0;
	for (size_t k = 0; k < s->now.n; k++) {
		const struct stats_seen *one = &s->now.prog[k];

		while (i < nwas && was[i]->id < one->id)
			prog_free(was[i++]);
		if (i < nwas && was[i]->id == one->id && was[i]->load_time != one->load_time)
			prog_free(was[i++]);
		ARRAY_MORE(s->prog, s->n, s->cap);
		s->prog[s->n++] = i < nwas && was[i]->id == one->id ? was[i++] : prog_new(one);
	}
	while (i < nwas)
		prog_free(was[i++]);
	free(was);
}

static void points_add(struct history *s, const struct stats_rec *rec, size_t n)
{
	struct history_point all = { 0 };

	s->came = s->gone = 0;
	for (size_t i = 0; i < n; i++) {
		const struct history_point p = { (float)rec[i].cpu_percent, (float)rec[i].runs_per_sec };

		s->gone += rec[i].has_counts != AVAIL_YES;
		s->came += rec[i].change && rec[i].has_counts == AVAIL_YES;
		if (rec[i].has_counts != AVAIL_YES)
			continue;
		history_ring_add(&history_find(s, rec[i].id)->ring, p);
		all.cpu_percent += p.cpu_percent;
		all.runs_per_sec += p.runs_per_sec;
	}
	history_ring_add(&s->all, all);
	s->loads += s->came;
	s->unloads += s->gone;
}

size_t history_end(struct history *s, uint64_t lapse_ns, const char *time, struct arena *a, struct stats_rec **ret)
{
	size_t n = 0;

	progs_match(s);
	*ret = NULL;
	if (s->begun) {
		n = stats_between(&s->old, &s->now, lapse_ns, time, a, ret);
		points_add(s, *ret, n);
	}
	s->begun = true;
	return n;
}
