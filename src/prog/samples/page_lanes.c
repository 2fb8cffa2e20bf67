/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/samples/page_lanes.h"

#include "cli/env.h"
#include "cli/kind.h"
#include "record/field.h"
#include "render/html.h"
#include "source/lives.h"

#define AXIS_TICKS 4

/* Times in percent of the recording. */
struct lane {
	const struct life *life;
	double from, length;
	uint64_t ns;
};

/* False: its lifetime is unknown. */
static bool lane_of(const struct lives *l, const struct life *life, struct lane *ret)
{
	const double whole = (double)(l->to - l->from);
	const uint64_t loaded = life->loaded > l->from ? life->loaded : l->from;
	const uint64_t gone = life->gone ? life->gone_at : l->to, end = gone < l->to ? gone : l->to;

	if ((!life->loaded && life->how != LIFE_BEFORE) || !gone || loaded > end)
		return false;
	*ret = (struct lane){ life, (double)(loaded - l->from) * 100 / whole, (double)(end - loaded) * 100 / whole,
			      end - loaded };
	return true;
}

/* The longest first, then the earliest. */
static int by_length(const void *pa, const void *pb)
{
	const struct lane *a = pa, *b = pb;

	return NUM_CMP(b->ns, a->ns) ?: NUM_CMP(a->from, b->from) ?: NUM_CMP(a->life->id, b->life->id);
}

static void lane_put(struct env *env, struct out *o, const struct lane *l)
{
	ARENA_SCOPE(env->arena);
	const struct life *life = l->life;
	const struct object_label label = kind_label(env, &kind_prog, life->id);
	const bool known = label.avail == AVAIL_YES;
	char span[32];

	out_fmt(o, "<div class=\"lane\"><a href=\"#prog-%u\">%u ", life->id, life->id);
	html_text(o, known ? label.name : "?");
	out_str(o, "</a><span>");
	html_text(o, known ? label.type : "?");
	out_fmt(o, " %s, ", num_nsec(span, sizeof(span), l->ns));
	if (life->how == LIFE_BEFORE)
		out_str(o, "loaded before");
	else if (life->has_loader)
		html_text(o, arena_fmt(env->arena, "by %s(%u)", life->comm, life->pid));
	out_fmt(o, "</span><span class=\"life\" style=\"--a:%.2f;--b:%.2f\"></span></div>\n", l->from, l->length);
}

static void axis_put(struct out *o, uint64_t ns)
{
	char span[32];

	out_str(o, "<div class=\"lane axis\"><span></span><span></span><span class=\"ticks\">");
	for (unsigned i = 0; i <= AXIS_TICKS; i++)
		out_fmt(o, "<span>%s</span>", i ? num_nsec(span, sizeof(span), ns / AXIS_TICKS * i) : "0");
	out_str(o, "</span></div>\n");
}

bool page_has_lanes(struct env *env)
{
	const struct lives *l = facts_lives(env->machine);

	return l && l->to > l->from && l->n;
}

void page_lanes_write(struct env *env, struct out *o)
{
	const struct lives *l = facts_lives(env->machine);
	struct lane *lanes = arena_array(env->keep, l->n, sizeof(*lanes));
	size_t n = 0, shown;

	for (size_t i = 0; i < l->n; i++)
		n += lane_of(l, &l->life[i], &lanes[n]);
	shown = n < LANES_MAX ? n : LANES_MAX;
	if (n)
		qsort(lanes, n, sizeof(*lanes), by_length);
	html_section(o, "lives", "Lifetimes of programs");
	axis_put(o, l->to - l->from);
	for (size_t i = 0; i < shown && !out_dead(o); i++) {
		if (i == LANES_OPEN)
			out_fmt(o, "<details>\n<summary>%zu shorter ones</summary>\n", shown - i);
		lane_put(env, o, &lanes[i]);
	}
	if (shown > LANES_OPEN)
		out_str(o, "</details>\n");
	if (l->n > shown)
		out_fmt(o, "<p class=\"none\">%zu more, with a shorter or an unknown lifetime</p>\n", l->n - shown);
	html_section_end(o);
}
