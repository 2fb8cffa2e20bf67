/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/records.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "cli/columns.h"
#include "cli/fleet.h"
#include "record/field.h"
#include "record/view.h"
#include "render/doc.h"
#include "render/render.h"
#include "source/keys.h"

void *records_add(struct records *r, struct env *env)
{
	const size_t size = r->s->rec_size;

	r->rec = arena_more(env->keep, r->rec, r->n, &r->cap, size);
	return r->rec + size * r->n++;
}

int records_missing(const struct records *recs, struct err *e)
{
	return recs->missing ? err_set(e, -ENOENT, "%s", recs->missing) : 0;
}

/* Count the records of each key. False: each stands for itself. */
static bool fold_count(struct env *env, const struct records *recs)
{
	const size_t size = recs->s->rec_size;
	uint32_t **n = arena_array(env->keep, recs->n, sizeof(*n));
	struct keys counts;
	bool any = false;

	keys_init(&counts, env->keep);
	for (size_t i = 0; i < recs->n; i++) {
		const char *key = recs->fold->key(env, recs->rec + i * size);
		void **slot = key ? keys_put(&counts, key) : NULL;

		if (!slot)
			continue;
		n[i] = *slot ? *slot : (*slot = arena_alloc(env->keep, sizeof(**n)));
		any |= ++*n[i] > 1;
	}
	for (size_t i = 0; i < recs->n; i++)
		if (n[i] && *n[i] > 1)
			memcpy(recs->rec + i * size + recs->fold->count, n[i], sizeof(**n));
	return any;
}

/* Keep the first record of each key. */
static size_t fold(struct env *env, const struct records_fold *f, const void **rec, size_t n)
{
	struct keys seen;
	size_t kept = 0;

	keys_init(&seen, env->keep);
	for (size_t i = 0; i < n; i++) {
		const char *key = f->key(env, rec[i]);
		void **slot = key ? keys_put(&seen, key) : NULL;

		if (slot && *slot)
			continue;
		if (slot)
			*slot = &seen;
		rec[kept++] = rec[i];
	}
	return kept;
}

/* A table of more rows is printed as they come, in the columns of these. */
#define MEASURED ((size_t)1 << 16)

static void records_document_print(struct env *env, const struct view *v, const struct records_opts *o,
				   const struct records *recs, bool blocks, bool folded)
{
	struct render r;
	const void **shown = arena_array(env->keep, recs->n, sizeof(*shown));
	size_t i, n = 0;

	for (i = 0; i < recs->n; i++)
		if (view_match(v, recs->s, recs->rec + i * recs->s->rec_size))
			shown[n++] = recs->rec + i * recs->s->rec_size;
	view_sort(v, recs->s, shown, n);
	n = folded ? fold(env, recs->fold, shown, n) : n;
	env_render(env, &r);
	r.headings = !o->noheadings;
	r.measure = MEASURED;
	r.skip_need = ~recs->need & NEED_NAMED;
	if (r.ops == &render_plain && !blocks)
		r.ops = &render_table;
	render_begin(&r);
	render_section(&r, recs->s, v);
	for (i = 0; i < n && !out_dead(env->report->out); i++)
		render_record(&r, shown[i]);
	report_render_end(env->report, &r);
	if (!n && r.ops == &render_table && r.headings)
		report_none(env->report, recs->n);
}

/* Print records, perhaps of many machines. */
struct printed {
	struct env *env;
	struct render r;
	const struct records_opts *o;
	const void *opts;
	records_collect *collect;
	const struct schema *s;
	struct view view;
	unsigned need;
	bool text, begun;
	const void **held; /* records that wait to be sorted */
	size_t nheld, cap, n, nshown;
};

static void many_begin(struct printed *p)
{
	if (!p->begun)
		render_section(&p->r, p->s, &p->view);
	p->begun = true;
}

