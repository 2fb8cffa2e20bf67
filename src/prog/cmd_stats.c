/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/when.h"
#include "cli/columns.h"
#include "cli/command.h"
#include "cli/env.h"
#include "cli/interval.h"
#include "cli/records.h"
#include "cli/select.h"
#include "host/pace.h"
#include "prog/prog.h"
#include "prog/run_times.h"
#include "prog/stats.h"
#include "record/field.h"
#include "record/view.h"
#include "render/frame.h"
#include "render/render.h"
#include "source/counters.h"
#include "source/facts.h"
#include "source/lives.h"
#include "source/source.h"

struct stats_opts {
	struct object_ref prog;
	const char *interval;
	uint32_t count;
	bool histogram;
	struct records_opts records;
};

static const struct arg stats_args[] = {
	ARG(NULL, ARG_OBJECT, struct stats_opts, prog, "only these programs", .flags = ARG_POSITIONAL),
	INTERVAL_ARGS(struct stats_opts, "seconds between two reads; 1 by default", "stop after N intervals"),
	ARG("--histogram", ARG_FLAG, struct stats_opts, histogram,
	    "the distribution of the times of PROG's runs; without interval and --count one, until interrupted",
	    .rejects = "--columns --sort --filter --exit-status --noheadings --list-columns"),
	RECORDS_ARGS(struct stats_opts, records),
};

struct stats {
	struct env *env;
	const struct stats_opts *opts;
	struct view view;
	struct render render;
	struct frame frame;
	struct stats_look old, now;
	bool begun;	   /* a read was done */
	uint32_t shown;	   /* intervals */
	uint64_t lapse_ns; /* between the two reads */
};

static int programs_find(struct stats *s, struct arena *a, const uint32_t **ret, size_t *ret_n, struct err *e)
{
	struct err why = { 0 };
	int err = select_objects(s->env, a, &kind_prog, &s->opts->prog, ret, ret_n, &why);

	if (err == -ENOENT && s->begun) {
		*ret_n = 0;
		return 0;
	}
	if (err)
		*e = why;
	return err;
}

static int program_look(struct stats *s, uint32_t id, struct err *e)
{
	struct err why = { 0 };
	int err = stats_read(s->env, id, &s->old, &s->now, &why);

	if (err == -ENOENT && (s->begun || s->opts->prog.by != SEL_ID))
		return 0;
	if (err && s->opts->prog.by == SEL_ID)
		*e = why;
	else if (err)
		report_unread(s->env->report, &why);
	return e->code;
}

static int stats_round(struct stats *s, struct pace *pace, struct err *e)
{
	struct stats_look last = s->old;
	ARENA a = arena_new();
	const uint32_t *ids;
	size_t n = 0;
	int err;

	s->lapse_ns = pace_lap(pace);
	s->old = s->now;
	s->now = last;
	stats_clear(&s->now);
	err = programs_find(s, a, &ids, &n, e);
	for (size_t i = 0; !err && i < n; i++)
		err = program_look(s, ids[i], e);
	source_idle(s->env->machine->src);
	s->begun = true;
	return err;
}

struct stats_picture {
	const struct stats_rec **rec;
	size_t n, idle; /* idle: left out */
};

static void stats_head_print(const struct stats *s, const struct stats_picture *p, struct out *o)
{
	size_t came = 0, gone = 0;
	double cpu = 0;

	for (size_t i = 0; i < p->n; i++) {
		came += p->rec[i]->change && p->rec[i]->has_counts == AVAIL_YES;
		gone += p->rec[i]->has_counts != AVAIL_YES;
		cpu += p->rec[i]->cpu_percent;
	}
	if (p->n && p->rec[0]->time)
		out_fmt(o, "%.8s UTC  ", p->rec[0]->time + strlen("2026-11-21T"));
	out_fmt(o, "%zu program%s", p->n + p->idle - gone, plural(p->n + p->idle - gone));
	if (came)
		out_fmt(o, ", %zu new", came);
	if (gone)
		out_fmt(o, ", %zu gone", gone);
	if (p->idle)
		out_fmt(o, ", %zu idle", p->idle);
	out_fmt(o, " in %.2fs: %.2f%% of one CPU\n", (double)s->lapse_ns / NSEC_PER_SEC, cpu);
}

