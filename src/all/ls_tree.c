/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "all/ls.h"
#include "base/arena.h"
#include "base/out.h"
#include "cli/env.h"

/* Places stay in their order, and what is at one of them too. */
static int by_where(const void *pa, const void *pb)
{
	const struct ls_rec *a = *(const struct ls_rec *const *)pa, *b = *(const struct ls_rec *const *)pb;
	int c = strcmp(a->place, b->place) ? (a > b) - (a < b) : strcmp(a->a.where, b->a.where);

	return c ? c : (a > b) - (a < b);
}

static void print_leaf(struct out *o, const struct ls_rec *r)
{
	out_str(o, "    ");
	out_text(o, r->a.what);
	if (r->a.prog_id)
		out_fmt(o, "  prog %u", r->a.prog_id);
	else if (r->a.map_id)
		out_fmt(o, "  map %u", r->a.map_id);
	if (r->name && *r->name) {
		out_char(o, ' ');
		out_text(o, r->name);
	}
	if (r->a.link_id)
		out_fmt(o, "  link %u", r->a.link_id);
	if (r->a.detail) {
		out_str(o, "  ");
		out_text(o, r->a.detail);
	}
	out_char(o, '\n');
}

void ls_print_tree(struct env *env, const struct records *recs)
{
	const struct ls_rec **shown = arena_array(env->keep, recs->n, sizeof(*shown)), *last = NULL;
	struct out *o = env->report->out;

	for (size_t i = 0; i < recs->n; i++)
		shown[i] = ls_at(recs, i);
	qsort(shown, recs->n, sizeof(*shown), by_where);
	for (size_t i = 0; i < recs->n && !out_dead(o); last = shown[i++]) {
		bool other = !last || strcmp(last->place, shown[i]->place) != 0;

		if (other) {
			out_text(o, shown[i]->place);
			out_char(o, '\n');
		}
		if (other || strcmp(last->a.where, shown[i]->a.where) != 0) {
			out_str(o, "  ");
			out_text(o, shown[i]->a.where);
			out_char(o, '\n');
		}
		print_leaf(o, shown[i]);
	}
}
