/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/sections.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/clean.h"
#include "base/out.h"
#include "base/str.h"
#include "cli/env.h"
#include "record/field.h"
#include "render/render.h"

/* The records of some sorts that follow each other. */
static const struct net_rec *part(const struct net_rec **at, const struct net_rec *end, enum net_sort first, enum net_sort last, uint32_t *n)
{
	const struct net_rec *from = *at;

	while (*at < end && (*at)->sort >= first && (*at)->sort <= last)
		++*at;
	*n = (uint32_t)(*at - from);
	return from;
}

static const struct net_xdp *xdp_make(struct env *env, const struct net_rec *r, uint32_t n, uint32_t *ret_n)
{
	struct net_xdp *all = arena_array(env->keep, n, sizeof(*all)), *x = all;

	for (uint32_t i = 0; i < n; x++) {
		STR text = { 0 };

		*x = (struct net_xdp){ .devname = r[i].devname, .ifindex = r[i].ifindex, .modes = &r[i] };
		for (; i < n && r[i].ifindex == x->ifindex; i++) {
			str_fmt(&text, " %s id %u", r[i].kind, r[i].prog_id);
			x->nmodes++;
		}
		x->text = arena_str(env->keep, text.p, text.n);
		x->has_one = x->nmodes == 1 ? AVAIL_YES : AVAIL_NO;
		x->has_many = x->nmodes > 1 ? AVAIL_YES : AVAIL_NO;
		if (!x->has_one)
			continue;
		x->mode = x->modes->kind;
		x->prog_id = x->modes->prog_id;
		x->link_id = x->modes->link_id;
		x->prog_name = x->modes->prog_name;
		x->tag = x->modes->tag;
	}
	*ret_n = (uint32_t)(x - all);
	return all;
}

void net_sections_make(struct env *env, const struct net_ns *ns, const struct records *recs, struct net_sections *ret)
{
	const struct net_rec *at = (const struct net_rec *)recs->rec, *end = recs->n ? at + recs->n : at, *xdp;
	uint32_t n;

	*ret = (struct net_sections){ .netns = ns->name, .netns_ino = ns->ino };
	xdp = part(&at, end, NET_XDP, NET_XDP, &n);
	ret->xdp = xdp_make(env, xdp, n, &ret->nxdp);
	ret->tc = part(&at, end, NET_MPROG, NET_FILTER, &ret->ntc);
	ret->actions = part(&at, end, NET_ACTION, NET_ACTION, &ret->nactions);
	ret->flow = part(&at, end, NET_FLOW, NET_FLOW, &ret->nflow);
	ret->lookup = part(&at, end, NET_LOOKUP, NET_LOOKUP, &ret->nlookup);
	ret->netfilter = part(&at, end, NET_NETFILTER, NET_NETFILTER, &ret->nnetfilter);
}

/* Of each record a line: what stands before it, and behind it. */
static void print_part(struct env *env, const struct schema *s, const void *recs, uint32_t n, const char *before, const char *after)
{
	for (uint32_t i = 0; i < n; i++) {
		out_str(env->report->out, before);
		render_plain_headline(env->report->out, s, (const char *)recs + i * s->rec_size);
		out_str(env->report->out, after);
	}
	out_char(env->report->out, '\n');
}

void net_sections_print(struct env *env, const struct net_sections *s, bool named)
{
	if (named) {
		out_str(env->report->out, "netns:\n");
		out_text(env->report->out, s->netns);
		out_fmt(env->report->out, "(%" PRIu64 ")\n\n", s->netns_ino);
	}
	out_str(env->report->out, "xdp:\n");
	print_part(env, &schema_net_xdp, s->xdp, s->nxdp, "", "\n");
	out_str(env->report->out, "tc:\n");
	print_part(env, &schema_net_tc, s->tc, s->ntc, "", "\n");
	out_str(env->report->out, "flow_dissector:\n");
	print_part(env, &schema_net_netns, s->flow, s->nflow, "", "");
	out_str(env->report->out, "netfilter:\n");
	print_part(env, &schema_net_netfilter, s->netfilter, s->nnetfilter, "\n\t", "");
	if (named)
		out_char(env->report->out, '\n');
}