/* Draws head and table over the previous ones. */
static void stats_draw(struct stats *s, const struct stats_picture *p)
{
	struct out text;

	frame_text(&s->frame, &text);
	stats_head_print(s, p, &text);
	records_table(s->env, &s->opts->records, &schema_stats, &s->view, (const void **)p->rec, p->n, &text);
	frame_draw(&s->frame, &text);
}

/* On a terminal, unless the caller selects them, programs that do not run would only fill the screen. */
static bool is_idle(const struct stats *s, const struct stats_rec *r)
{
	return s->frame.out->tty && s->render.ops == &render_plain && !s->opts->prog.by && !s->opts->records.filter &&
	       r->has_counts == AVAIL_YES && !r->run_cnt && !r->change;
}

static void look_print(struct stats *s, const char *time)
{
	struct env *env = s->env;
	struct out *o = env->report->out;
	ARENA_SCOPE(env->arena);
	struct stats_picture p = { 0 };
	struct stats_rec *rec;
	const size_t n = stats_between(&s->old, &s->now, s->lapse_ns, time, env->arena, &rec);

	p.rec = arena_array(env->arena, n, sizeof(*p.rec));
	for (size_t i = 0; i < n; i++)
		if (is_idle(s, &rec[i]))
			p.idle++;
		else if (view_match(&s->view, &schema_stats, &rec[i]))
			p.rec[p.n++] = &rec[i];
	view_sort(&s->view, &schema_stats, (const void **)p.rec, p.n);
	if (s->render.ops != &render_plain) {
		for (size_t i = 0; i < p.n; i++)
			render_record(&s->render, p.rec[i]);
	} else if (o->tty && !machine_is_saved(env->machine)) {
		stats_draw(s, &p);
	} else {
		if (!s->opts->records.noheadings)
			stats_head_print(s, &p, o);
		records_table(env, &s->opts->records, &schema_stats, &s->view, (const void **)p.rec, p.n, o);
	}
	out_flush(o);
}

/* After an interrupt the counters are read and printed once more. */
static int looks(struct stats *s, struct pace *pace, struct err *e)
{
	char time[PACE_TIME];
	bool on = true;
	int err = stats_round(s, pace, e);

	while (!err && on && !out_dead(s->env->report->out)) {
		on = pace_wait(pace);
		err = stats_round(s, pace, e);
		if (!err)
			look_print(s, pace_time(time));
		/* The kernel does not reuse ids for a long time, so a program selected by id does not come back. */
		on = on && ++s->shown != s->opts->count && (s->now.n || s->opts->prog.by != SEL_ID);
	}
	return err;
}

static int live_print(struct stats *s, uint64_t interval, struct err *e)
{
	struct pace pace;
	int err = pace_begin(&pace, interval);

	err = err ? err_sys(e, err, "cannot wait") : looks(s, &pace, e);
	pace_end(&pace);
	return err;
}

static int saved_pass(void *ctx, uint64_t lapse_ns, uint64_t boot_ns)
{
	struct stats *s = ctx;
	const uint64_t boot = facts_boot_ns(s->env->machine), at = boot + boot_ns;
	char time[WHEN_TEXT];

	when_print(time, at / NSEC_PER_SEC, (uint32_t)(at % NSEC_PER_SEC), 3, true);
	s->lapse_ns = lapse_ns;
	look_print(s, boot ? time : NULL);
	return ++s->shown == s->opts->count || out_dead(s->env->report->out);
}

