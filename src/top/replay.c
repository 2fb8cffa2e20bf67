/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/replay.h"

#include "base/when.h"
#include "cli/env.h"
#include "cli/select.h"
#include "record/field.h"
#include "source/counters.h"
#include "source/facts.h"

_Static_assert(sizeof(((struct top *)0)->time) >= WHEN_TEXT, "it holds a time");

/* Moments are about a second apart: each ends an interval. */
#define INTERVAL (NSEC_PER_SEC / 100)

static int moment_add(const struct counters *c, void *ctx, struct err *e)
{
	struct replay *r = ctx;

	if (r->n && c->boot_ns <= r->v[r->n - 1].boot_ns)
		return 0;
	ARRAY_MORE(r->v, r->n, r->cap);
	r->v[r->n++] = (struct replay_moment){ c->boot_ns, c->busy_ns };
	return 0;
}

int replay_begin(struct replay *r, struct top *t, uint64_t at_ns, struct err *e)
{
	int err;

	*r = (struct replay){ .top = t };
	t->head.from = t->env->opts->from;
	err = counters_each(t->env->machine, 0, UINT64_MAX, moment_add, r, e);
	if (!err && r->n < 2)
		err = err_set(e, -ENOENT, "the recording does not have the counters of two moments");
	if (!err)
		err = select_all(t->env, &kind_prog, &r->ids, &r->nids, e);
	if (err)
		return err;
	r->at = at_ns ? ARRAY_LOWER(r->n, i, r->v[i].boot_ns <= at_ns) : r->n;
	r->at = r->at < 2 ? 1 : r->at - 1;
	return 0;
}

void replay_end(struct replay *r)
{
	free(r->v);
	*r = (struct replay){ .top = NULL };
}

static void head_set(struct replay *r, uint64_t lapse_ns, uint64_t boot_ns)
{
	struct top *t = r->top;
	const uint64_t boot = facts_boot_ns(t->env->machine), at = boot + boot_ns;
	const size_t i = ARRAY_LOWER(r->n, k, r->v[k].boot_ns < boot_ns);

	when_print(t->time, at / NSEC_PER_SEC, (uint32_t)(at % NSEC_PER_SEC), 3, true);
	t->head.lapse_ns = lapse_ns;
	t->head.moment_ns = boot_ns;
	t->head.time = boot ? t->time : NULL;
	t->head.busy_percent = -1;
	if (i && i < r->n && r->v[i - 1].busy_ns && r->v[i].busy_ns >= r->v[i - 1].busy_ns)
		top_head_busy(t, r->v[i].busy_ns - r->v[i - 1].busy_ns, r->v[i].boot_ns - r->v[i - 1].boot_ns);
}

static int moment_pass(void *ctx, uint64_t lapse_ns, uint64_t boot_ns)
{
	struct replay *r = ctx;
	struct top *t = r->top;

	/* The start of the interval is that of the first one, too. */
	t->history.begun = true;
	head_set(r, lapse_ns, boot_ns);
	rows_update(&t->rows, &t->history, lapse_ns, t->head.time);
	return 0;
}

/* Places and owners are those of the end of the recording. What is missing is reported once, not at each moment. */
static void places_learn(struct replay *r)
{
	struct top *t = r->top;
	struct report again = report_inner(t->env->report);
	struct env one = *t->env;

	if (r->learnt)
		one.report = &again;
	history_learn(&t->history, &one, t->rows.view.need & (NEED_JOIN | NEED_OWNER | NEED_FDINFO));
	memcpy(t->env->memo, one.memo, sizeof(one.memo));
	r->learnt = true;
	report_release(&again);
}

int replay_show(struct replay *r, struct err *e)
{
	struct history *h = &r->top->history;
	const size_t from = r->at > HISTORY_POINTS ? r->at - HISTORY_POINTS : 0;
	const struct stats_span span = { r->v[from].boot_ns, r->v[r->at].boot_ns, INTERVAL };
	int err;

	history_clear(h);
	err = stats_saved(r->top->env, r->ids, r->nids, &span, &h->old, &h->now, moment_pass, r, e);
	if (!err)
		places_learn(r);
	return err;
}

void replay_move(struct replay *r, int64_t ns)
{
	const uint64_t now = r->v[r->at].boot_ns;
	const uint64_t to = ns > 0 ? now + (uint64_t)ns : now > (uint64_t)-ns ? now - (uint64_t)-ns : 0;
	size_t at = ARRAY_LOWER(r->n, i, r->v[i].boot_ns < to);

	if (at == r->at)
		at = ns > 0 ? at + 1 : at - 1;
	r->at = at < 1 ? 1 : at < r->n ? at : r->n - 1;
}

struct each {
	struct replay *r;
	int (*each)(void *ctx);
	void *ctx;
};

static int each_pass(void *ctx, uint64_t lapse_ns, uint64_t boot_ns)
{
	struct each *x = ctx;

	moment_pass(x->r, lapse_ns, boot_ns);
	places_learn(x->r);
	return x->each(x->ctx);
}

int replay_each(struct replay *r, uint64_t interval_ns, int (*each)(void *ctx), void *ctx, struct err *e)
{
	struct top *t = r->top;
	struct each x = { r, each, ctx };
	const struct stats_span span = { 0, UINT64_MAX, interval_ns };

	return stats_saved(t->env, r->ids, r->nids, &span, &t->history.old, &t->history.now, each_pass, &x, e);
}
