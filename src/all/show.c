/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/columns.h"
#include "cli/command.h"
#include "cli/records.h"
#include "cli/select.h"
#include "cli/watch/watch.h"
#include "record/field.h"
#include "source/facts.h"

/* `show` prints all facts of the objects, `list` one line each: one walk, two renderers. */
struct kind_show_opts {
	struct object_refs objects;
	struct records_opts records;
};

#define OBJECT_ARG \
	ARG(NULL, ARG_OBJECT, struct kind_show_opts, objects, "only these objects", \
	    .flags = ARG_POSITIONAL | ARG_REPEAT)

static const struct arg show_args[] = {
	OBJECT_ARG,
	RECORDS_FILTER(struct kind_show_opts, records),
	RECORDS_STATUS(struct kind_show_opts, records),
	RECORDS_SORT(struct kind_show_opts, records),
	ARG("--columns", ARG_COLUMNS, struct kind_show_opts, records.columns,
	    "also show these fields, which are not read by default", .alias = "-o", .metavar = "+COL,..."),
};
static const struct arg list_args[] = { OBJECT_ARG, RECORDS_WATCH_ARGS(struct kind_show_opts, records),
					RECORDS_SINCE(struct kind_show_opts, records) };

/* State of one command over the objects of env->kind. */
struct show_walk {
	struct env *env;
	const struct kind *kind;
	const struct kind_show_opts *o;
	struct listing l;
	unsigned need;
	struct selection sel;
	bool alone; /* one object was named that has no namesakes: if it cannot be read, the command fails */
};

static void plan(struct show_walk *w, bool table)
{
	const struct globals *g = w->env->opts;
	const struct records_opts *o = &w->o->records;
	const struct object_refs *objects = &w->o->objects;
	const struct view *v = &w->l.view;
	struct render *r = &w->l.render;
	unsigned dear = (NEED_NAMED | (g->show_pins ? 0 : NEED_PINS)) & ~(o->columns ? v->named : 0);
	bool everything;

	if (o->columns)
		r->hide = 0;
	/* A program that reads the list gets the same fields as from `show`. */
	everything = !table || (r->ops != &render_plain && r->ops != &render_html && !o->columns);
	w->need = everything ? v->named | (kind_need(w->kind, r->hide) & ~dear) : v->need;
	r->skip_need = everything ? dear : 0;
	if (table && r->ops == &render_plain)
		r->ops = &render_table;
	r->own = true;
	r->single = !w->l.many && !selection_several(&w->sel) && !w->kind->list;
	w->alone = !w->l.many && objects->n == 1 && (objects->v->by == SEL_ID || objects->v->by == SEL_PINNED);
	if (w->sel.n == 1 && !w->l.many)
		facts_holders_expect(w->env->machine, w->kind->object, w->sel.ids[0]);
}

static void show_read_one(struct show_walk *w, uint32_t id, struct err *e)
{
	ARENA_SCOPE(w->env->arena);
	struct arena *a = w->l.hold ? w->env->keep : w->env->arena;
	void *rec = arena_alloc(a, w->l.schema->rec_size);
	struct err why = { 0 };
	int err = w->kind->read(w->env, a, id, w->need, rec, &why);

	if (!err) {
		listing_add(&w->l, w->env, rec);
		return;
	}
	err_sys(&why, err, "%s %u: cannot be read", w->kind->name, id);
	if (err == -ENOENT)
		selection_note_gone(w->env, &w->sel, id);
	else if (w->alone)
		*e = why;
	else
		report_unread(w->env->report, &why);
}

/* Announce the questions that are asked about each of them. */
static void expect(struct show_walk *w)
{
	enum question q[EXPECTED_QUESTIONS];
	struct expected x = { .ids = w->sel.ids, .n = w->sel.n, .q = q };

	for (const struct kind_question *k = w->kind->asks; k && k->q != QUESTIONS && x.nq < EXPECTED_QUESTIONS; k++)
		if (!k->need || w->need & k->need)
			q[x.nq++] = k->q;
	source_expect(w->env->machine->src, &x);
}

static int sel_find(struct env *one, struct show_walk *w, struct err *e)
{
	int err = env_now(one, &w->l.view, e);

	return err ? err : selection_find(one, w->kind, &w->o->objects, &w->sel, e);
}

static int ids_show(struct show_walk *w, struct err *e)
{
	expect(w);
	for (size_t i = 0; i < w->sel.n && !e->code && !out_dead(w->env->report->out); i++)
		show_read_one(w, w->sel.ids[i], e);
	return e->code;
}

/* One machine of several: an object missing on one may be on another. */
static int show_one_of_many(struct env *one, void *ctx, struct err *e)
{
	struct show_walk *w = ctx;
	int err;

	w->env = one;
	err = sel_find(one, w, e);
	return err ? err : ids_show(w, e);
}

static int show_one_machine(struct show_walk *w, struct err *e)
{
	int err = ids_show(w, e);

	if (err)
		w->l.nheld = 0;
	source_expect(w->env->machine->src, &(struct expected){ 0 });
	return err || selection_end(&w->sel, e) ? watch_excuse(w->env, e) : 0;
}

static int show(struct env *env, const struct kind_show_opts *o, bool table, struct err *e)
{
	struct show_walk w = { .env = env, .kind = env->kind, .o = o };
	int err = listing_init(&w.l, env, env->kind->schema, env->kind->parts, &o->records, e);

	if (err)
		return err;
	if (!table && o->records.columns && *o->records.columns != '+') {
		err_usage(e, "show prints all columns; with + it adds more, as in -o +%.64s", o->records.columns);
		return err_hint_word(e, "`list -o ", o->records.columns, "` prints these alone");
	}
	if (!table)
		w.l.view.ncols = 0;
	if (!w.l.many && sel_find(env, &w, e) && watch_excuse(env, e))
		return e->code;
	if (!w.l.many && w.l.view.need & NEED_STATS && !env->report->note[0] && !facts_counts_runs(env->machine))
		snprintf(env->report->note, sizeof(env->report->note),
			 "the kernel does not count runs of programs; `prog stats` enables it while "
			 "it runs, `sysctl kernel.bpf_stats_enabled=1` permanently");
	plan(&w, table);
	err = w.l.many ? listing_each(&w.l, show_one_of_many, &w, e) : show_one_machine(&w, e);
	listing_end(&w.l, err);
	return err;
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
	ARGS(show_args, struct kind_show_opts),
	.run = kind_show_run,
};

const struct command command_list = {
	.name = "list",
	.summary = "list the objects as a table with selected columns",
	.example = "KIND list --sort -id -Q 'id > 0'",
	.flags = CMD_READ | CMD_MANY | CMD_WATCH,
	ARGS(list_args, struct kind_show_opts),
	.run = kind_list_run,
	.records = offsetof(struct kind_show_opts, records),
};
