/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/sections.h"

#include "cli/env.h"
#include "record/field.h"
#include "render/doc.h"

/* The records of consecutive kinds. */
static const struct net_rec *part(const struct net_rec **at, const struct net_rec *end, enum net_sort first,
				  enum net_sort last, uint32_t *n)
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
		*x = (struct net_xdp){ .devname = r[i].devname, .ifindex = r[i].ifindex, .modes = &r[i] };
		for (; i < n && r[i].ifindex == x->ifindex; i++)
			x->nmodes++;
		x->has_one = x->nmodes == 1 ? AVAIL_YES : AVAIL_NO;
		x->has_many = x->nmodes > 1 ? AVAIL_YES : AVAIL_NO;
		if (!x->has_one)
			continue;
		x->mode = x->modes->kind;
		x->prog_id = x->modes->prog_id;
		x->link_id = x->modes->link_id;
		x->prog_name = x->modes->prog_name;
		x->tag = x->modes->tag;
		x->has_name = x->modes->has_name;
		x->has_tag = x->modes->has_tag;
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

/* A section: its records, and in text what precedes and follows each. */
static void part_write(struct doc *d, const struct net_sections *s, const struct field *f, const char *before,
		       const char *after)
{
	struct value v = field_get(&schema_net_sections, f, s);
	const char *rec = v.list.p;

	doc_text(d, f->name);
	doc_text(d, ":\n");
	doc_list(d, f->name);
	for (uint32_t i = 0; i < v.list.n; i++, rec += v.list.stride) {
		doc_text(d, before);
		doc_cell(d, f->rows, rec);
		doc_text(d, after);
	}
	doc_end(d);
	doc_text(d, "\n");
}

static void netns_head(struct doc *d, const struct net_sections *s)
{
	char number[32];

	snprintf(number, sizeof(number), "(%" PRIu64 ")\n\n", s->netns_ino);
	doc_text(d, "netns:\n");
	doc_text_escape(d, s->netns);
	doc_text(d, number);
}

void net_sections_write(struct doc *d, const struct net_sections *s, bool named)
{
	static const char *const around[][2] = { { "", "\n" }, { "", "\n" }, { "", "" }, { "\n\t", "" } };

	doc_object(d, NULL);
	if (named)
		netns_head(d, s);
	for (size_t i = 0; i < ARRAY_SIZE(around); i++)
		part_write(d, s, &schema_net_sections.fields[i], around[i][0], around[i][1]);
	doc_fields(d, &schema_net_hidden, s);
	if (named)
		doc_text(d, "\n");
	doc_end(d);
}
