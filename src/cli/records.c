/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/records.h"

#include "base/when.h"
#include "cli/columns.h"
#include "cli/watch/watch.h"
#include "record/field.h"
#include "render/doc.h"
#include "render/text.h"
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

void records_fold_rows(struct env *env, struct records *recs)
{
	const size_t size = recs->s->rec_size;
	const void **rec = arena_array(env->keep, recs->n, sizeof(*rec));

	if (!recs->fold || !fold_count(env, recs))
		return;
	for (size_t i = 0; i < recs->n; i++)
		rec[i] = recs->rec + i * size;
	recs->n = fold(env, recs->fold, rec, recs->n);
	for (size_t i = 0; i < recs->n; i++)
		memmove(recs->rec + i * size, rec[i], size);
}

int records_filter(const struct env *env, const struct schema *s, const struct records_opts *o, const char **ret,
		   struct err *e)
{
	const struct field *f = s->fields;
	const char *since = o->since;
	struct when w;
	uint64_t span;

	*ret = o->filter;
	if (!since)
		return 0;
	while (f < s->fields + s->n && !(field_is_time(f) && f->flags & FIELD_DEFAULT))
		f++;
	if (f == s->fields + s->n) {
		err_usage(e, "--since: the kernel does not record when a %s was made", s->name);
		return err_hint(e, "`events` and `record` see it");
	}
	if (!num_parse_nsec(since, &span))
		since = arena_fmt(env->keep, "-%s", since);
	if (when_parse(since, &w))
		return err_usage(e, "--since: '%.64s' is not a time such as 10m, " WHEN_FORMS, since);
	*ret = o->filter ? arena_fmt(env->keep, "(%s) && %s >= '%s'", o->filter, f->name, since) :
			   arena_fmt(env->keep, "%s >= '%s'", f->name, since);
	return 0;
}

int records_view(struct env *env, struct view *ret, const struct schema *s, const struct records_opts *o,
		 const char *columns, const char *sort, struct err *e)
{
	const char *filter;
	int err = records_filter(env, s, o, &filter, e);

	if (!err)
		err = columns_view(env, ret, s, NULL, columns, filter, sort, e);
	return err ? err : env_now(env, ret, e);
}

/* A table of more rows is printed as they come, in the columns of these. */
#define MEASURED ((size_t)1 << 16)

int listing_init(struct listing *l, struct env *env, const struct schema *s, const struct schema *const *parts,
		 const struct records_opts *o, struct err *e)
{
	const char *columns = env->watch ? watch_columns(env, o->columns) : o->columns;
	int err;

	*l = (struct listing){ .env = env, .many = fleet_is_used(env) };
	l->schema = l->many ? fleet_schema(env, s) : env->watch ? watch_schema(env, s) : s;
	err = records_filter(env, s, o, &l->filter, e);
	if (!err)
		err = columns_view(env, &l->view, l->schema, parts, columns, l->filter, o->sort, e);
	if (!err && env->watch)
		err = watch_check_view(&l->view, e);
	l->hold = l->view.sort || env->watch;
	l->exit_status = o->exit_status;
	env_render(env, &l->render);
	l->render.headings = !o->noheadings;
	l->render.measure = MEASURED;
	return err;
}

static void listing_begin(struct listing *l)
{
	if (!l->begun)
		render_begin(&l->render);
	l->begun = true;
}

static void total_add(struct listing *l, const void *rec)
{
	const struct schema *in;
	const struct field *f = schema_find(l->schema, rec, l->total, &in);
	const struct value v = field_get(in, f, rec);

	l->sum += v.avail == AVAIL_YES ? v.u : 0;
	l->sum_unknown |= v.avail == AVAIL_UNKNOWN;
}

static void total_print(const struct listing *l)
{
	const struct value v = { .avail = AVAIL_YES, .type = FT_UINT, .u = l->sum };

	out_str(l->render.out, l->sum_unknown ? "total at least " : "total ");
	render_value(l->render.out, schema_find(l->schema, NULL, l->total, NULL), &v, VALUE_TABLE);
	out_char(l->render.out, '\n');
}

static void listing_print(struct listing *l, const void *rec)
{
	listing_begin(l);
	if (!l->section)
		render_section(&l->render, l->schema, &l->view);
	l->section = true;
	l->printed |= rec != NULL;
	if (!rec)
		return;
	render_record(&l->render, rec);
	if (l->total && !(l->env->watch && watch_change(l->schema, rec) == WATCH_GONE))
		total_add(l, rec);
}

void listing_add(struct listing *l, struct env *one, void *rec)
{
	if (l->many)
		fleet_fill(one, l->schema, rec);
	l->read++;
	if (!view_match(&l->view, l->schema, rec))
		return;
	if (!l->hold) {
		listing_print(l, rec);
		return;
	}
	ARENA_MORE(l->env->keep, l->held, l->nheld, l->cap);
	l->held[l->nheld++] = rec;
}

