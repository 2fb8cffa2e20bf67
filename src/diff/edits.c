/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff/edits.h"

#define AROUND 3u

/* E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986): for each number of edits, the furthest point on
 * each diagonal. */
struct edits {
	const struct edit_lines *a, *b;
	struct arena *arena;
	size_t from, to_a, to_b; /* the lines between the equal ones at both ends */
	bool *gone, *new;	 /* of each line */
	/* By target line of a jump: the number of its label; at first any number but 0. */
	size_t *label_a, *label_b;
	/* By line of a: the line of b, from 1, that the same jumps go to; 0: none. */
	size_t *same_label;
};

static const char *key_of(const struct edit_line *l)
{
	return l->key ? l->key : l->text;
}

static bool same(const struct edits *e, size_t i, size_t k)
{
	const struct edit_line *x = &e->a->v[i], *y = &e->b->v[k];

	return !x->to == !y->to && !strcmp(key_of(x), key_of(y));
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

/* How many of the lines before each one stay. */
static size_t *kept_count(const struct edit_lines *l, const bool *out, struct arena *a)
{
	size_t *ret = arena_array(a, l->n + 1, sizeof(*ret));

	for (size_t i = 0; i < l->n; i++)
		ret[i + 1] = ret[i] + (!out[i] && !l->v[i].quiet);
	return ret;
}

/* All lines of both in their order: one of a that is gone, one of b that is new, or one of each. */
struct both_walk {
	size_t i, k; /* the lines */
	bool gone, new, begun;
};

static bool both_next(const struct edits *e, struct both_walk *w)
{
	if (w->begun) {
		w->i += !w->new;
		w->k += !w->gone;
	}
	w->begun = true;
	w->gone = w->i < e->a->n && e->gone[w->i];
	w->new = w->k < e->b->n && e->new[w->k] && !w->gone;
	return w->i < e->a->n || w->k < e->b->n;
}

/* A jump stays if the next line that stays is the same at both targets: what was added or removed there is shown. */
static void jumps_compare(struct edits *e)
{
	const size_t *kept_a = kept_count(e->a, e->gone, e->arena), *kept_b = kept_count(e->b, e->new, e->arena);

	for (struct both_walk w = { 0 }; both_next(e, &w);) {
		const size_t to_a = w.new ? 0 : e->a->v[w.i].to, to_b = w.gone ? 0 : e->b->v[w.k].to;

		if (to_a)
			e->label_a[to_a - 1] = 1;
		if (to_b)
			e->label_b[to_b - 1] = 1;
		if (to_a && to_b && kept_a[to_a - 1] != kept_b[to_b - 1])
			e->gone[w.i] = e->new[w.k] = true;
		else if (to_a && to_b && !e->same_label[to_a - 1])
			e->same_label[to_a - 1] = to_b;
	}
}

/* Labels are numbered in the order of the lines of both. One of a that has no counterpart in b keeps its own number. */
static void labels_number(struct edits *e)
{
	size_t n = 0;

	for (struct both_walk w = { 0 }; both_next(e, &w);) {
		if (!w.gone && !w.new && e->label_a[w.i] && !e->same_label[w.i]) {
			e->same_label[w.i] = w.k + 1;
			e->label_b[w.k] = 1;
		}
		if (w.gone && e->label_a[w.i] && !e->same_label[w.i])
			e->label_a[w.i] = ++n;
		if (!w.gone && e->label_b[w.k])
			e->label_b[w.k] = ++n;
	}
	for (size_t i = 0; i < e->a->n; i++)
		if (e->same_label[i])
			e->label_a[i] = e->label_b[e->same_label[i] - 1];
}

/* All lines of both, in their order. */
struct both_line {
	const char *text; /* with its mark */
	bool differs, quiet;
};
struct both_lines {
	struct both_line *v;
	size_t n;
};

static void both_put(struct edits *e, struct both_lines *to, char mark, const struct edit_line *l, const size_t *labels)
{
	const char *label = l->to ? arena_fmt(e->arena, "L%zu", labels[l->to - 1]) : "";

	to->v[to->n++] = (struct both_line){ arena_fmt(e->arena, "%c%s%s", mark, l->text, label),
					     mark != ' ' && !l->quiet, l->quiet };
}

static void label_put(struct edits *e, struct both_lines *to, size_t label)
{
	to->v[to->n++].text = arena_fmt(e->arena, " L%zu:", label);
}

static struct both_lines both_make(struct edits *e)
{
	struct both_lines ret = { .v = arena_array(e->arena, 2 * (e->a->n + e->b->n), sizeof(*ret.v)) };

	for (struct both_walk w = { 0 }; both_next(e, &w);) {
		if (w.gone) {
			if (e->label_a[w.i] && !e->same_label[w.i])
				label_put(e, &ret, e->label_a[w.i]);
			both_put(e, &ret, '-', &e->a->v[w.i], e->label_a);
			continue;
		}
		if (e->label_b[w.k])
			label_put(e, &ret, e->label_b[w.k]);
		both_put(e, &ret, w.new ? '+' : ' ', &e->b->v[w.k], e->label_b);
	}
	return ret;
}

/* A line of source that differs is one with its instructions. */
static void sources_mark(struct both_lines *l)
{
	size_t from = 0, to = 0; /* of the last lines of source */

	for (size_t i = 0; i < l->n; i++) {
		if (l->v[i].quiet) {
			from = i == to ? from : i;
			to = i + 1;
		}
		for (; l->v[i].differs && from < to; from++)
			l->v[from].differs = *l->v[from].text != ' ';
	}
}

/* Print the lines from @from to @to. *a, *b: how many lines each text has before them, and then before @to. */
static void hunk_put(struct arena *arena, const struct both_lines *l, size_t from, size_t to, size_t *a, size_t *b,
		     struct text_lines *ret)
{
	const char **head = &ret->line[ret->n++];
	size_t na = 0, nb = 0;

	for (size_t i = from; i < to; i++) {
		ret->line[ret->n++] = l->v[i].text;
		na += *l->v[i].text != '+';
		nb += *l->v[i].text != '-';
	}
	*head = arena_fmt(arena, "@@ -%zu,%zu +%zu,%zu @@", *a + (na > 0), na, *b + (nb > 0), nb);
	*a += na;
	*b += nb;
}

/* Differences with at most twice AROUND lines between them are together. */
static void hunks_put(struct arena *arena, const struct both_lines *l, struct text_lines *ret)
{
	size_t a = 0, b = 0, done = 0;

	for (size_t i = 0, last; i < l->n; i++) {
		const size_t from = i - done > AROUND ? i - AROUND : done;

		if (!l->v[i].differs)
			continue;
		for (; done < from; done++) {
			a += *l->v[done].text != '+';
			b += *l->v[done].text != '-';
		}
		for (last = i; i < l->n && i - last <= 2 * AROUND; i++)
			last = l->v[i].differs ? i : last;
		done = l->n - last > AROUND ? last + AROUND + 1 : l->n;
		hunk_put(arena, l, from, done, &a, &b, ret);
		i = done - 1;
	}
}

void edits_find(const struct edit_lines *a, const struct edit_lines *b, struct arena *arena, struct text_lines *ret)
{
	struct edits e = {
		.a = a,
		.b = b,
		.arena = arena,
		.gone = arena_array(arena, a->n + 1, sizeof(bool)),
		.new = arena_array(arena, b->n + 1, sizeof(bool)),
		.label_a = arena_array(arena, a->n + 1, sizeof(size_t)),
		.label_b = arena_array(arena, b->n + 1, sizeof(size_t)),
		.same_label = arena_array(arena, a->n + 1, sizeof(size_t)),
	};
	struct both_lines both;

	ends_find(&e);
	marks_set(&e);
	jumps_compare(&e);
	labels_number(&e);
	both = both_make(&e);
	sources_mark(&both);
	/* There are not more hunks than lines. */
	*ret = (struct text_lines){ .line = arena_array(arena, 2 * both.n + 1, sizeof(*ret->line)) };
	hunks_put(arena, &both, ret);
}
