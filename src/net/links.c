/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/scan.h"
#include "netns/names.h"

#include "cli/env.h"
#include "link/link.h"

static bool about_network(uint32_t type)
{
	return type == ABI_LINK_XDP || type == ABI_LINK_NETNS || type == ABI_LINK_TCX || type == ABI_LINK_NETKIT ||
	       type == ABI_LINK_NETFILTER;
}

static bool net_link_read(struct net *net, const struct abi_link_info *info, struct net_link *ret)
{
	struct net_link l = { .id = info->id, .type = info->type, .prog_id = info->prog_id };
	struct err gone = { 0 };
	struct link_rec rec = { .type = NULL };

	switch (info->type) {
	case ABI_LINK_XDP:
		l.ifindex = info->xdp.ifindex;
		break;
	case ABI_LINK_TCX:
	case ABI_LINK_NETKIT:
		l.ifindex = info->tcx.ifindex;
		l.attach_type = info->tcx.attach_type;
		break;
	case ABI_LINK_NETNS:
		l.netns_ino = info->netns.netns_ino;
		l.attach_type = info->netns.attach_type;
		break;
	default:
		if (link_read(net->env, net->env->arena, info->id, 0, &rec, &gone) || !rec.site)
			return false;
		l.pf = info->netfilter.pf;
		l.hook = info->netfilter.hooknum;
		l.prio = info->netfilter.priority;
		l.flags = info->netfilter.flags;
		l.site = arena_str(net->env->keep, rec.site, SIZE_MAX);
	}
	*ret = l;
	return true;
}

static int by_link_place(const void *pa, const void *pb)
{
	const struct net_link *a = pa, *b = pb;

	return NUM_CMP(a->pf, b->pf)		   ?:
		       NUM_CMP(a->hook, b->hook)   ?:
		       NUM_CMP(a->prio, b->prio)   ?:
		       NUM_CMP(a->flags, b->flags) ?:
						     NUM_CMP(a->id, b->id);
}

/* "LINK_ID INO" lines. Without an answer the namespaces stay unknown. */
static void namespaces_read(struct net *net)
{
	struct hash by_id;
	char *text, *line;

	if (ask_lines(net->env->machine, net->env->arena, &text, Q_LINK_NETNS))
		return;
	hash_init(&by_id, net->env->keep);
	for (size_t i = 0; i < net->nlinks; i++)
		*hash_put(&by_id, net->links[i].id) = &net->links[i];
	while ((line = strsep(&text, "\n"))) {
		struct net_link *l;
		uint64_t v;
		uint32_t id;

		if (!net_link_netns(net->env, line, &id, &v))
			continue;
		l = hash_get(&by_id, id);
		if (l && l->type != ABI_LINK_NETNS)
			l->netns_ino = v;
	}
}

static int read_all(struct net *net, struct err *e)
{
	struct env *env = net->env;
	const struct link_brief *all;
	size_t n, cap = 0;
	bool ask = false;
	int err = link_all(env, &all, &n, e);

	for (size_t i = 0; !err && i < n; i++) {
		struct net_link l = { 0 };

		if (!about_network(all[i].info.type) || !net_link_read(net, &all[i].info, &l))
			continue;
		ARENA_MORE(env->keep, net->links, net->nlinks, cap);
		net->links[net->nlinks++] = l;
		ask = ask || l.type != ABI_LINK_NETNS;
	}
	if (ask)
		namespaces_read(net);
	if (net->nlinks)
		qsort(net->links, net->nlinks, sizeof(*net->links), by_link_place);
	return err;
}

int net_links(struct net *net, struct err *e)
{
	struct err why = { 0 };

	if (net->links_read)
		return net->links_error ? err_sys(e, net->links_error, "cannot list links") : 0;
	net->links_read = true;
	net->links_error = read_all(net, &why);
	if (net->links_error && e && !e->code)
		*e = why;
	return net->links_error;
}

uint32_t net_link_find(struct net *net, uint32_t type, uint32_t ifindex, uint32_t attach_type, uint32_t prog_id)
{
	uint32_t ret = 0;

	if (net_links(net, NULL))
		return 0;
	for (size_t i = 0; i < net->nlinks; i++) {
		const struct net_link *l = &net->links[i];

		if (l->type != type || l->ifindex != ifindex || l->prog_id != prog_id ||
		    (attach_type && l->attach_type != attach_type))
			continue;
		if (l->netns_ino == net->ns->ino)
			return l->id;
		if (l->netns_ino)
			continue;
		if (ret) /* one of several: unknown which */
			return 0;
		ret = l->id;
	}
	return ret;
}
