/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/live.h"

#include "cli/env.h"
#include "cli/select.h"
#include "host/pace.h"
#include "host/proc.h"
#include "kernel/clock.h"
#include "own/own.h"
#include "record/field.h"
#include "source/facts.h"
#include "source/live/source.h"
#include "source/source.h"

_Static_assert(sizeof(((struct top *)0)->time) == PACE_TIME, "it holds a time");

/* Places are read again after so many rounds, or when programs came or went, but take at most this part of a CPU. */
#define ROUNDS 10
#define SHARE 200

void top_init(struct top *t, struct env *env)
{
	*t = (struct top){ .env = env, .seen = report_inner(env->report), .known = report_inner(env->report) };
	history_init(&t->history);
	rows_init(&t->rows);
	t->head.cpus = facts_cpus(env->machine);
	t->head.busy_percent = -1;
}

void top_release(struct top *t)
{
	report_merge(t->env->report, &t->seen);
	report_merge(t->env->report, &t->known);
	report_release(&t->seen);
	report_release(&t->known);
	history_release(&t->history);
	rows_release(&t->rows);
}

static void report_again(struct top *t, struct report *r)
{
	report_release(r);
	*r = report_inner(t->env->report);
}

/* The types of new programs are read through another machine, which keeps them only for this round. */
static int program_read(struct top *t, struct env *fresh, uint32_t id, struct stats_look *l, struct err *e)
{
	const bool is_new = !stats_find(&t->history.old, id);
	int err = is_new && !fresh->machine ? env_open(fresh, e) : 0;

	return err ? err : stats_read(is_new ? fresh : t->env, id, &t->history.old, l, e);
}

/* A program that goes meanwhile is not missing. */
static int programs_read(struct top *t, struct err *e)
{
	struct stats_look *l = history_begin(&t->history);
	static const struct object_ref all;
	ARENA a = arena_new();
	const uint32_t *ids;
	struct env fresh;
	size_t n;
	int err = select_objects(t->env, a, &kind_prog, &all, &ids, &n, e);

	env_init(&fresh, t->env->opts, &t->seen);
	for (size_t i = 0; !err && i < n; i++) {
		struct err why = { 0 };
		const int got = program_read(t, &fresh, ids[i], l, &why);

		if (got && got != -ENOENT)
			report_unread(&t->seen, &why);
	}
	if (fresh.machine)
		report_add_refused(&t->seen, fresh.machine);
	env_close(&fresh);
	return err;
}

static void maps_count(struct top *t)
{
	static const struct object_ref all;
	ARENA a = arena_new();
	struct err why = { 0 };
	const uint32_t *ids;

	t->head.has_maps = !select_objects(t->env, a, &kind_map, &all, &ids, &t->head.nr_maps, &why);
}

void top_head_busy(struct top *t, uint64_t busy_ns, uint64_t lapse_ns)
{
	const double percent = t->head.cpus ? (double)busy_ns * 100 / (double)lapse_ns / t->head.cpus : -1;

	/* It is counted in ticks. */
	t->head.busy_percent = percent > 100 ? 100 : percent;
}

static void machine_read(struct top *t, uint64_t lapse_ns)
{
	const uint64_t busy = proc_busy_ns(), was = t->busy_ns;

	t->busy_ns = busy;
	t->head.busy_percent = -1;
	if (was && busy >= was)
		top_head_busy(t, busy - was, lapse_ns);
	maps_count(t);
}

static bool is_time(const struct top *t, unsigned need)
{
	if (need & ~t->need)
		return true;
	if (t->rounds < ROUNDS && !t->history.came && !t->history.gone)
		return false;
	return clock_ns(CLOCK_MONOTONIC) - t->learnt_at > SHARE * t->learnt_ns;
}

int top_machine(const struct top *t, struct env *ret, struct report *r, struct err *e)
{
	int err;

	env_init(ret, t->env->opts, r);
	if (t->head.from) {
		env_use(ret, t->env->machine);
		ret->borrowed = true;
		return 0;
	}
	err = env_open(ret, e);
	if (!err && t->ours)
		own_add(source_live_own(ret->machine->src), t->ours);
	return err;
}

static void places_learn(struct top *t, unsigned need)
{
	struct err why = { 0 };
	struct env one;

	report_again(t, &t->known);
	if (top_machine(t, &one, &t->known, &why)) {
		report_unread(&t->known, &why);
	} else {
		history_learn(&t->history, &one, need);
		report_add_refused(&t->known, one.machine);
		t->need = need;
	}
	env_close(&one);
}

static void places_refresh(struct top *t)
{
	const unsigned need = (t->rows.view.need & (NEED_JOIN | NEED_OWNER)) | NEED_FDINFO;
	uint64_t from;

	t->rounds++;
	if (!is_time(t, need))
		return;
	from = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	places_learn(t, need);
	t->learnt_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - from;
	t->learnt_at = clock_ns(CLOCK_MONOTONIC);
	t->head.bytes = t->history.prog_bytes + t->history.map_bytes;
	t->head.has_bytes = t->history.has_bytes;
	t->rounds = 0;
}

int top_read(struct top *t, uint64_t lapse_ns, struct err *e)
{
	int err;

	report_again(t, &t->seen);
	err = programs_read(t, e);
	if (err)
		return err;
	machine_read(t, lapse_ns);
	t->head.lapse_ns = t->history.begun ? lapse_ns : 0;
	rows_update(&t->rows, &t->history, lapse_ns, pace_time(t->time));
	t->head.time = t->time;
	places_refresh(t);
	source_idle(t->env->machine->src);
	return 0;
}
