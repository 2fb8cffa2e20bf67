/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "cli/columns.h"
#include "cli/command.h"
#include "cli/fleet.h"
#include "cli/records.h"
#include "cli/select.h"
#include "record/field.h"
#include "record/view.h"
#include "render/doc.h"
#include "render/render.h"
#include "source/facts.h"

/* `show` prints all facts of the objects, `list` one line each: one walk, two renderers. */
struct kind_show_opts {
	struct object_refs objects;
	struct records_opts records;
};

#define OBJECT_ARG \
	{ \
		.type = ARG_OBJECT, .flags = ARG_POSITIONAL | ARG_REPEAT, \
		.off = offsetof(struct kind_show_opts, objects), .help = "only these objects" \
	}

static const struct arg show_args[] = {
	OBJECT_ARG,
	RECORDS_FILTER(struct kind_show_opts, records),
	RECORDS_SORT(struct kind_show_opts, records),
	{ .name = "--columns",
	  .alias = "-o",
	  .metavar = "+COL,...",
	  .type = ARG_COLUMNS,
	  .off = offsetof(struct kind_show_opts, records.columns),
	  .help = "also show these fields, which are not read by default" },
};
static const struct arg list_args[] = { OBJECT_ARG, RECORDS_ARGS(struct kind_show_opts, records) };

/* State of one command over the objects of env->kind. */
struct show_walk {
	struct env *env;
	const struct kind *kind;
	const struct schema *schema; /* of its records; with several machines, of these with the machine's name */
	bool many;
	struct view view;
	struct render render;
	unsigned need;
	struct selection meant;
	bool alone;	   /* one object was named that has no namesakes: if it cannot be read, the command fails */
	bool wrap;	   /* print the single record as an array */
	bool printed;	   /* at least one record */
	size_t read;	   /* records that could be read */
	const void **held; /* records that wait to be sorted */
	size_t nheld, cap;
	struct arena *held_in;
};

static void plan(struct show_walk *w, const struct kind_show_opts *o, bool table)
{
	const struct globals *g = w->env->opts;
	unsigned dear = (NEED_NAMED | (g->show_pins ? 0 : NEED_PINS)) & ~(o->records.columns ? w->view.named : 0);
	bool everything;

	env_render(w->env, &w->render);
	if (o->records.columns)
		w->render.hide = 0;
	/* A program that reads the list gets the same fields as from `show`. */
	everything = !table || (w->render.ops != &render_plain && w->render.ops != &render_html && !o->records.columns);
	w->need = everything ? w->view.named | (kind_need(w->kind, w->render.hide) & ~dear) : w->view.need;
	w->render.skip_need = everything ? dear : 0;
	if (table && w->render.ops == &render_plain)
		w->render.ops = &render_table;
	w->render.headings = !o->records.noheadings;
	w->render.own = true;
	w->render.single = !w->many && !selection_several(&w->meant);
	w->wrap = w->render.single && w->kind->list && w->render.ops == &render_json;
	w->alone = !w->many && o->objects.n == 1 && (o->objects.v->by == SEL_ID || o->objects.v->by == SEL_PINNED);
	if (w->meant.n == 1 && !w->many)
		facts_holders_expect(w->env->machine, w->kind->object, w->meant.ids[0]);
}

/* NULL: no record; *e is set if the whole command fails. */
static const void *show_read_one(struct show_walk *w, struct arena *a, uint32_t id, struct err *e)
{
	void *rec = arena_alloc(a, w->schema->rec_size);
	struct err why = { 0 };
	int err = w->kind->read(w->env, a, id, w->need, rec, &why);

	if (!err && w->many)
		fleet_fill(w->env, w->schema, rec);
	w->read += !err;
	if (!err)
		return view_match(&w->view, w->schema, rec) ? rec : NULL;
	err_sys(&why, err, "%s %u: cannot be read", w->kind->name, id);
	if (err == -ENOENT)
		selection_gone(w->env, &w->meant, id);
	else if (w->alone)
		*e = why;
	else
		report_unread(w->env->report, &why);
	return NULL;
}

static void record_print(struct show_walk *w, const void *rec)
{
	struct doc d;

	env_doc(w->env, &d);
	if (w->wrap)
		doc_list(&d, NULL);
	render_record(&w->render, rec);
	w->printed = true;
	if (w->wrap)
		doc_end(&d);
}

static int stream(struct show_walk *w, struct err *e)
{
	struct arena *scratch = w->env->arena;
	const void *rec;

	for (size_t i = 0; i < w->meant.n && !out_dead(w->env->report->out); i++) {
		ARENA_SCOPE(scratch);

		rec = show_read_one(w, scratch, w->meant.ids[i], e);
		if (e->code)
			return e->code;
		/* Begin output only when the only record has been read: a failure is then the whole document. */
		if (rec)
			record_print(w, rec);
	}
	return 0;
}

static int hold(struct show_walk *w, struct err *e)
{
	const void *rec;
	size_t i;

	for (i = 0; i < w->meant.n && !e->code; i++) {
		ARENA_SCOPE(w->env->arena);

		rec = show_read_one(w, w->env->keep, w->meant.ids[i], e);
		if (rec) {
			w->held = arena_more(w->held_in, w->held, w->nheld, &w->cap, sizeof(*w->held));
			w->held[w->nheld++] = rec;
		}
	}
	return e->code;
}

