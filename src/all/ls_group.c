/* SPDX-License-Identifier: BSD-2-Clause */

#include "all/ls.h"
#include "cli/env.h"

/* A record, and the index of the first record of its place and of its hook there. */
struct seat {
	const struct ls_rec *r;
	size_t i, where, what;
};

static int cmp(size_t a, size_t b)
{
	return NUM_CMP(a, b);
}

static int by_where(const void *pa, const void *pb)
{
	const struct seat *a = pa, *b = pb;
	int c = strcmp(a->r->place, b->r->place);

	if (!c)
		c = strcmp(a->r->a.where, b->r->a.where);
	return c ? c : cmp(a->i, b->i);
}

static int by_hook(const void *pa, const void *pb)
{
	const struct seat *a = pa, *b = pb;
	int c = cmp(a->where, b->where);

	if (!c)
		c = strcmp(a->r->a.what, b->r->a.what);
	return c ? c : cmp(a->i, b->i);
}

static int by_order(const void *pa, const void *pb)
{
	const struct seat *a = pa, *b = pb;
	int c = cmp(a->where, b->where);

	if (!c)
		c = cmp(a->what, b->what);
	if (!c)
		c = cmp(a->r->a.order, b->r->a.order);
	return c ? c : cmp(a->i, b->i);
}

void ls_group(struct env *env, struct records *recs)
{
	struct seat *s = arena_array(env->keep, recs->n, sizeof(*s));
	const size_t size = recs->s->rec_size; /* of many machines, more follows each record */
	char *grouped = arena_array(env->keep, recs->n, size);

	for (size_t i = 0; i < recs->n; i++)
		s[i] = (struct seat){ .r = ls_at(recs, i), .i = i };
	qsort(s, recs->n, sizeof(*s), by_where);
	for (size_t i = 0; i < recs->n; i++) {
		bool same =
			i && !strcmp(s[i - 1].r->place, s[i].r->place) && !strcmp(s[i - 1].r->a.where, s[i].r->a.where);

		s[i].where = same ? s[i - 1].where : s[i].i;
	}
	qsort(s, recs->n, sizeof(*s), by_hook);
	for (size_t i = 0; i < recs->n; i++) {
		bool same = i && s[i - 1].where == s[i].where && !strcmp(s[i - 1].r->a.what, s[i].r->a.what);

		s[i].what = same ? s[i - 1].what : s[i].i;
	}
	qsort(s, recs->n, sizeof(*s), by_order);
	for (size_t i = 0; i < recs->n; i++)
		memcpy(grouped + i * size, s[i].r, size);
	recs->rec = grouped;
	recs->cap = recs->n;
}
