/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff/edits.h"

#define AROUND 3u

/* E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986): for each number of edits, the furthest point on
 * each diagonal. */
struct edits {
	const struct text_lines *a, *b;
	struct arena *arena;
	size_t from, to_a, to_b; /* the lines between the equal ones at both ends */
	bool *gone, *new;	 /* of each line */
};

static bool same(const struct edits *e, size_t i, size_t k)
{
	return !strcmp(e->a->line[i], e->b->line[k]);
}

static void ends_find(struct edits *e)
{
	e->to_a = e->a->n;
	e->to_b = e->b->n;
	while (e->from < e->to_a && e->from < e->to_b && same(e, e->from, e->from))
		e->from++;
	while (e->to_a > e->from && e->to_b > e->from && same(e, e->to_a - 1, e->to_b - 1)) {
		e->to_a--;
		e->to_b--;
	}
}

/* trace[d]: how far each diagonal -d..d is after round d. NULL: there are more than EDITS_MAX edits. */
static long **rounds_run(struct edits *e, long n, long m, long *ret_d)
{
	const long max = n + m < EDITS_MAX ? n + m : EDITS_MAX;
	long **trace = arena_array(e->arena, (size_t)max + 1, sizeof(*trace));
	long *all = arena_array(e->arena, 2 * (size_t)max + 3, sizeof(*all)), *v = all + max + 1;

	for (long d = 0; d <= max; d++) {
		for (long k = -d; k <= d; k += 2) {
			long x = k == -d || (k != d && v[k - 1] < v[k + 1]) ? v[k + 1] : v[k - 1] + 1;

			while (x < n && x - k < m && x - k >= 0 &&
			       same(e, e->from + (size_t)x, e->from + (size_t)(x - k)))
				x++;
			v[k] = x;
			if (x < n || x - k < m)
				continue;
			*ret_d = d;
			return trace;
		}
		trace[d] = arena_dup(e->arena, v - d, (2 * (size_t)d + 1) * sizeof(*v));
	}
	return NULL;
}

static void marks_set(struct edits *e)
{
	const long n = (long)(e->to_a - e->from), m = (long)(e->to_b - e->from);
	long d = 0, x = n, y = m, **trace = rounds_run(e, n, m, &d);

	for (long i = 0; !trace && i < n; i++)
		e->gone[e->from + (size_t)i] = true;
	for (long i = 0; !trace && i < m; i++)
		e->new[e->from + (size_t)i] = true;
	for (; trace && d > 0; d--) {
		const long *v = trace[d - 1] + (d - 1), k = x - y;
		const bool down = k == -d || (k != d && v[k - 1] < v[k + 1]);

		if (down) {
			x = v[k + 1];
			y = x - (k + 1);
			e->new[e->from + (size_t)y] = true;
		} else {
			x = v[k - 1];
			y = x - (k - 1);
			e->gone[e->from + (size_t)x] = true;
		}
	}
}

struct hunk {
	size_t a, b, end_a, end_b;
};

/* The next difference, with all that follow it closely. */
static bool hunk_next(const struct edits *e, size_t *a, size_t *b, struct hunk *ret)
{
	size_t quiet = 0, before;

	while (*a < e->a->n && *b < e->b->n && !e->gone[*a] && !e->new[*b]) {
		++*a;
		++*b;
	}
	if (*a == e->a->n && *b == e->b->n)
		return false;
	before = *a < AROUND ? *a : AROUND;
	before = *b < before ? *b : before;
	*ret = (struct hunk){ .a = *a - before, .b = *b - before };
	while (quiet <= 2 * AROUND && (*a < e->a->n || *b < e->b->n)) {
		const bool gone = *a < e->a->n && e->gone[*a], new = !gone &&*b < e->b->n && e->new[*b];

		quiet = gone || new ? 0 : quiet + 1;
		*a += gone || !new;
		*b += new || !gone;
	}
	quiet = quiet > AROUND ? quiet - AROUND : 0;
	ret->end_a = *a - quiet;
	ret->end_b = *b - quiet;
	return true;
}

static void hunk_put(const struct edits *e, const struct hunk *h, struct text_lines *ret)
{
	size_t a = h->a, b = h->b;

	ret->line[ret->n++] = arena_fmt(e->arena, "@@ -%zu,%zu +%zu,%zu @@", h->a + (h->end_a > h->a), h->end_a - h->a,
					h->b + (h->end_b > h->b), h->end_b - h->b);
	while (a < h->end_a || b < h->end_b) {
		if (a < h->end_a && e->gone[a])
			ret->line[ret->n++] = arena_fmt(e->arena, "-%s", e->a->line[a++]);
		else if (b < h->end_b && e->new[b])
			ret->line[ret->n++] = arena_fmt(e->arena, "+%s", e->b->line[b++]);
		else {
			ret->line[ret->n++] = arena_fmt(e->arena, " %s", e->a->line[a++]);
			b++;
		}
	}
}

void edits_find(const struct text_lines *a, const struct text_lines *b, struct arena *arena, struct text_lines *ret)
{
	struct edits e = {
		.a = a,
		.b = b,
		.arena = arena,
		.gone = arena_array(arena, a->n + 1, sizeof(bool)),
		.new = arena_array(arena, b->n + 1, sizeof(bool)),
	};
	struct hunk h;
	size_t i = 0, k = 0;

	ends_find(&e);
	marks_set(&e);
	/* Each line is printed at most once, and there are not more hunks than lines. */
	*ret = (struct text_lines){ .line = arena_array(arena, 2 * (a->n + b->n) + 1, sizeof(*ret->line)) };
	while (hunk_next(&e, &i, &k, &h))
		hunk_put(&e, &h, ret);
}
