/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/sections.h"

#include "cli/env.h"
#include "net/scan.h"

static const char *net_keep(struct net *net, const struct str *s)
{
	return s->n ? arena_str(net->env->keep, s->p, s->n) : NULL;
}

/* "ip input" to "ip/input/-128"; numbers where there is no word. */
static const char *hook_place(struct net *net, const struct net_rec *r)
{
	const char *blank = strchr(r->kind, ' ');

	if (!blank || strchr(r->kind, ','))
		return arena_fmt(net->env->keep, "%u/%u/%d", r->pf, r->hook, r->prio);
	return arena_fmt(net->env->keep, "%.*s/%s/%d", (int)(blank - r->kind), r->kind, blank + 1, r->prio);
}

static const char *where(struct net *net, const struct net_rec *r)
{
	const char *place = r->devname ? r->devname : "netns";

	if (r->sort == NET_NETFILTER)
		place = hook_place(net, r);
	else if (r->sort == NET_ACTION)
		place = arena_fmt(net->env->keep, "action/%u", r->index);
	if (net->ns->ours && r->netns_ino == net->ns->ino)
		return place;
	return arena_fmt(net->env->keep, "%s:%s", r->netns ? r->netns : "?", place);
}

static size_t text_copy(const struct str *s, char *buf, size_t size)
{
	return s->n ? str_snprintf(buf, size, "%s", s->p) : 0;
}

static void flags_words(struct str *s, const char *what, const uint32_t *bits, uint32_t n)
{
	if (n)
		str_fmt(s, "%s ", what);
	for (uint32_t i = 0; i < n; i++)
		str_fmt(s, "%u ", bits[i]);
}

/* With the blank at the end of bpftool's line. */
size_t net_mprog_text(const void *rec, char *buf, size_t size)
{
	const struct net_rec *r = rec;
	STR s = { 0 };

	if (!r->is_mprog)
		return 0;

	str_fmt(&s, " prog_id %u ", r->prog_id);
	flags_words(&s, "prog_flags", r->prog_flags, r->nprog_flags);
	if (r->link_id)
		str_fmt(&s, "link_id %u ", r->link_id);
	flags_words(&s, "link_flags", r->link_flags, r->nlink_flags);
	return text_copy(&s, buf, size);
}

size_t net_act_text(const void *rec, char *buf, size_t size)
{
	const struct net_rec *r = rec;
	STR s = { 0 };

	if (!r->is_filter || !r->nact)
		return 0;
	str_puts(&s, " act [");
	for (uint32_t i = 0; i < r->nact; i++) {
		const struct net_action *a = &r->act[i];

		str_fmt(&s, "{%s", a->name ? a->name : "");
		if (a->id)
			str_fmt(&s, " id %u", a->id);
		str_puts(&s, "}");
	}
	str_puts(&s, "] ");
	return text_copy(&s, buf, size);
}

size_t net_modes_text(const void *rec, char *buf, size_t size)
{
	const struct net_xdp *x = rec;
	STR s = { 0 };

	for (uint32_t i = 0; i < x->nmodes; i++)
		str_fmt(&s, " %s id %u", x->modes[i].kind, x->modes[i].prog_id);
	return text_copy(&s, buf, size);
}

/* In tc's words. */
static const char *filter_detail(struct net *net, const struct net_rec *r)
{
	STR s = { 0 };

	str_fmt(&s, "protocol %s pref %u %s", r->protocol, r->pref, r->filter);
	if (r->chain)
		str_fmt(&s, " chain %u", r->chain);
	str_fmt(&s, " handle %s", r->handle);
	if (r->has_block)
		str_fmt(&s, " block %u", r->block);
	else if (r->parent && strcmp(r->what, "tc") == 0)
		str_fmt(&s, " parent %s", r->parent);
	if (r->direct_action)
		str_puts(&s, " direct-action");
	for (uint32_t i = 0; i < r->nact; i++)
		str_fmt(&s, " action bpf %u", r->act[i].id);
	return net_keep(net, &s);
}

void net_done(struct net *net, struct net_rec *r)
{
	r->where = where(net, r);
	if (r->is_filter)
		r->detail = filter_detail(net, r);
	if (r->is_nf && r->flags)
		r->detail = arena_fmt(net->env->keep, "flags 0x%x", r->flags);
}
