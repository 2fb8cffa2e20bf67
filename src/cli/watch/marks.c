/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/watch/watch.h"

#include "record/field.h"
#include "source/keys.h"

struct watch_changed {
	const char *name, *old, *value;
};
struct watch_mark_rec {
	const char *change, *time;
	const struct watch_changed *changed;
	uint32_t nchanged;
};

static size_t changed_text(const void *row, char *buf, size_t size)
{
	const struct watch_changed *c = row;

	return str_snprintf(buf, size, "%s %s", c->name, c->old);
}

static const struct field changed_fields[] = {
	FIELD(watch_changed, name, "name", "name of the field"),
	FIELD_AS(watch_changed, old, FT_JSON, "old", "previous value"),
	FIELD_AS(watch_changed, value, FT_JSON, "value", "value (the present one)"),
};
static const struct schema changed_schema =
	SCHEMA("changed_field", watch_changed, changed_fields, .text = changed_text);

#define MARKS_FIRST 1 /* fields before those of the record */
static const struct field mark_fields[] = {
	FIELD(watch_mark_rec, change, "change", "kind of change: new, gone or changed, with --watch",
	      .role = ROLE_CHANGED, .flags = FIELD_DEFAULT | FIELD_NONZERO | FIELD_ANSWER),
	FIELD(watch_mark_rec, time, "time", "when it happened (the reading), with --watch", .flags = FIELD_NONZERO),
	FIELD_ROWS(watch_mark_rec, changed, nchanged, &changed_schema, "changed", "fields that changed, with --watch",
		   .title = "BEFORE", .flags = FIELD_DEFAULT | FIELD_NONZERO),
};
const struct schema watch_mark_schema = SCHEMA("watched", watch_mark_rec, mark_fields);

static struct watch_mark_rec *mark_of(const struct schema *s, void *rec)
{
	return schema_tail(s, rec, sizeof(struct watch_mark_rec));
}

static const char word_gone[] = "gone";

enum watch_change watch_change(const struct schema *s, const void *rec)
{
	const char *at = rec;
	const struct watch_mark_rec *m = (const void *)(at + s->rec_size - sizeof(*m));

	return !m->change ? WATCH_SAME : m->change == word_gone ? WATCH_GONE : WATCH_OTHER;
}

const struct schema *watch_schema(const struct env *env, const struct schema *s)
{
	return schema_append(env->keep, s, &watch_mark_schema, MARKS_FIRST);
}

const char *watch_columns(const struct env *env, const char *columns)
{
	const bool text = report_is_text(env->report);

	if (!columns)
		return NULL;
	if (*columns == '+')
		return text ? columns : arena_fmt(env->keep, "%s,time", columns);
	return arena_fmt(env->keep, "change,%s%s,changed", text ? "" : "time,", columns);
}

static bool is_mark(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(mark_fields); i++)
		if (!strcmp(mark_fields[i].name, name))
			return true;
	return false;
}

int watch_check_view(const struct view *v, struct err *e)
{
	for (size_t i = 0; i < v->nkeys; i++)
		if (is_mark(v->keys[i]))
			return err_usage(
				e, "with --watch, '%s' is always shown, and records are not filtered or sorted by it",
				v->keys[i]);
	return 0;
}

static const char *value_json(struct arena *a, const struct field *f, const struct value *v)
{
	struct jsonw_text t;

	render_json_value(jsonw_text_begin(&t), f, v);
	return jsonw_text_end(&t, a);
}

/* Text that only this record of the list has: of equal ones the first, the second, ... */
static const char *key_of(struct arena *a, struct keys *equal, const struct schema *s, const void *rec)
{
	STR key = { 0 };
	void **slot;
	uintptr_t nr;

	for (size_t i = 0; i < s->n; i++) {
		struct value v;

		if (!(s->fields[i].flags & FIELD_KEY))
			continue;
		field_read(s, &s->fields[i], rec, &v);
		str_fmt(&key, "%s ", v.avail == AVAIL_YES ? value_json(a, &s->fields[i], &v) : "-");
	}
	slot = keys_put(equal, key.n ? key.p : "");
	nr = slot ? (uintptr_t)*slot : 0;
	if (slot)
		*slot = (void *)(nr + 1);
	return arena_fmt(a, "%s%zu", key.n ? key.p : "", (size_t)nr);
}

static bool is_in_view(const struct listing *l, const struct field *f)
{
	const struct view *v = &l->view;

	for (size_t i = 0; i < v->ncols; i++)
		if (field_called(f, v->cols[i], strcmp))
			return true;
	if (v->ncols)
		return false;
	return l->render.ops == &render_table ? f->flags & FIELD_DEFAULT : !(f->need & l->render.skip_need);
}

/*
 * Times are computed from two clocks, and may differ by a second although nothing has changed. Counters always change:
 * they must be asked for.
 */
