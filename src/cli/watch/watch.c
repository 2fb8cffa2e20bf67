/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/watch/watch.h"

#include "record/field.h"
#include "render/text.h"
#include "source/source.h"

struct list_watch {
	struct env *env; /* of the command line */
	const struct command *command;
	const void *opts; /* of the command */
	struct watch_reading reading[2];
	uint32_t n; /* readings before this one */
	uint64_t lap;
	bool text;  /* drawn on a terminal; else items */
	bool begun; /* the items */
	struct items items;
	struct jsonw line; /* of the items, if the user did not ask for JSON */
	struct frame frame;
	struct out table; /* text: of this reading */
	size_t listed, fresh, gone, changed;
};

static struct watch_reading *reading_now(struct list_watch *w)
{
	return &w->reading[w->n & 1];
}

static const struct records_opts *records_of(const struct command *c, const void *opts)
{
	return (const void *)((const char *)opts + c->records);
}

int watch_check(const struct env *env, const struct command *c, const void *opts, struct err *e)
{
	const struct records_opts *o = records_of(c, opts);
	uint64_t interval;

	if (o->count && !o->watch)
		return err_usage(e, "'--count' needs '--watch'");
	if (o->watch && env->opts->from) {
		err_usage(e, "'--watch' needs the running kernel: it cannot be used with --from");
		return err_hint(e, "omit --from, and unset BPFLENS_FROM");
	}
	return o->watch && *o->watch ? pace_parse(o->watch, &interval, e) : 0;
}

int watch_excuse(const struct env *env, struct err *e)
{
	if (e->code == -ENOENT && env->watch && env->watch->n)
		err_clear(e);
	return e->code;
}

/* In JSON, what there was at the start is listed, and then only changes. */
static void items_choose(struct list_watch *w, struct listing *l, const struct watch_marks *m)
{
	if (!w->begun)
		items_begin(&w->items, w->env->report, true);
	w->begun = true;
	l->render.single = true;
	l->nheld = 0;
	for (size_t i = 0; i < m->n; i++)
		if (!w->n || watch_change(l->schema, m->shown[i]))
			l->held[l->nheld++] = m->shown[i];
}

/* A list that is longer than the screen begins with what is marked. */
static void watched_rows_choose(struct list_watch *w, struct listing *l, const struct watch_marks *m)
{
	const bool marked_first = m->n + 2 > out_rows(w->frame.out);

	l->render.out = &w->table;
	l->nheld = 0;
	for (int rest = !marked_first; rest < 2; rest++)
		for (size_t i = 0; i < m->n; i++)
			if (!marked_first || (watch_change(l->schema, m->shown[i]) == WATCH_SAME) == rest)
				l->held[l->nheld++] = m->shown[i];
}

void watch_take(struct env *env, struct listing *l)
{
	struct list_watch *w = env->watch;
	struct watch_reading *now = reading_now(w), *before = &w->reading[!(w->n & 1)];
	struct watch_marks m;
	char time[PACE_TIME];

	now->rec = l->held;
	now->n = l->nheld;
	if (w->n)
		m = watch_mark(env->keep, l, before, now, pace_time(time));
	else
		m = (struct watch_marks){ .shown = now->rec, .n = now->n };
	w->listed = now->n;
	w->fresh = m.fresh;
	w->changed = m.changed;
	w->gone = m.n - now->n;
	l->held = arena_array(env->keep, m.n, sizeof(*l->held));
	if (w->text)
		watched_rows_choose(w, l, &m);
	else
		items_choose(w, l, &m);
}

static void head_print(const struct list_watch *w, struct out *o, size_t below)
{
	const struct watch_reading *r = &w->reading[w->n & 1];
	const struct env *env = w->env;
	const char *missing = report_is_partial(&r->report) ? ", not all could be read" : "";
	char time[PACE_TIME];

	out_fmt(o, "%.8s UTC  %s", pace_time(time) + strlen("2026-11-21T"), env->group->name);
	if (env->group->alone != env->command)
		out_fmt(o, " %s", env->command->name);
	out_fmt(o, ": %zu", w->listed);
	if (w->fresh)
		out_fmt(o, ", %zu new", w->fresh);
	if (w->gone)
		out_fmt(o, ", %zu gone", w->gone);
	if (w->changed)
		out_fmt(o, ", %zu changed", w->changed);
	out_fmt(o, " in %.2fs%s", (double)w->lap / NSEC_PER_SEC, missing);
	if (below)
		out_fmt(o, ", %zu line%s below", below, plural(below));
	out_char(o, '\n');
}

