/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/stats.h"

#include "cli/env.h"
#include "render/report.h"
#include "source/counters.h"
#include "source/lives.h"

struct saved {
	const struct stats_span *span;
	const struct lives *lives;
	struct stats_look all; /* the programs that were asked for, with type and name */
	struct stats_look *old, *now;
	uint64_t old_ns;      /* when @old was; 0: not yet */
	struct counters last; /* the moment after it; its array is @room */
	struct counter *room;
	size_t cap;
	bool passed;
	stats_pass *pass;
	void *ctx;
};

/* What `prog stats` would have read at that moment. */
static void look_fill(const struct saved *s, const struct counters *c, struct stats_look *ret)
{
	size_t i = 0;

	stats_clear(ret);
	for (size_t k = 0; k < s->all.n; k++) {
		struct stats_seen one = s->all.prog[k];
		const struct life *life = s->lives ? lives_find(s->lives, one.id) : NULL;

		if (life && !life_was_at(life, c->boot_ns))
			continue;
		for (; i < c->n && c->v[i].id < one.id; i++)
			;
		one.run_cnt = one.run_time_ns = one.recursion_misses = 0;
		if (i < c->n && c->v[i].id == one.id) {
			one.run_cnt = c->v[i].run_cnt;
			one.run_time_ns = c->v[i].run_time_ns;
			one.recursion_misses = c->v[i].recursion_misses;
		}
		stats_add(ret, &one);
	}
}

static void last_keep(struct saved *s, const struct counters *c)
{
	if (c->n > s->cap) {
		s->room = array_resize(s->room, c->n, sizeof(*s->room));
		s->cap = c->n;
	}
	if (c->n)
		memcpy(s->room, c->v, c->n * sizeof(*s->room));
	s->last = *c;
	s->last.v = s->room;
}

static int interval_pass(struct saved *s)
{
	const struct stats_look before = *s->old;
	const uint64_t lapse = s->last.boot_ns - s->old_ns;
	int stop;

	look_fill(s, &s->last, s->now);
	stop = s->pass(s->ctx, lapse, s->last.boot_ns);
	*s->old = *s->now;
	*s->now = before;
	s->old_ns = s->last.boot_ns;
	s->passed = true;
	return stop;
}

static int moment_take(const struct counters *c, void *ctx, struct err *e)
{
	struct saved *s = ctx;

	if (!s->old_ns || c->boot_ns <= s->span->from_ns) {
		look_fill(s, c, s->old);
		s->old_ns = s->last.boot_ns = c->boot_ns;
		return 0;
	}
	if (c->boot_ns == s->old_ns)
		return 0;
	last_keep(s, c);
	return s->span->interval_ns && c->boot_ns - s->old_ns >= s->span->interval_ns ? interval_pass(s) : 0;
}

static void types_learn(struct saved *s, struct env *env, const uint32_t *ids, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct err why = { 0 };

		if (stats_read(env, ids[i], &s->all, &s->all, &why))
			report_unread(env->report, &why);
	}
}

int stats_saved(struct env *env, const uint32_t *ids, size_t n, const struct stats_span *span, struct stats_look *old,
		struct stats_look *now, stats_pass *pass, void *ctx, struct err *e)
{
	/* The moment before the first one asked for is needed, too. */
	const uint64_t before = span->from_ns > STATS_APART ? span->from_ns - STATS_APART : 0;
	struct saved s = {
		.span = span, .lives = facts_lives(env->machine), .old = old, .now = now, .pass = pass, .ctx = ctx
	};
	int err;

	stats_init(&s.all);
	types_learn(&s, env, ids, n);
	err = counters_each(env->machine, before, span->to_ns, moment_take, &s, e);
	if (!err && s.last.boot_ns > s.old_ns)
		err = interval_pass(&s);
	else if (!err && !s.passed)
		err = err_set(e, -ENOENT, "the recording does not have the counters of two moments%s",
			      span->to_ns == UINT64_MAX ? "" : " at that time");
	stats_release(&s.all);
	free(s.room);
	return err < 0 ? err : 0;
}
