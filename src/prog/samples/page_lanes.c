/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/samples/page_lanes.h"

#include "base/base.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "record/field.h"
#include "render/html.h"
#include "source/lives.h"

/* In percent of the recording. */
struct lane {
	uint32_t id;
	double from, length;
};

/* False: its lifetime is unknown. */
static bool lane_of(const struct lives *l, const struct life *life, struct lane *ret)
{
	const double whole = (double)(l->to - l->from);
	const uint64_t loaded = life->loaded > l->from ? life->loaded : l->from;
	const uint64_t gone = life->gone ? life->gone_at : l->to, end = gone < l->to ? gone : l->to;

	if (!life->loaded || !gone || loaded > end)
		return false;
	*ret = (struct lane){ life->id, (double)(loaded - l->from) * 100 / whole,
			      (double)(end - loaded) * 100 / whole };
	return true;
}

static int by_length(const void *pa, const void *pb)
{
	const struct lane *a = pa, *b = pb;

	return a->length != b->length ? (a->length < b->length) - (a->length > b->length) :
					(a->id > b->id) - (a->id < b->id);
}

static int by_start(const void *pa, const void *pb)
{
	const struct lane *a = pa, *b = pb;

	return a->from != b->from ? (a->from > b->from) - (a->from < b->from) : (a->id > b->id) - (a->id < b->id);
}

static void lane_put(struct env *env, struct out *o, const struct lane *l)
{
	const struct object_label label = kind_label(env, &kind_prog, l->id);

	out_fmt(o, "<div class=\"lane\"><a href=\"#prog-%u\">%u ", l->id, l->id);
	html_text(o, label.avail == AVAIL_YES ? label.name : "?");
	out_fmt(o, "</a><span class=\"life\" style=\"--a:%.2f;--b:%.2f\"></span></div>\n", l->from, l->length);
}

void page_lanes_write(struct env *env, struct out *o)
{
	const struct lives *l = facts_lives(env->machine);
	struct lane *lanes;
	size_t n = 0, shown;

	if (!l || l->to <= l->from)
		return;
	lanes = arena_array(env->keep, l->n, sizeof(*lanes));
	for (size_t i = 0; i < l->n; i++)
		n += lane_of(l, &l->life[i], &lanes[n]);
	if (!n)
		return;
	shown = n < LANES_MAX ? n : LANES_MAX;
	qsort(lanes, n, sizeof(*lanes), by_length);
	qsort(lanes, shown, sizeof(*lanes), by_start);
	html_section(o, "lives", "Lifetimes of programs");
	for (size_t i = 0; i < shown && !out_dead(o); i++)
		lane_put(env, o, &lanes[i]);
	if (l->n > shown)
		out_fmt(o, "<p class=\"none\">%zu more, with a shorter or an unknown lifetime</p>\n", l->n - shown);
	html_section_end(o);
}
