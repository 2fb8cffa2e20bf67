/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/top.h"

#include "cli/columns.h"
#include "cli/records.h"
#include "host/pace.h"
#include "record/field.h"
#include "top/interact.h"
#include "source/lives.h"
#include "top/replay.h"

#define INTERVAL_MAX (86400 * NSEC_PER_SEC) /* a recording does not change */

struct top_opts {
	struct arg_list words;
	const char *interval;
	uint32_t count;
	bool batch;
	struct records_opts records;
};

static const struct arg top_args[] = {
	ARG("--batch", ARG_FLAG, struct top_opts, batch, "print a table after each interval, without a screen",
	    .alias = "-b"),
	ARG("--count", ARG_U32, struct top_opts, count, "stop after N intervals", .alias = "-n", .metavar = "N",
	    .flags = ARG_NONZERO),
	ARG("--interval", ARG_STR, struct top_opts, interval, "seconds between two reads; 1 by default",
	    .metavar = "SECONDS"),
	RECORDS_COLUMNS(struct top_opts, records),
	RECORDS_SORT(struct top_opts, records),
	RECORDS_FILTER(struct top_opts, records),
	RECORDS_HEADINGS(struct top_opts, records),
	ARG("WORD", ARG_REST, struct top_opts, words,
	    "only programs that match: id or name, type, part of the place, or part of the owner", .metavar = "WORD"),
};

static void round_table(struct top *t, const struct top_opts *o)
{
	struct out *out = t->env->report->out;
	ARENA_SCOPE(t->env->arena);

	if (!o->records.noheadings)
		screen_head(&(const struct picture){ t->env, &t->history, &t->rows, t->head }, 0, false, out);
	records_table(t->env, &o->records, &top_schema, &t->rows.view, (const void *const *)t->rows.row, t->rows.n,
		      out);
}

static void round_print(struct top *t, const struct top_opts *o, struct render *r)
{
	rows_choose(&t->rows, false);
	if (r->ops == &render_plain || o->records.columns)
		rows_draw_history(&t->rows, 0, t->rows.n);
	if (r->ops == &render_plain)
		round_table(t, o);
	for (size_t i = 0; r->ops != &render_plain && i < t->rows.n; i++)
		render_record(r, t->rows.row[i]);
	out_flush(t->env->report->out);
}

struct printer {
	struct top *t;
	const struct top_opts *o;
	struct render r;
	uint32_t shown; /* intervals */
};

static void printer_begin(struct printer *p)
{
	env_render(p->t->env, &p->r);
	render_begin(&p->r);
	render_section(&p->r, &top_schema, &p->t->rows.view);
}

static bool is_batch(const struct top *t, const struct top_opts *o)
{
	return o->batch || t->env->opts->json;
}

/* After an interrupt the counters are read and printed once more. */
static int rounds(struct top *t, const struct top_opts *o, struct pace *pace, struct err *e)
{
	struct printer p = { .t = t, .o = o };
	bool on = true;
	int err = top_read(t, pace_lap(pace), e);

	printer_begin(&p);
	while (!err && on && !out_dead(t->env->report->out)) {
		on = pace_wait(pace);
		err = top_read(t, pace_lap(pace), e);
		if (!err)
			round_print(t, o, &p.r);
		on = on && ++p.shown != o->count;
	}
	report_render_end(t->env->report, &p.r);
	return err;
}

static int live_run(struct top *t, const struct top_opts *o, uint64_t interval, struct err *e)
{
	CLEAN_FD counting = -1;
	struct pace pace;
	int err;

	counting = counting_begin(t->env, e);
	if (counting < 0 && e->code)
		return e->code;
	err = pace_begin(&pace, interval);
	if (err)
		return err_sys(e, err, "cannot wait");
	err = is_batch(t, o) ? rounds(t, o, &pace, e) : interact(t, NULL, &pace, o->count, e);
	pace_end(&pace);
	return err;
}

static int moment_print(void *ctx)
{
	struct printer *p = ctx;

	round_print(p->t, p->o, &p->r);
	return ++p->shown == p->o->count || out_dead(p->t->env->report->out);
}

/* With --at, the interval that ends then. */
static int saved_print(struct replay *r, const struct top_opts *o, uint64_t interval, struct err *e)
{
	struct printer p = { .t = r->top, .o = o };
	int err;

	printer_begin(&p);
	if (r->top->env->opts->at) {
		err = replay_show(r, e);
		if (!err)
			moment_print(&p);
	} else {
		err = replay_each(r, interval, moment_print, &p, e);
	}
	report_render_end(r->top->env->report, &p.r);
	return err;
}

static int saved_show(struct replay *r, struct err *e)
{
	struct pace pace;
	int err = pace_begin(&pace, INTERVAL_MAX);

	if (err)
		return err_sys(e, err, "cannot wait");
	err = interact(r->top, r, &pace, 0, e);
	pace_end(&pace);
	return err;
}

static int saved_run(struct top *t, const struct top_opts *o, uint64_t interval, struct err *e)
{
	const uint64_t at = t->env->opts->at ? source_at_ns(t->env->machine->src) : 0;
	struct env *env = t->env, whole;
	struct replay r = { .top = t };
	int err = 0;

	/* Keys go on from that moment. */
	if (at)
		err = env_other(env, env->opts->from, &whole, e);
	if (!err && at)
		t->env = &whole;
	if (!err)
		err = replay_begin(&r, t, at, e);
	if (!err)
		err = is_batch(t, o) ? saved_print(&r, o, interval, e) : saved_show(&r, e);
	if (t->env == &whole)
		env_other_end(&whole);
	t->env = env;
	replay_end(&r);
	return err;
}

static int top_run(struct env *env, const void *opts, struct err *e)
{
	const struct top_opts *o = opts;
	const struct rows_wish wish = { o->records.columns, o->records.filter, o->records.sort, env->opts->json,
					o->words };
	uint64_t interval = NSEC_PER_SEC;
	struct top t;
	int err;

	if (o->records.list_columns)
		return columns_print(env, &top_schema, NULL, e);
	top_init(&t, env);
	err = rows_want(&t.rows, env, &wish, e);
	if (!err && o->interval)
		err = pace_parse(o->interval, &interval, e);
	if (!err)
		err = machine_is_saved(env->machine) ? saved_run(&t, o, interval, e) : live_run(&t, o, interval, e);
	top_release(&t);
	return err;
}

const struct command command_top = {
	.name = "top",
	.summary = "show what programs cost now, those that take most time first",
	.help = "The kernel counts the runs of all programs while this command runs, and stops when it ends, for "
		"whatever reason; kernel.bpf_stats_enabled does not change. After each interval the programs are shown "
		"on a screen, with the time that each took, its runs, and its last minute as a line; keys filter, sort, "
		"and show one program or the maps, and the last line names them. With --batch, or JSON, the same is "
		"printed after each interval: with --ndjson an object for each program on a line, at once.",
	.schema = &top_schema,
	.example = "top -b -n 1 --interval 0.2 -Q runs>0",
	ARGS(top_args, struct top_opts),
	.flags = CMD_READ | CMD_STREAM | CMD_OURS,
	.run = top_run,
};