/* With --at, the interval that ends then, or with the last counters before. */
static int saved_print(struct stats *s, uint64_t interval, struct err *e)
{
	struct env *env = s->env;
	const uint64_t asked = env->opts->at ? source_at_ns(env->machine->src) : 0;
	const uint64_t end = asked ? counters_end(env->machine) : 0, at = end && end < asked ? end : asked;
	const struct stats_span span = {
		.from_ns = at > interval ? at - interval : 0,
		.to_ns = at ? at : UINT64_MAX,
		.interval_ns = s->opts->interval && !at ? interval : 0,
	};
	const uint32_t *ids;
	size_t n = 0;
	int err = programs_find(s, env->keep, &ids, &n, e);

	return err ? err : stats_saved(env, ids, n, &span, &s->old, &s->now, saved_pass, s, e);
}

static int histogram_run(struct env *env, const struct stats_opts *o, uint64_t interval, struct err *e)
{
	if (!o->prog.by)
		return err_usage(e, "--histogram is of one program: name it");
	if (machine_is_saved(env->machine))
		return err_usage(e, "--histogram needs the running kernel, and cannot be used with --from");
	return run_times_measure(env, &o->prog, o->interval || o->count ? interval : 0, o->count, e);
}

static int stats_run(struct env *env, const void *opts, struct err *e)
{
	const struct stats_opts *o = opts;
	const struct records_opts *r = &o->records;
	struct stats s = { .env = env, .opts = o, .frame.out = env->report->out };
	uint64_t interval = NSEC_PER_SEC;
	CLEAN_FD counting = -1;
	int err = o->interval ? pace_parse(o->interval, &interval, e) : 0;

	if (!err && o->histogram)
		return histogram_run(env, o, interval, e);
	if (!err && r->list_columns)
		return columns_print(env, &schema_stats, NULL, e);
	if (!err)
		err = columns_view(env, &s.view, &schema_stats, NULL, r->columns, r->filter,
				   r->sort ? r->sort : "-run_time_ns", e);
	if (!err && !machine_is_saved(env->machine))
		counting = counting_begin(env, e);
	if (err || e->code)
		return e->code;
	stats_init(&s.old);
	stats_init(&s.now);
	env_render(env, &s.render);
	render_begin(&s.render);
	render_section(&s.render, &schema_stats, &s.view);
	err = machine_is_saved(env->machine) ? saved_print(&s, interval, e) : live_print(&s, interval, e);
	report_render_end(env->report, &s.render);
	stats_release(&s.old);
	stats_release(&s.now);
	return err;
}

const struct command prog_stats = {
	.name = "stats",
	.summary = "show runs and run time of programs",
	.help = "The kernel counts the runs of all programs while this command runs, and stops when it ends, for "
		"whatever reason; kernel.bpf_stats_enabled does not change. After each interval, prints a line for "
		"each program with the counts of that interval, the program that took most time first. On a terminal "
		"the screen is updated, and programs that did not run are only counted, unless PROG or a filter selects them; JSON has an object for each program and interval, with --ndjson each on a "
		"line, at once. Runs of an unloaded program since its last read are not known. An interrupt ends the "
		"command with a last read and status 0.\nCounting takes some ten nanoseconds for each run.\nWith --from, the "
		"counters are those of a recording: all of it as one interval, or SECONDS each; with --at, the interval that ends then.\nWith "
		"--histogram, two programs are attached to the entry and exit of PROG (fentry, fexit), which needs BTF "
		"and machine code of the program, and keeps it loaded. They count its runs by their time, from which "
		"follow average, percentiles and maximum; as with bpftrace's hist(), each line is a power of two of "
		"nanoseconds. Runs that are nested, sleep or are preempted are timed, up to 16 at once on a CPU. "
		"Programs that PROG continues with by a tail call are part of its time, and a program that is only "
		"reached by tail calls has no runs.",
	.schema = &schema_stats,
	.parts = (const struct schema *const[]){ &schema_run_times, NULL },
	.example = "prog stats interval 0.2 --count 3 -Q run_cnt",
	ARGS(stats_args, struct stats_opts),
	.flags = CMD_READ | CMD_STREAM | CMD_OURS,
	.run = stats_run,
};
