/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/edge.h"

const char *const edge_words[EDGE_KINDS + 1] = {
	[EDGE_PROG] = "prog",	  [EDGE_MAP] = "map",	       [EDGE_BTF] = "btf",	 [EDGE_LINK] = "link",
	[EDGE_PIN] = "pin",	  [EDGE_PROCESS] = "process",  [EDGE_DEVICE] = "device", [EDGE_NETNS] = "netns",
	[EDGE_CGROUP] = "cgroup", [EDGE_KINDS] = "attachment",
};

/* false: the unit is not that of a reference. */
static bool edge_of_unit(enum field_unit unit, enum edge_to *ret)
{
	static const struct {
		enum field_unit unit;
		enum edge_to to;
	} units[] = {
		{ FU_PROG, EDGE_PROG },	     { FU_MAP, EDGE_MAP },     { FU_BTF, EDGE_BTF },
		{ FU_LINK, EDGE_LINK },	     { FU_PIN, EDGE_PIN },     { FU_PID, EDGE_PROCESS },
		{ FU_IFINDEX, EDGE_DEVICE }, { FU_NETNS, EDGE_NETNS }, { FU_CGROUP, EDGE_CGROUP },
	};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (units[i].unit == unit) {
			*ret = units[i].to;
			return true;
		}
	return false;
}

/* A record's own id may have the unit of its kind. */
static bool is_edge(const struct field *f)
{
	enum edge_to to;

	if (!strcmp(f->name, "id"))
		return false;
	if (f->type != FT_ROWS)
		return edge_of_unit(f->unit, &to);
	for (size_t i = 0; i < f->rows->n; i++)
		if (is_edge(&f->rows->fields[i]))
			return true;
	return false;
}

bool edge_any(const struct schema *s, unsigned skip)
{
	for (size_t i = 0; i < s->n; i++)
		if (!(s->fields[i].need & skip) && is_edge(&s->fields[i]))
			return true;
	return false;
}

unsigned edge_need(const struct schema *s, unsigned skip)
{
	unsigned need = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct field *f = &s->fields[i];

		if ((f->need & skip) || !is_edge(f))
			continue;
		need |= f->need;
		if (f->type == FT_ROWS)
			need |= edge_need(f->rows, skip);
	}
	return need;
}

static void level_push(struct edge_iter *it, const struct schema *s, const void *rec, bool holder)
{
	if (it->depth < EDGE_DEPTH)
		it->level[it->depth++] = (struct edge_level){ .it = SCHEMA_ITER(s, rec), .holder = holder };
}

void edge_begin(struct edge_iter *it, const struct schema *s, const void *rec, unsigned skip)
{
	it->skip = skip;
	it->unknown = false;
	it->depth = 0;
	level_push(it, s, rec, false);
}

/* Go to the next field with a value. False: the record has no more. */
static bool level_next(struct edge_iter *it, struct edge_level *l)
{
	while ((l->f = schema_next(&l->it))) {
		if ((l->f->need & it->skip) || !is_edge(l->f))
			continue;
		l->v = schema_value(&l->it, l->f);
		l->i = 0;
		it->unknown |= l->v.avail == AVAIL_UNKNOWN;
		if (l->v.avail == AVAIL_YES)
			return true;
	}
	return false;
}

/* The name of a process is in the same row as its number. */
static const char *process_name(const struct edge_level *l)
{
	const struct schema *in;
	const struct field *f = schema_find(l->it.base, l->it.rec, "comm", &in);
	struct value v;

	if (!f || f->type != FT_STR)
		return NULL;
	v = field_get(in, f, l->it.rec);
	return v.avail == AVAIL_YES ? v.s : NULL;
}

/* The namespace of a device is in the same record as its index. */
static uint64_t device_netns(const struct edge_level *l)
{
	struct schema_iter it = SCHEMA_ITER(l->it.base, l->it.rec);
	const struct field *f;

	while ((f = schema_next(&it)))
		if (f->unit == FU_NETNS && f->type == FT_UINT) {
			struct value v = schema_value(&it, f);

			return v.avail == AVAIL_YES ? v.u : 0;
		}
	return 0;
}

/* False: the value is 0 or empty, and refers to nothing. */
static bool edge_of(const struct edge_level *l, const struct value *v, struct edge *ret)
{
	*ret = (struct edge){ .holder = l->holder || l->f->flags & FIELD_HOLDER, .field = l->f };
	if (!edge_of_unit(l->f->unit, &ret->to) || v->avail != AVAIL_YES || value_is_zero(v))
		return false;
	if (ret->to == EDGE_PIN) {
		ret->name = v->s;
		return true;
	}
	ret->id = v->u;
	if (ret->to == EDGE_PROCESS)
		ret->name = process_name(l);
	if (ret->to == EDGE_DEVICE)
		ret->netns = device_netns(l);
	return true;
}

bool edge_next(struct edge_iter *it, struct edge *ret)
{
	while (it->depth) {
		struct edge_level *l = &it->level[it->depth - 1];
		struct value elem;

		if (!l->f && !level_next(it, l)) {
			it->depth--;
			continue;
		}
		if (l->v.type != FT_LIST && l->v.type != FT_ROWS) {
			bool is = edge_of(l, &l->v, ret);

			l->f = NULL;
			if (is)
				return true;
		} else if (l->i == l->v.list.n) {
			l->f = NULL;
		} else if (l->v.type == FT_ROWS) {
			const char *row = l->v.list.p;

			level_push(it, l->f->rows, row + (size_t)l->i++ * l->v.list.stride,
				   l->holder || l->f->flags & FIELD_HOLDER);
		} else {
			elem = value_elem(l->f, &l->v, l->i++);
			if (edge_of(l, &elem, ret))
				return true;
		}
	}
	return false;
}
