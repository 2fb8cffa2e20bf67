/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/env.h"
#include "doctor/check.h"
#include "relate/misfit.h"

struct found {
	uint32_t stale, events; /* maps */
	uint32_t first[2];	/* nodes: the first of each */
	const char *why[2];
};

static void found_count(struct doctor *d, const struct graph *g, struct found *ret)
{
	struct misfits m;

	misfits_init(&m, d->env, g);
	for (uint32_t i = 0; i < g->nodes; i++) {
		const char *why;
		const enum misfit is = misfit_of(&m, i, &why);
		const unsigned k = is != MISFIT_STALE;

		if (!is)
			continue;
		if (!(k ? ret->events++ : ret->stale++)) {
			ret->first[k] = i;
			ret->why[k] = why;
		}
	}
}

static const char *first_text(const struct doctor *d, const struct graph *g, const struct found *f, unsigned k,
			      uint32_t n)
{
	return arena_fmt(d->env->keep, "%s: %s%s", graph_title(&g->node[f->first[k]], d->env->keep), f->why[k],
			 n > 1 ? arena_fmt(d->env->keep, "; and %u more", n - 1) : "");
}

static void maps_check(struct doctor *d, const struct graph *g, bool whole)
{
	const char *part = "no such map in what could be read";
	const enum check_state none = whole ? CHECK_OK : CHECK_UNKNOWN;
	struct check_rec pins = { "pinned_maps", none,
				  whole ? "no attached program uses another map in place of one" : part, NULL, NULL },
			 events = { "event_buffers", none, whole ? "each has a program and a process" : part, NULL,
				    NULL };
	struct found f = { 0 };

	found_count(d, g, &f);
	if (f.stale)
		pins = (struct check_rec){ pins.check, CHECK_LIMITED, first_text(d, g, &f, 0, f.stale),
					   "who opens the pin does not see what the program does",
					   "bpflens orphans -Q 'state == stale'" };
	if (f.events)
		events = (struct check_rec){ events.check, CHECK_LIMITED, first_text(d, g, &f, 1, f.events),
					     "events are lost, or never come",
					     "bpflens orphans -Q 'state == unread || state == unwritten'" };
	check_add(d, pins);
	check_add(d, events);
}

void checks_maps(struct doctor *d)
{
	struct env *env = d->env;
	struct refusal **mark = env->machine->refused_end;
	struct graph *g = arena_alloc(env->keep, sizeof(*g));
	struct err noted = { 0 };

	if (graph_read(env, 0, false, 1, g, &noted))
		*g = (struct graph){ 0 };
	maps_check(d, g, !noted.code && !report_is_partial(env->report) && !*mark);
}
