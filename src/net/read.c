/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/read.h"

#include <linux/if_link.h>

#include "base/near.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "net/scan.h"
#include "source/info.h"
#include "record/field.h"
#include "kernel/abi.h"
#include "kernel/hooks.h"
#include "kernel/query.h"

struct net *net_new(struct env *env, unsigned want, struct records *ret)
{
	struct net *net = arena_alloc(env->keep, sizeof(*net));

	net->env = env;
	net->want = want;
	net->ret = ret;
	hash_init(&net->progs, env->keep);
	return net;
}

const struct net_prog *net_prog(struct net *net, uint32_t id)
{
	struct env *env = net->env;
	void **slot = hash_put(&net->progs, id);
	ARENA_SCOPE(env->arena);
	struct object_label label;
	struct abi_prog_info info;
	struct err gone = { 0 };
	struct net_prog *p = *slot;

	if (p)
		return p;
	p = *slot = arena_alloc(env->keep, sizeof(*p));
	if (!prog_info(env->machine, env->arena, id, &info, &gone) && info.name[0])
		p->name = arena_str(env->keep, info.name, sizeof(info.name));
	p->known = !gone.code ? AVAIL_YES : gone.code == -ENOENT ? AVAIL_NO : AVAIL_UNKNOWN;
	label = kind_label(env, &kind_prog, id);
	p->full_name = *label.name ? label.name : NULL;
	p->tag = *label.tag ? label.tag : NULL;
	return p;
}

struct net_rec *net_add(struct net *net, enum net_sort sort, const struct net_dev *dev, uint32_t prog_id)
{
	struct net_rec *r = records_add(net->ret, net->env);
	const struct net_prog *p = prog_id && (net->want & NET_WANT_NAMES) ? net_prog(net, prog_id) : NULL;

	r->sort = sort;
	r->netns_ino = net->ns->ino;
	r->netns = net->ns->name;
	r->devname = dev ? dev->name : NULL;
	r->ifindex = dev ? dev->ifindex : 0;
	r->prog_id = prog_id;
	r->prog_name = p ? p->full_name : NULL;
	r->tag = p ? p->tag : NULL;
	r->has_name = r->has_tag = p ? p->known : AVAIL_NO;
	return r;
}

static void read_xdp(struct net *net, const struct net_dev *d)
{
	static const uint32_t modes[NET_XDP_MODES] = { XDP_FLAGS_SKB_MODE, XDP_FLAGS_DRV_MODE, XDP_FLAGS_HW_MODE };

	for (int i = 0; i < NET_XDP_MODES; i++) {
		const struct hook *h = hook_of(HOOK_XDP, modes[i]);
		struct net_rec *r;

		if (!d->xdp[i])
			continue;
		r = net_add(net, NET_XDP, d, d->xdp[i]);
		r->kind = h->alias;
		r->what = h->word;
		if (net->want & NET_WANT_LINKS)
			r->link_id = net_link_find(net, ABI_LINK_XDP, d->ifindex, 0, d->xdp[i]);
		net_done(net, r);
	}
}

/* The bits that are set, as numbers. */
static const uint32_t *bits_of(struct net *net, uint32_t flags, uint32_t *n)
{
	uint32_t *ret = arena_array(net->env->keep, 32, sizeof(*ret));

	for (*n = 0; flags; flags &= flags - 1)
		ret[(*n)++] = flags & -flags;
	return ret;
}

static void add_mprog(struct net *net, struct net_rec *r, const struct prog_query *q, uint32_t i)
{
	r->is_mprog = AVAIL_YES;
	r->name = net_prog(net, r->prog_id)->name;
	r->link_id = prog_query_at(q, QUERY_LINKS, i);
	r->revision = q->head.revision;
	r->prog_flags = bits_of(net, prog_query_at(q, QUERY_PROG_FLAGS, i), &r->nprog_flags);
	r->link_flags = bits_of(net, prog_query_at(q, QUERY_LINK_FLAGS, i), &r->nlink_flags);
}

static void add_query(struct net *net, const struct net_dev *d, enum net_sort sort, const struct hook *h,
		      const struct prog_query *q)
{
	for (uint32_t i = 0; i < q->head.count; i++) {
		struct net_rec *r = net_add(net, sort, d, prog_query_at(q, QUERY_PROGS, i));

		r->kind = h->alias ? h->alias : h->word;
		r->what = h->word;
		r->order = sort == NET_FLOW ? 0 : i + 1;
		if (sort == NET_MPROG)
			add_mprog(net, r, q, i);
		else if (net->want & NET_WANT_LINKS)
			r->link_id = net_link_find(net, ABI_LINK_NETNS, 0, (uint32_t)h->type, r->prog_id);
		net_done(net, r);
	}
}

