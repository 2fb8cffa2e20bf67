/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff/rise.h"

#include "diff/fields.h"

void rises_init(struct rises *r, struct arena *keep)
{
	*r = (struct rises){ .keep = keep };
	keys_init(&r->found, keep);
}

struct rise_moment *rises_moment(struct rises *r)
{
	for (size_t i = 0; i < r->n; i++)
		r->v[i]->row = NULL;
	ARENA_MORE(r->keep, r->moment, r->moments, r->moment_cap);
	r->moment[r->moments] = (struct rise_moment){ .order = r->moments };
	return &r->moment[r->moments++];
}

/* NULL: too many names have one hash. */
static struct rising *group_of(struct rises *r, const struct rising_object *o)
{
	STR key = { 0 };
	struct rising *g;
	void **slot;

	str_fmt(&key, "%s %zu %s %s", o->kind, strlen(o->type), o->type, o->name);
	slot = keys_put(&r->found, key.p);
	if (!slot || *slot)
		return slot ? *slot : NULL;
	g = *slot = arena_alloc(r->keep, sizeof(*g));
	*g = (struct rising){ .object = o->object,
			      .kind = arena_str(r->keep, o->kind, SIZE_MAX),
			      .type = arena_str(r->keep, o->type, SIZE_MAX),
			      .name = arena_str(r->keep, o->name, SIZE_MAX) };
	ARENA_MORE(r->keep, r->v, r->n, r->cap);
	r->v[r->n++] = g;
	return g;
}

static struct rise_row *row_of(struct rises *r, struct rising *g)
{
	struct rise_moment *m = &r->moment[r->moments - 1];

	if (g->row)
		return g->row;
	g->row = arena_alloc(r->keep, sizeof(*g->row));
	*g->row = (struct rise_row){ .group = g };
	ARENA_MORE(r->keep, m->row, m->n, m->cap);
	m->row[m->n++] = g->row;
	return g->row;
}

static void row_owner(struct rises *r, struct rise_row *row, const struct rising_object *o)
{
	const char **unit = arena_array(r->keep, o->nunit, sizeof(*unit));

	for (uint32_t i = 0; i < o->nunit; i++)
		unit[i] = arena_str(r->keep, o->unit[i], SIZE_MAX);
	row->newest = o->id;
	row->owner = o->owner ? arena_str(r->keep, o->owner, SIZE_MAX) : NULL;
	row->unit = unit;
	row->nunit = o->nunit;
}

void rises_add(struct rises *r, const struct rising_object *o)
{
	struct rising *g = group_of(r, o);
	struct rise_row *row = g ? row_of(r, g) : NULL;

	if (!row) {
		r->moment[r->moments - 1].lacks |= 1u << o->object;
		return;
	}
	if (o->id >= row->newest)
		row_owner(r, row, o);
	for (unsigned i = 0; i < AMOUNTS; i++) {
		row->unknown[i] |= o->unknown[i];
		if (!o->unknown[i] && __builtin_add_overflow(row->v[i], o->v[i], &row->v[i]))
			row->v[i] = UINT64_MAX;
	}
}

static int moment_order(const void *pa, const void *pb)
{
	const struct rise_moment *a = pa, *b = pb;

	return NUM_CMP(a->time, b->time) ?: NUM_CMP(a->order, b->order);
}

static int moments_check(const struct rises *r, struct err *e)
{
	const char *host = NULL;

	for (size_t i = 0; i < r->moments; i++) {
		const char *other = r->moment[i].host;

		if (host && other && strcmp(host, other) != 0)
			return err_usage(e, "the files are of several machines, %s and %s: growth is that of one", host,
					 other);
		host = host ? host : other;
	}
	return 0;
}

static void boots_leave(struct rises *r)
{
	size_t first = r->moments;

	while (first && (!r->moment[first - 1].boot || !r->moment[r->moments - 1].boot ||
			 boots_are_same(r->moment[first - 1].boot, r->moment[r->moments - 1].boot)))
		first--;
	r->left_out = first;
	r->moment += first;
	r->moments -= first;
	r->moment_cap -= first;
}

static void moment_step(struct rises *r, const struct rise_moment *m, bool is_first)
{
	for (size_t i = 0; i < r->n; i++)
		r->v[i]->row = NULL;
	for (size_t i = 0; i < m->n; i++)
		m->row[i]->group->row = m->row[i];
	for (size_t i = 0; i < r->n; i++) {
		struct rising *g = r->v[i];

		for (unsigned k = 0; k < AMOUNTS; k++) {
			const uint64_t now = g->row ? g->row->v[k] : 0;
			const bool known = !(m->lacks >> g->object & 1) && !(g->row && g->row->unknown[k]);

			g->rises[k] = known && (is_first || (g->rises[k] && now > g->last[k]));
			g->first[k] = is_first ? now : g->first[k];
			g->last[k] = now;
		}
	}
}

int rises_find(struct rises *r, struct err *e)
{
	int err = moments_check(r, e);

	if (err)
		return err;
	if (r->moments)
		qsort(r->moment, r->moments, sizeof(*r->moment), moment_order);
	boots_leave(r);
	if (r->moments < 2)
		return err_usage(e, r->left_out ? "growth needs two files since the last boot" :
						  "growth needs at least two files that can be read, or a recording");
	if (!rises_ns(r))
		return err_usage(e, "all files are of the same second: growth has no rate");
	for (size_t i = 0; i < r->moments; i++)
		moment_step(r, &r->moment[i], !i);
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i]->row) {
			r->v[i]->owner = r->v[i]->row->owner;
			r->v[i]->unit = r->v[i]->row->unit;
			r->v[i]->nunit = r->v[i]->row->nunit;
		}
	return 0;
}

uint64_t rises_ns(const struct rises *r)
{
	return r->moment[r->moments - 1].time - r->moment[0].time;
}