static void list_draw(struct list_watch *w)
{
	const size_t room = out_rows(w->frame.out), others = 2; /* the head, and what a frame keeps free */
	size_t lines = others;
	struct out head;

	for (size_t i = 0; i < w->table.n; i++)
		lines += w->table.buf[i] == '\n';
	out_init(&head, -1);
	head_print(w, &head, lines > room ? lines - room : 0);
	frame_begin(&w->frame);
	frame_lines(&w->frame, &head);
	frame_lines(&w->frame, &w->table);
	frame_end(&w->frame);
	out_close(&head, NULL);
}

static void reading_free(const struct list_watch *w, struct watch_reading *r)
{
	if (!r->env.keep)
		return;
	arena_free(r->env.arena);
	arena_free(r->env.keep);
	if (r->env.machine != w->env->machine)
		machine_free(&r->env.machine);
	report_release(&r->report);
	*r = (struct watch_reading){ 0 };
}

static void reading_init(struct list_watch *w, struct watch_reading *r)
{
	struct env *env = w->env;

	reading_free(w, r);
	if (w->n)
		env_use(env, machine_again(env->machine));
	r->report = report_inner(env->report);
	if (!w->text && report_is_text(env->report))
		report_json(&r->report, &w->line, true);
	r->env = *env;
	r->env.watch = w;
	r->env.report = &r->report;
	r->env.arena = arena_new();
	r->env.keep = arena_new();
	env_use(&r->env, env->machine);
}

/* Refusals of each reading are kept; notes, only those of the last one. */
static void report_keep(struct report *all, const struct report *r)
{
	const size_t unread = all->unread > r->unread ? all->unread : r->unread;
	const int status = all->status;

	all->note[0] = '\0';
	all->empty = false;
	report_merge(all, r);
	all->unread = unread;
	all->status = status;
}

static int reading_do(struct list_watch *w, struct err *e)
{
	const struct command *c = w->command;
	struct watch_reading *r = reading_now(w);
	int err;

	reading_init(w, r);
	frame_text(&w->frame, &w->table);
	err = c->run ? c->run(&r->env, w->opts, e) :
		       records_run(&r->env, records_of(c, w->opts), w->opts, c->collect, e);
	report_add_refused(&r->report, w->env->machine);
	machine_forget(w->env->machine);
	if (!err && w->text)
		list_draw(w);
	out_flush(w->env->report->out);
	out_close(&w->table, NULL);
	if (!err)
		report_keep(w->env->report, &r->report);
	return err;
}

static int list_watch_loop(struct list_watch *w, uint32_t count, struct pace *pace, struct err *e)
{
	int err;

	for (;;) {
		err = reading_do(w, e);
		w->n++;
		if (err || w->n == count || out_dead(w->env->report->out))
			return err;
		source_idle(w->env->machine->src);
		if (!pace_wait(pace))
			return 0;
		w->lap = pace_lap(pace);
	}
}

int list_watch_run(struct env *env, const struct command *c, const void *opts, struct err *e)
{
	struct list_watch w = { .env = env, .command = c, .opts = opts, .frame.out = env->report->out };
	const struct records_opts *o = records_of(c, opts);
	uint64_t interval = NSEC_PER_SEC;
	struct pace pace;
	int err = *o->watch ? pace_parse(o->watch, &interval, e) : 0;

	if (err)
		return err;
	w.text = report_is_text(env->report) && env->report->out->tty;
	jsonw_init(&w.line, env->report->out, false);
	err = pace_begin(&pace, interval);
	if (!env->report->out->tty)
		pace.stop.output = env->report->out->fd;
	err = err ? err_sys(e, err, "cannot wait") : list_watch_loop(&w, o->count, &pace, e);
	pace_end(&pace);
	if (w.begun && !err)
		items_end(&w.items);
	for (size_t i = 0; i < ARRAY_SIZE(w.reading); i++)
		reading_free(&w, &w.reading[i]);
	return err;
}
