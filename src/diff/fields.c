/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff/fields.h"

#include "cli/env.h"
#include "cli/kind.h"
#include "diff/side.h"
#include "record/edge.h"
#include "record/field.h"
#include "render/jsonw.h"
#include "render/render.h"
#include "source/facts.h"

/* Facts of other objects, which are compared themselves, and facts that change by themselves or are slow to read. */
#define NEED_OTHERS \
	(NEED_PROG | NEED_USERS | NEED_COUNT | NEED_RING | NEED_STATS | NEED_DISASM | NEED_SYMBOLS | NEED_UNITS | \
	 NEED_OWNER | NEED_JOIN | NEED_INNER)

static const struct {
	enum field_unit unit;
	enum object_kind kind;
} named[] = {
	{ FU_PROG, OBJECT_PROG },
	{ FU_MAP, OBJECT_MAP },
};

static bool is_named(enum field_unit unit)
{
	return unit == FU_PROG || unit == FU_MAP;
}

static bool is_compared(const struct field *f)
{
	switch (f->unit) {
	case FU_ADDR:
	case FU_COUNTER:
	case FU_BTF:
	case FU_LINK:
	case FU_PID:
	case FU_IFINDEX:
	case FU_CGROUP:
	case FU_NETNS:
		return false;
	case FU_SIZE:
		if (f->need & NEED_FDINFO)
			return false;
		break;
	default:
		break;
	}
	/* The tag is compared in place of the code. */
	return f->type != FT_TIME && f->type != FT_BYTES && !(f->need & NEED_OTHERS) && !(f->flags & FIELD_OTHERWISE);
}

/* Fields in nanoseconds are times that the kernel adds up. */
static bool is_counter(const struct field *f)
{
	return f->type == FT_UINT && (f->unit == FU_COUNTER || f->unit == FU_NSEC);
}

static unsigned schema_compared(const struct schema *s, bool counters)
{
	unsigned need = 0;

	for (size_t i = 1; i < s->n; i++)
		need |= is_compared(&s->fields[i]) || (counters && is_counter(&s->fields[i])) ? s->fields[i].need : 0;
	return need;
}

unsigned fields_need(const struct kind *k, bool counters)
{
	unsigned need = schema_compared(k->schema, counters);

	for (const struct schema *const *p = k->parts; p && *p; p++)
		need |= schema_compared(*p, counters);
	return need;
}

/* The first object of a kind that the fields of a record refer to. */
static const struct diff_item *first_edge(const struct side *s, const struct diff_item *o, enum edge_to to,
					  enum object_kind kind)
{
	struct edge_iter it;
	struct edge edge;

	edge_begin(&it, o->kind->schema, o->rec, 0);
	while (edge_next(&it, &edge))
		if (edge.to == to && !edge.holder)
			return side_find(s, kind, (uint32_t)edge.id);
	return NULL;
}

static void user_add(struct side *s, uint32_t map, const char *name)
{
	struct diff_item *o = (struct diff_item *)(uintptr_t)side_find(s, OBJECT_MAP, map);

	if (o && *name)
		o->users = *o->users ? arena_fmt(s->env->keep, "%s, %s", o->users, name) : name;
}

void fields_name(struct side *s)
{
	for (size_t i = 0; i < s->of[OBJECT_LINK].n; i++) {
		struct diff_item *o = &s->of[OBJECT_LINK].v[i];
		const struct diff_item *runs = first_edge(s, o, EDGE_PROG, OBJECT_PROG);

		runs = runs ? runs : first_edge(s, o, EDGE_MAP, OBJECT_MAP);
		o->name = runs ? runs->name : "";
	}
	for (size_t i = 0; i < s->of[OBJECT_PROG].n; i++) {
		const struct diff_item *o = &s->of[OBJECT_PROG].v[i];
		struct edge_iter it;
		struct edge edge;

		edge_begin(&it, o->kind->schema, o->rec, 0);
		while (edge_next(&it, &edge))
			if (edge.to == EDGE_MAP && !edge.holder)
				user_add(s, (uint32_t)edge.id, o->name);
	}
}

static const char *value_as_json(const struct side *s, const struct field *f, const struct value *v);

static const char *row_json(const struct side *s, const struct schema *rows, const void *row)
{
	struct schema_iter it = SCHEMA_ITER(rows, row);
	struct jsonw_text t;
	struct jsonw *w = jsonw_text_begin(&t);

	jsonw_object(w);
	for (const struct field *f; (f = schema_next(&it));) {
		struct value v = schema_value(&it, f);

		if (!is_compared(f) || v.avail == AVAIL_NO)
			continue;
		jsonw_name(w, f->name);
		jsonw_embed(w, value_as_json(s, f, &v));
	}
	jsonw_end(w);
	return jsonw_text_end(&t, s->env->keep);
}