/* @d NULL: programs of the namespace itself. */
static void read_query(struct net *net, const struct net_dev *d, enum net_sort sort, const struct hook *h)
{
	struct env *env = net->env;
	ARENA_SCOPE(env->arena);
	struct err why = { 0 };
	struct prog_query q;
	struct blob b;
	int err, more = 0;

	if (net->refused >> h->type & 1)
		return;
	err = ask(env->machine, env->arena, &b, Q_NET_QUERY, net->ns->ino, d ? d->ifindex : 0, .text = h->word);
	if (err) {
		net->refused |= 1ull << h->type;
		err_sys(&why, err, "cannot read the programs of %s%s%s", h->word,
			net->ns->ours ? "" : " in network namespace ", net->ns->ours ? "" : net->ns->name);
		report_unread(env->report, &why);
	}
	while (!err && (more = prog_query_next(&b.p, &b.n, &q)) > 0)
		add_query(net, d, sort, h, &q);
	if (more < 0)
		note_refused(env->machine, more, Q_NET_QUERY, net->ns->ino, d ? d->ifindex : 0, .text = h->word);
}

static void read_tc(struct net *net, const struct net_dev *d)
{
	const struct hook *h = NULL;
	bool netkit = !strcmp(d->kind, "netkit") && !d->is_peer;

	while ((h = hook_next(h, HOOK_BIT(HOOK_MPROG))))
		if (netkit || (h->type != ABI_ATTACH_NETKIT_PRIMARY && h->type != ABI_ATTACH_NETKIT_PEER))
			read_query(net, d, NET_MPROG, h);
	net_filters_read(net, d);
}

static void add_netfilter(struct net *net, const struct net_link *l)
{
	struct net_rec *r = net_add(net, NET_NETFILTER, NULL, l->prog_id);

	r->netns_ino = l->netns_ino;
	r->netns = l->netns_ino == net->ns->ino ? net->ns->name :
		   !l->netns_ino		? NULL :
						  arena_fmt(net->env->keep, "%" PRIu64, l->netns_ino);
	r->is_nf = AVAIL_YES;
	r->kind = l->site;
	r->what = hook_of(HOOK_NETFILTER, 0)->word;
	r->link_id = l->id;
	r->pf = l->pf;
	r->hook = l->hook;
	r->prio = l->prio;
	r->flags = l->flags;
	net_done(net, r);
}

static void read_netfilter(struct net *net)
{
	struct err why = { 0 };

	if (net_links(net, &why)) {
		report_unread(net->env->report, &why);
		return;
	}
	for (size_t i = 0; i < net->nlinks; i++)
		if (net->links[i].type == ABI_LINK_NETFILTER && net->links[i].netns_ino == net->ns->ino)
			add_netfilter(net, &net->links[i]);
}

void net_read_strays(struct net *net, const struct net_ns *known, size_t n)
{
	if (net_links(net, NULL)) /* already reported */
		return;
	for (size_t i = 0; i < net->nlinks; i++) {
		bool stray = net->links[i].type == ABI_LINK_NETFILTER && (known || !net->links[i].netns_ino);

		for (size_t k = 0; known && stray && k < n; k++)
			stray = known[k].ino != net->links[i].netns_ino;
		if (stray)
			add_netfilter(net, &net->links[i]);
	}
}

static int no_device(const struct net_devs *devs, const char *dev, struct err *e)
{
	struct near near = { 0 };

	for (size_t i = 0; i < devs->n; i++)
		near_offer(&near, dev, devs->dev[i].name);
	err_set(e, -ENOENT, "there is no network device %s", dev);
	return near_hint(&near, e);
}

int net_read(struct net *net, const struct net_ns *ns, const char *dev, struct err *e)
{
	size_t found = 0;
	struct err why = { 0 };
	int err;

	net->ns = ns;
	net->refused = 0;
	hash_init(&net->acts, net->env->keep);
	err = net_devs_read(net->env, ns, &net->devs, e);
	if (err)
		return err;
	if (net_qdiscs_read(net->env, ns, &net->devs, &why))
		report_unread(net->env->report, &why);
	for (size_t i = 0; i < net->devs.n; i++)
		if (!dev || !strcmp(net->devs.dev[i].name, dev))
			net->devs.dev[found++] = net->devs.dev[i];
	if (dev && !found)
		return no_device(&net->devs, dev, e);
	net->devs.n = found;
	for (size_t i = 0; i < found; i++)
		read_xdp(net, &net->devs.dev[i]);
	for (size_t i = 0; i < found; i++)
		read_tc(net, &net->devs.dev[i]);
	if (!dev && (net->want & NET_WANT_ACTIONS))
		net_actions_read(net);
	read_query(net, NULL, NET_FLOW, &hooks[ABI_ATTACH_FLOW_DISSECTOR]);
	read_query(net, NULL, NET_LOOKUP, &hooks[ABI_ATTACH_SK_LOOKUP]);
	read_netfilter(net);
	return 0;
}