static bool is_compared(const struct listing *l, const struct field *f)
{
	const bool counts = f->unit == FU_COUNTER || f->unit == FU_NSEC;

	return f->type != FT_TIME && !(counts && !l->view.ncols) && !is_mark(f->name) && is_in_view(l, f);
}

/* What could not be read either time is not known to have changed. */
static void marks_compare(struct arena *a, const struct listing *l, const void *before, void *rec)
{
	struct schema_iter it = SCHEMA_ITER(l->schema, rec);
	struct watch_mark_rec *m = mark_of(l->schema, rec);
	struct watch_changed *changed = NULL;
	size_t n = 0, cap = 0;

	for (const struct field *f; (f = schema_next(&it));) {
		const struct schema *in;
		struct value x, y;

		if (!is_compared(l, f) || schema_find(l->schema, before, f->name, &in) != f)
			continue;
		x = field_get(in, f, before);
		y = schema_value(&it, f);
		if (x.avail == AVAIL_UNKNOWN || y.avail == AVAIL_UNKNOWN || !value_cmp(f, &x, &y))
			continue;
		ARENA_MORE(a, changed, n, cap);
		changed[n++] = (struct watch_changed){ f->name, value_json(a, f, &x), value_json(a, f, &y) };
	}
	m->change = n ? "changed" : NULL;
	m->changed = changed;
	m->nchanged = (uint32_t)n;
}

static void index_make(struct arena *a, const struct schema *s, const void **rec, size_t n, struct keys *ret,
		       const char **key)
{
	struct keys equal;

	keys_init(&equal, a);
	keys_init(ret, a);
	for (size_t i = 0; i < n; i++) {
		void **slot;

		key[i] = key_of(a, &equal, s, rec[i]);
		slot = keys_put(ret, key[i]);
		if (slot)
			*slot = &rec[i];
	}
}

static void *gone_copy(struct arena *a, const struct schema *s, const void *rec, const char *time)
{
	void *ret = arena_dup(a, rec, s->rec_size);

	*mark_of(s, ret) = (struct watch_mark_rec){ .change = word_gone, .time = time };
	return ret;
}

struct marking {
	struct arena *a;
	const struct listing *l;
	const struct watch_reading *before, *now;
	const char *time;
};

static void new_mark(const struct marking *m, const struct keys *old, const char *const *key, struct watch_marks *ret)
{
	for (size_t i = 0; i < m->now->n; i++) {
		const void *const *b = keys_get(old, key[i]);
		void *rec = (void *)(uintptr_t)m->now->rec[i];
		struct watch_mark_rec *mark = mark_of(m->l->schema, rec);

		if (b)
			marks_compare(m->a, m->l, *b, rec);
		else
			mark->change = "new";
		mark->time = mark->change ? m->time : NULL;
		ret->fresh += !b;
		ret->changed += b && mark->change;
	}
}

/* Each that has gone stays after the one that was before it. */
static void gone_add(const struct marking *m, const struct keys *new, const char *const *key, struct watch_marks *ret)
{
	/* Chains of those that have gone: first[i] - 1 comes before record i of now, and next[] - 1 after it. */
	size_t *first = arena_array(m->a, m->now->n + 1, sizeof(*first)),
	       *next = arena_array(m->a, m->before->n, sizeof(*next)),
	       *place = arena_array(m->a, m->before->n, sizeof(*place)), at = 0;

	for (size_t i = 0; i < m->before->n; i++) {
		const void *const *n = keys_get(new, key[i]);

		at = n ? (size_t)(n - m->now->rec) + 1 : at;
		place[i] = n ? SIZE_MAX : at;
	}
	for (size_t i = m->before->n; i-- > 0;) {
		if (place[i] == SIZE_MAX)
			continue;
		next[i] = first[place[i]];
		first[place[i]] = i + 1;
	}
	for (size_t i = 0; i <= m->now->n; i++) {
		for (size_t k = first[i]; k; k = next[k - 1])
			ret->shown[ret->n++] = gone_copy(m->a, m->l->schema, m->before->rec[k - 1], m->time);
		if (i < m->now->n)
			ret->shown[ret->n++] = m->now->rec[i];
	}
}

struct watch_marks watch_mark(struct arena *a, const struct listing *l, const struct watch_reading *before,
			      const struct watch_reading *now, const char *time)
{
	const struct marking m = { a, l, before, now, arena_str(a, time, SIZE_MAX) };
	const char **was = arena_array(a, before->n, sizeof(*was)), **is = arena_array(a, now->n, sizeof(*is));
	struct watch_marks ret = { .shown = arena_array(a, before->n + now->n, sizeof(*ret.shown)) };
	struct keys old, new;

	index_make(a, l->schema, before->rec, before->n, &old, was);
	index_make(a, l->schema, now->rec, now->n, &new, is);
	new_mark(&m, &old, is, &ret);
	gone_add(&m, &new, was, &ret);
	return ret;
}