void listing_end(struct listing *l, int err)
{
	const struct render *r = &l->render;
	bool text;

	view_sort(&l->view, l->schema, l->held, l->nheld);
	l->nheld = l->fold ? fold(l->env, l->fold, l->held, l->nheld) : l->nheld;
	if (l->env->watch && !err)
		watch_take(l->env, l);
	for (size_t i = 0; i < l->nheld && !out_dead(l->env->report->out); i++)
		listing_print(l, l->held[i]);
	/* A failure is the whole document, without headings. */
	if (err && !l->begun)
		return;
	listing_print(l, NULL);
	/* An empty list of blocks is what bpftool prints; it has no filters. */
	text = (r->ops == &render_table && r->headings) || (r->ops == &render_plain && l->view.filter);
	report_render_end(l->env->report, &l->render);
	if (!err && !l->printed && l->exit_status)
		l->env->report->status = EXIT_FAILED;
	if (l->total && l->printed && text)
		total_print(l);
	if (!err && !l->printed && text)
		report_none(l->env->report, l->read);
}

int listing_each(struct listing *l, fleet_visit *visit, void *ctx, struct err *e)
{
	listing_begin(l);
	return fleet_each(l->env, &l->render, l->hold, visit, ctx, e);
}

/* One command that makes its records itself. */
struct made {
	struct listing l;
	struct records recs;
	const struct records_opts *o;
	const void *opts;
	records_collect *collect;
	bool table; /* with the columns that suit the records */
	unsigned need;
};

static int more_columns(struct made *m, bool folded, struct err *e)
{
	struct arena *a = m->l.env->keep;
	const char *more = m->recs.more;

	if (folded)
		more = arena_fmt(a, "%s%s%s", more ? more : "+", more ? "," : "", m->recs.fold->column);
	if (!more || !m->table || m->l.section)
		return 0;
	if (m->l.many && *more != '+')
		more = arena_fmt(a, "host,%s", more);
	else if (m->l.env->watch)
		more = watch_columns(m->l.env, more);
	if (!columns_view(m->l.env, &m->l.view, m->l.schema, NULL, more, m->l.filter, m->o->sort, e))
		m->l.view.nusual = m->l.view.ncols;
	return e->code;
}

static int made_collect(struct made *m, struct env *one, struct err *e)
{
	struct listing *l = &m->l;
	int err = env_now(one, &l->view, e);
	bool folded;

	m->recs = (struct records){ .s = l->schema, .need = m->need };
	if (!err)
		err = m->collect(one, m->opts, &m->recs, e);
	folded = !err && m->recs.fold && fold_count(one, &m->recs) && m->table && !l->many;
	if (!err)
		err = more_columns(m, folded, e);
	if (!err)
		err = env_now(one, &l->view, e);
	l->render.skip_need = ~m->recs.need & NEED_NAMED;
	if (folded)
		l->fold = m->recs.fold;
	if (!m->o->columns || *m->o->columns == '+')
		l->total = m->recs.total;
	l->hold |= folded;
	return err;
}

static void records_list(struct made *m, struct env *one)
{
	for (size_t i = 0; i < m->recs.n && !out_dead(one->report->out); i++)
		listing_add(&m->l, one, m->recs.rec + i * m->l.schema->rec_size);
}

static int made_visit(struct env *one, void *ctx, struct err *e)
{
	struct made *m = ctx;
	int err = made_collect(m, one, e);

	if (err)
		return err;
	records_list(m, one);
	return records_missing(&m->recs, e);
}

static int records_make(struct env *env, const struct records_opts *o, const void *opts, records_collect *collect,
			bool blocks, struct err *e)
{
	struct made m = { .o = o, .opts = opts, .collect = collect };
	struct render *r = &m.l.render;
	struct doc d;
	int err;

	if (o->list_columns)
		return columns_print(env, env->command->schema, NULL, e);
	err = listing_init(&m.l, env, env->command->schema, NULL, o, e);
	if (err)
		return err;
	env_doc(env, &d);
	m.table = !o->columns && !blocks && doc_is_text(&d);
	m.need = m.l.view.need | (doc_is_text(&d) || o->columns ? 0 : schema_need(m.l.schema, 0) & ~NEED_NAMED);
	if (r->ops == &render_plain && !blocks)
		r->ops = &render_table;
	if (!m.l.many && made_collect(&m, env, e)) {
		if (watch_excuse(env, e))
			return e->code;
		m.recs.n = 0;
	}
	if (m.l.many)
		err = listing_each(&m.l, made_visit, &m, e);
	else
		records_list(&m, env);
	listing_end(&m.l, err);
	if (!err && !m.l.many && records_missing(&m.recs, e))
		err = watch_excuse(env, e);
	return err;
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
