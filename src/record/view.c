/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/view.h"

#include "record/column.h"
#include "record/field.h"
#include "record/filter.h"

static void add_key(struct view *v, struct arena *a, const char *name)
{
	ARENA_MORE(a, v->keys, v->nkeys, v->keys_cap);
	v->keys[v->nkeys++] = name;
}

static void add_column(struct view *v, struct arena *a, const char *name)
{
	for (size_t i = 0; i < v->ncols; i++)
		if (!strcmp(v->cols[i], name))
			return add_key(v, a, name); /* a default column that the user also named */
	v->cols[v->ncols++] = name;
}

static int parse_columns(struct view *v, const struct schema *s, const struct schema *const *parts, const char *text,
			 struct arena *a, struct err *e)
{
	size_t n = 1, i, len;
	const char *p;
	unsigned need;

	for (p = text; *p; p++)
		n += *p == ',';
	v->cols = arena_array(a, n + s->n, sizeof(*v->cols));
	if (*text == '+') {
		for (i = 0; i < s->n; i++)
			if (s->fields[i].flags & FIELD_DEFAULT)
				add_column(v, a, s->fields[i].name);
		v->nusual = v->ncols;
		text++;
	}
	for (p = text;; p += len + 1) {
		const struct field *f;
		const char *key;
		char *name;

		p += strspn(p, " +");
		len = strcspn(p, ",");
		name = arena_str(a, p, len);
		for (char *end = name + strlen(name); end > name && end[-1] == ' ';)
			*--end = '\0';
		f = column_find(s, parts, name, &need);
		if (!f)
			return column_unknown(e, s, parts, name);
		key = field_called(f, name, strcmp);
		add_column(v, a, key ? key : f->name);
		v->need |= need;
		if (!p[len])
			return 0;
	}
}

int view_parse(struct view *ret, const struct schema *s, const struct schema *const *parts, const char *cols,
	       const char *filter, const char *sort, struct arena *a, struct err *e)
{
	struct filter_uses uses = { 0 };
	struct view v = { 0 };
	unsigned need = 0, usual = 0;
	size_t i;
	int err;

	if (cols) {
		err = parse_columns(&v, s, parts, cols, a, e);
		if (err)
			return err;
	}
	for (i = 0; i < s->n; i++)
		if ((s->fields[i].flags & FIELD_DEFAULT) && (!cols || *cols == '+'))
			usual |= s->fields[i].need;
	if (filter) {
		err = filter_parse(&v.filter, s, parts, filter, &uses, a, e);
		if (err)
			return err;
		v.need |= uses.need;
		v.words = uses.words;
		v.nwords = uses.nwords;
	}
	for (i = 0; i < uses.n; i++)
		add_key(&v, a, uses.fields[i]);
	if (sort) {
		const struct field *f = column_find(s, parts, sort + (*sort == '-'), &need);

		if (!f)
			return strchr(sort, ',') ? err_usage(e, "--sort takes one column, not '%s'", sort) :
						   column_unknown(e, s, parts, sort + (*sort == '-'));
		v.sort = f->name;
		add_key(&v, a, v.sort);
		v.descending = *sort == '-';
		v.need |= need;
	}
	v.named = v.need;
	v.need |= usual;
	*ret = v;
	return 0;
}

bool view_match(const struct view *v, const struct schema *s, const void *rec)
{
	return !v->filter || filter_match(v->filter, s, rec, v->now);
}

int view_cmp(const struct view *v, const struct schema *s, const void *a, const void *b)
{
	struct value va = { .avail = AVAIL_NO }, vb = { .avail = AVAIL_NO };
	const struct field *fa, *fb;
	const struct schema *sa, *sb;
	int c;

	if (!v->sort)
		return 0;
	fa = schema_find(s, a, v->sort, &sa);
	fb = schema_find(s, b, v->sort, &sb);
	if (fa)
		va = field_get(sa, fa, a);
	if (fb)
		vb = field_get(sb, fb, b);
	if (!fa && !fb)
		return 0;
	c = value_cmp(fa ? fa : fb, &va, &vb);
	return v->descending ? (c < 0) - (c > 0) : c;
}

struct order {
	const struct view *view;
	const struct schema *s;
};
struct placed {
	const void *rec;
	size_t nr;
};

/* qsort_r() may swap equal records. */
static int placed_cmp(const void *a, const void *b, void *ctx)
{
	const struct placed *x = a, *y = b;
	const struct order *o = ctx;
	int c = view_cmp(o->view, o->s, x->rec, y->rec);

	return c ? c : (x->nr > y->nr) - (x->nr < y->nr);
}

void view_sort(const struct view *v, const struct schema *s, const void **recs, size_t n)
{
	struct order order = { v, s };
	struct placed *all;
	ARENA a = NULL;

	if (!v->sort)
		return;
	a = arena_new();
	all = arena_array(a, n, sizeof(*all));
	for (size_t i = 0; i < n; i++)
		all[i] = (struct placed){ recs[i], i };
	qsort_r(all, n, sizeof(*all), placed_cmp, &order);
	for (size_t i = 0; i < n; i++)
		recs[i] = all[i].rec;
}
