/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "all/ls.h"
#include "base/out.h"
#include "cli/env.h"

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
	const struct ls_rec *last = NULL;
	struct out *o = env->report->out;

	for (size_t i = 0; i < recs->n && !out_dead(o); last = ls_at(recs, i++)) {
		const struct ls_rec *r = ls_at(recs, i);
		bool other = !last || strcmp(last->place, r->place) != 0;

		if (other) {
			out_text(o, r->place);
			out_char(o, '\n');
		}
		if (other || strcmp(last->a.where, r->a.where) != 0) {
			out_str(o, "  ");
			out_text(o, r->a.where);
			out_char(o, '\n');
		}
		print_leaf(o, r);
	}
}