/* Lists are sorted, because the kernel orders them by id; equal elements count once. */
static const char *list_json(const struct side *s, const struct field *f, const struct value *v)
{
	const char **text = arena_array(s->env->keep, v->list.n, sizeof(*text));
	STR all = { 0 };

	for (uint32_t i = 0; i < v->list.n; i++) {
		struct value elem;

		if (f->type == FT_ROWS) {
			text[i] = row_json(s, f->rows, (const char *)v->list.p + (size_t)i * v->list.stride);
			continue;
		}
		elem = value_elem(f, v, i);
		text[i] = value_as_json(s, f, &elem);
	}
	if (v->list.n)
		qsort(text, v->list.n, sizeof(*text), str_order);
	for (uint32_t i = 0; i < v->list.n; i++)
		if (!i || strcmp(text[i], text[i - 1]) != 0)
			str_fmt(&all, "%s%s", all.n ? "," : "[", text[i]);
	str_puts(&all, all.n ? "]" : "[]");
	return arena_str(s->env->keep, all.p, all.n);
}

static const char *value_as_json(const struct side *s, const struct field *f, const struct value *v)
{
	const struct diff_item *o = NULL;
	struct jsonw_text t;
	struct jsonw *w;

	if (v->avail == AVAIL_YES && (v->type == FT_LIST || v->type == FT_ROWS))
		return list_json(s, f, v);
	w = jsonw_text_begin(&t);
	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		if (v->avail == AVAIL_YES && f->unit == named[i].unit && v->u)
			o = side_find(s, named[i].kind, (uint32_t)v->u);
	if (!is_named(f->unit))
		render_json_value(w, f, v);
	else if (o)
		jsonw_str(w, *o->name ? o->name : o->type);
	else
		jsonw_null(w);
	return jsonw_text_end(&t, s->env->keep);
}

static const char *field_json(const struct side *s, const struct diff_item *o, const char *name, bool *unknown)
{
	const struct schema *in;
	const struct field *f = schema_find(o->kind->schema, o->rec, name, &in);
	struct value v;

	if (!f)
		return "null";
	v = field_get(in, f, o->rec);
	*unknown |= v.avail == AVAIL_UNKNOWN;
	return v.avail == AVAIL_NO ? "null" : value_as_json(s, f, &v);
}

void fields_compare(const struct side *sa, const struct diff_item *a, const struct side *sb, const struct diff_item *b,
		    bool same_code, field_differs *fn, void *ctx)
{
	const bool moved = strcmp(a->places, b->places) != 0, link = a->kind->object == OBJECT_LINK;
	struct schema_iter it = SCHEMA_ITER(a->kind->schema, a->rec);
	struct field_difference d;

	if (moved)
		fn(ctx, &(struct field_difference){ "where", jsonw_text_str(a->places, sb->env->keep),
						    jsonw_text_str(b->places, sb->env->keep),
						    (sa->places_unknown && !*a->places) ||
							    (sb->places_unknown && !*b->places) });
	/* Other fields of a link that moved only repeat the new attach point. */
	for (const struct field *f; !(moved && link) && (f = schema_next(&it));) {
		if (f == a->kind->schema->fields || !is_compared(f) || (!same_code && f->flags & FIELD_CODE))
			continue;
		d = (struct field_difference){ .field = f->name };
		d.before = field_json(sa, a, f->name, &d.unknown);
		d.after = field_json(sb, b, f->name, &d.unknown);
		if (d.unknown || strcmp(d.before, d.after) != 0)
			fn(ctx, &d);
	}
}

/* The clock may have been set meanwhile; a larger difference is a reboot. */
#define SAME_BOOT_NS 30000000000ull

bool boots_are_same(uint64_t x, uint64_t y)
{
	return (x > y ? x - y : y - x) < SAME_BOOT_NS;
}

static bool is_same_one(const struct side *sa, const struct diff_item *a, const struct side *sb,
			const struct diff_item *b)
{
	return a->id == b->id && boots_are_same(facts_boot_ns(sa->env->machine), facts_boot_ns(sb->env->machine));
}

void fields_count(const struct side *sa, const struct diff_item *a, const struct side *sb, const struct diff_item *b,
		  bool *ret_known, field_counts *fn, void *ctx)
{
	struct schema_iter it = SCHEMA_ITER(a->kind->schema, a->rec);

	if (!is_same_one(sa, a, sb, b))
		return;
	for (const struct field *f; (f = schema_next(&it));) {
		struct field_count c = { .field = f->name };
		const struct schema *in;
		struct value x, y;

		if (!is_counter(f) || !schema_find(b->kind->schema, b->rec, f->name, &in))
			continue;
		x = schema_value(&it, f);
		y = field_get(in, f, b->rec);
		*ret_known |= x.avail == AVAIL_YES && y.avail == AVAIL_YES;
		if (x.avail == AVAIL_NO || y.avail == AVAIL_NO ||
		    (x.avail == AVAIL_YES && y.avail == AVAIL_YES && x.u == y.u))
			continue;
		c.before = field_json(sa, a, f->name, &c.unknown);
		c.after = field_json(sb, b, f->name, &c.unknown);
		c.grown = c.unknown ? 0 : (double)y.u - (double)x.u;
		fn(ctx, &c);
	}
}