static int many_visit(struct env *one, void *ctx, struct err *e)
{
	struct printed *p = ctx;
	struct records recs = { .s = p->s, .need = p->need };
	int err = env_now(one, &p->view, e);

	if (!err)
		err = p->collect(one, p->opts, &recs, e);
	if (err)
		return err;
	if (recs.fold)
		fold_count(one, &recs);
	if (!p->begun && recs.more && !p->o->columns && p->text)
		err = view_parse(&p->view, p->s, NULL,
				 arena_fmt(p->env->keep, "%s%s", *recs.more == '+' ? "" : "host,", recs.more),
				 p->o->filter, p->o->sort, p->env->keep, e);
	if (!err)
		err = env_now(one, &p->view, e);
	many_begin(p);
	for (size_t i = 0; !err && i < recs.n; i++) {
		void *rec = recs.rec + i * recs.s->rec_size;

		fleet_fill(one, recs.s, rec);
		p->n++;
		if (!view_match(&p->view, recs.s, rec))
			continue;
		p->nshown++;
		if (!p->view.sort) {
			render_record(&p->r, rec);
			continue;
		}
		p->held = arena_more(p->env->keep, p->held, p->nheld, &p->cap, sizeof(*p->held));
		p->held[p->nheld++] = rec;
	}
	return err ? err : records_missing(&recs, e);
}

static int run_many(struct env *env, const struct records_opts *o, const void *opts, records_collect *collect,
		    struct err *e)
{
	struct printed p = {
		.env = env, .o = o, .opts = opts, .collect = collect, .s = fleet_schema(env, env->command->schema)
	};
	struct doc d;
	int err = view_parse(&p.view, p.s, NULL, o->columns, o->filter, o->sort, env->keep, e);

	if (err)
		return err;
	env_doc(env, &d);
	env_render(env, &p.r);
	p.r.headings = !o->noheadings;
	p.r.ops = p.r.ops == &render_plain ? &render_table : p.r.ops;
	p.text = doc_is_text(&d);
	p.need = p.view.need | (p.text || o->columns ? 0 : schema_need(p.s, 0) & ~NEED_NAMED);
	p.r.skip_need = ~p.need & NEED_NAMED;
	render_begin(&p.r);
	err = fleet_each(env, &p.r, p.view.sort, many_visit, &p, e);
	many_begin(&p);
	view_sort(&p.view, p.s, p.held, p.nheld);
	for (size_t i = 0; i < p.nheld; i++)
		render_record(&p.r, p.held[i]);
	report_render_end(env->report, &p.r);
	if (!err && !p.nshown && p.r.ops == &render_table && p.r.headings)
		report_none(env->report, p.n);
	return err;
}

static int records_make(struct env *env, const struct records_opts *o, const void *opts, records_collect *collect,
			bool blocks, struct err *e)
{
	struct records recs = { .s = env->command->schema };
	struct view view;
	struct doc d;
	bool table, folded;
	int err;

	if (o->list_columns)
		return columns_print(env, recs.s, NULL, e);
	if (fleet_is_meant(env))
		return run_many(env, o, opts, collect, e);
	err = view_parse(&view, recs.s, NULL, o->columns, o->filter, o->sort, env->keep, e);
	env_doc(env, &d);
	if (!err)
		err = env_now(env, &view, e);
	if (!err)
		recs.need = view.need | (doc_is_text(&d) || o->columns ? 0 : schema_need(recs.s, 0) & ~NEED_NAMED);
	if (!err)
		err = collect(env, opts, &recs, e);
	table = !o->columns && !blocks && doc_is_text(&d);
	folded = !err && recs.fold && fold_count(env, &recs) && table;
	if (folded)
		recs.more = arena_fmt(env->keep, "%s%s", recs.more ? arena_fmt(env->keep, "%s,", recs.more) : "+",
				      recs.fold->column);
	if (!err && recs.more && table)
		err = view_parse(&view, recs.s, NULL, recs.more, o->filter, o->sort, env->keep, e);
	if (!err)
		err = env_now(env, &view, e);
	if (err)
		return err;
	records_document_print(env, &view, o, &recs, blocks, folded);
	return records_missing(&recs, e);
}

int records_run(struct env *env, const struct records_opts *o, const void *opts, records_collect *collect,
		struct err *e)
{
	return records_make(env, o, opts, collect, false, e);
}

int records_show(struct env *env, const struct records_opts *o, const void *opts, records_collect *collect,
		 struct err *e)
{
	return records_make(env, o, opts, collect, true, e);
}

void records_table(struct env *env, const struct records_opts *o, const struct schema *s, const struct view *v,
		   const void *const *recs, size_t n, struct out *to)
{
	struct render r = { .ops = &render_table, .out = to, .arena = env->arena, .headings = !o->noheadings };

	render_begin(&r);
	render_section(&r, s, v);
	for (size_t i = 0; i < n; i++)
		render_record(&r, recs[i]);
	render_end(&r);
	report_left_out(env->report, &r);
}