static void print_held(struct show_walk *w)
{
	view_sort(&w->view, w->schema, w->held, w->nheld);
	for (size_t i = 0; i < w->nheld && !out_dead(w->env->report->out); i++)
		record_print(w, w->held[i]);
}

static void none_said(struct show_walk *w)
{
	const bool table = w->render.ops == &render_table && w->render.headings;

	/* An empty list of blocks is what bpftool prints; it has no filters. */
	if (!w->printed && (table || (w->render.ops == &render_plain && w->view.filter)))
		report_none(w->env->report, w->read);
}

/* Announce the questions that are asked about each of them. */
static void expect(struct show_walk *w)
{
	enum question q[EXPECTED_QUESTIONS];
	struct expected x = { .ids = w->meant.ids, .n = w->meant.n, .q = q };

	for (const struct kind_question *k = w->kind->asks; k && k->q != QUESTIONS && x.nq < EXPECTED_QUESTIONS; k++)
		if (!k->need || w->need & k->need)
			q[x.nq++] = k->q;
	source_expect(w->env->machine->src, &x);
}

static int ids_show(struct show_walk *w, struct err *e)
{
	int err;

	expect(w);
	render_begin(&w->render);
	render_section(&w->render, w->schema, &w->view);
	err = w->view.sort ? hold(w, e) : stream(w, e);
	if (!err)
		print_held(w);
	/* A failure has no headings. */
	err = err ? err : selection_end(&w->meant, e);
	w->render.headings &= !err || w->printed;
	source_expect(w->env->machine->src, &(struct expected){ 0 });
	report_render_end(w->env->report, &w->render);
	if (!err)
		none_said(w);
	return err;
}

/* One machine of several: an object missing on one may be on another. */
struct visit {
	struct show_walk *w;
	const struct kind_show_opts *o;
};

static int one_of_many(struct env *one, void *ctx, struct err *e)
{
	const struct visit *v = ctx;
	struct show_walk *w = v->w;
	int err;

	w->env = one;
	err = env_now(one, &w->view, e);
	if (!err)
		err = selection_find(one, w->kind, &v->o->objects, &w->meant, e);
	if (err)
		return err;
	expect(w);
	return w->view.sort ? hold(w, e) : stream(w, e);
}

static int many(struct show_walk *w, const struct kind_show_opts *o, bool table, struct err *e)
{
	struct env *env = w->env;
	int err;

	plan(w, o, table);
	render_begin(&w->render);
	render_section(&w->render, w->schema, &w->view);
	err = fleet_each(env, &w->render, w->view.sort, one_of_many, &(struct visit){ w, o }, e);
	w->env = env;
	print_held(w);
	report_render_end(env->report, &w->render);
	if (!err)
		none_said(w);
	return err;
}

static int show(struct env *env, const struct kind_show_opts *o, bool table, struct err *e)
{
	struct show_walk w = { .env = env, .kind = env->kind, .many = fleet_is_meant(env), .held_in = env->keep };
	int err;

	w.schema = w.many ? fleet_schema(env, env->kind->schema) : env->kind->schema;
	err = view_parse(&w.view, w.schema, env->kind->parts, o->records.columns, o->records.filter, o->records.sort,
			 env->keep, e);

	if (err)
		return err;
	if (!table && o->records.columns && *o->records.columns != '+') {
		err_usage(e, "show prints all columns; with + it adds more, as in -o +%.64s", o->records.columns);
		return err_hint(e, "`list -o %.64s` prints these alone", o->records.columns);
	}
	if (!table)
		w.view.ncols = 0;
	if (w.many)
		return many(&w, o, table, e);
	err = env_now(env, &w.view, e);
	if (!err)
		err = selection_find(env, env->kind, &o->objects, &w.meant, e);
	if (!err && w.view.need & NEED_STATS && !env->report->note[0] && !facts_counts_runs(env->machine))
		snprintf(env->report->note, sizeof(env->report->note),
			 "the kernel does not count runs of programs; `prog stats` enables it while "
			 "it runs, `sysctl kernel.bpf_stats_enabled=1` permanently");
	if (err)
		return err;
	plan(&w, o, table);
	return ids_show(&w, e);
}

static int kind_show_run(struct env *env, const void *opts, struct err *e)
{
	return show(env, opts, false, e);
}

static int kind_list_run(struct env *env, const void *opts, struct err *e)
{
	const struct kind_show_opts *o = opts;

	return o->records.list_columns ? columns_print(env, env->kind->schema, env->kind->parts, e) :
					 show(env, o, true, e);
}

const struct command command_show = {
	.name = "show",
	.summary = "show all fields of the objects, a block for each",
	.example = "KIND show",
	.flags = CMD_READ | CMD_MANY,
	ARGS(show_args),
	.opts_size = sizeof(struct kind_show_opts),
	.run = kind_show_run,
};

const struct command command_list = {
	.name = "list",
	.summary = "list the objects as a table with selected columns",
	.example = "KIND list --sort -id -Q 'id > 0'",
	.flags = CMD_READ | CMD_MANY,
	ARGS(list_args),
	.opts_size = sizeof(struct kind_show_opts),
	.run = kind_list_run,
};
