/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/target.h"

#include <linux/if_link.h>

#include "cli/env.h"
#include "host/netns.h"
#include "kernel/query.h"
#include "source/live/source.h"

void net_target_close(struct net_target *t)
{
	nl_close(&t->nl);
	clean_fd(&t->own);
	clean_fd(&t->there);
}

int net_target_open(struct env *env, const char *where, const struct hook *h, struct net_target *t, struct err *e)
{
	uint64_t own;
	int err;

	t->env = env;
	t->hook = h;
	t->where = where;
	err = net_namespace_of(env, where, &t->ns, &t->rest, e);
	if (!err && !t->ns->ours) {
		t->own = netns_open_own(&own);
		t->there = t->own < 0 ? t->own : source_live_netns(env->machine->src, t->ns->ino);
		if (t->there < 0)
			return err_sys(e, t->there, "cannot reach network namespace %s", t->ns->name);
	}
	if (!err && (HOOK_BIT(h->kind) & (NET_DEVICE_HOOKS | HOOK_BIT(HOOK_TC) | HOOK_BIT(HOOK_FILTER))))
		return net_target_device(t, e);
	if (!err && h->kind == HOOK_NETNS && strcmp(t->rest, "netns") != 0)
		return err_usage(e,
				 "%s programs belong to a whole network namespace: WHERE is 'netns', or 'NAME:netns'",
				 h->word);
	return err;
}

int net_target_device(struct net_target *t, struct err *e)
{
	struct net_devs devs;
	int err = net_devs_read(t->env, t->ns, &devs, e);

	for (size_t i = 0; !err && i < devs.n; i++) {
		if (strcmp(devs.dev[i].name, t->rest) != 0)
			continue;
		t->dev = devs.dev[i];
		return 0;
	}
	return err ? err : err_set(e, -ENOENT, "there is no network device %s", t->where);
}

int net_target_enter(const struct net_target *t, struct err *e)
{
	int err = t->there < 0 ? 0 : netns_enter(t->there);

	return err ? err_sys(e, err, "cannot enter network namespace %s", t->ns->name) : 0;
}

void net_target_leave(const struct net_target *t)
{
	if (t->there >= 0)
		netns_leave(t->own);
}

int net_target_netlink(struct net_target *t, struct err *e)
{
	int err = t->nl.fd >= 0 ? 0 : net_target_enter(t, e);

	if (err || t->nl.fd >= 0)
		return err;
	err = nl_open(&t->nl);
	net_target_leave(t);
	return err ? err_sys(e, err, "cannot open a netlink socket") : 0;
}

int net_target_progs(const struct net_target *t, struct hook_prog **ret, uint32_t *n, uint64_t *revision)
{
	struct env *env = t->env;
	struct prog_query q = { .head = { .count = 0 } };
	struct blob b;
	int err = ask(env->machine, env->arena, &b, Q_NET_QUERY, t->ns->ino, t->dev.ifindex, .text = t->hook->word);

	if (err)
		return err;
	err = prog_query_next(&b.p, &b.n, &q);
	if (err < 0)
		return err;
	*n = q.head.count;
	*revision = q.head.revision;
	*ret = arena_array(env->arena, *n + 1, sizeof(**ret));
	for (uint32_t i = 0; i < *n; i++)
		(*ret)[i] = (struct hook_prog){ prog_query_at(&q, QUERY_PROGS, i), prog_query_at(&q, QUERY_LINKS, i) };
	return 0;
}

uint32_t net_target_xdp(const struct net_target *t)
{
	const uint32_t *xdp = t->dev.xdp;

	switch (t->hook->arg) {
	case XDP_FLAGS_SKB_MODE:
		return xdp[NET_XDP_GENERIC];
	case XDP_FLAGS_DRV_MODE:
		return xdp[NET_XDP_DRIVER];
	case XDP_FLAGS_HW_MODE:
		return xdp[NET_XDP_OFFLOAD];
	default: /* the kernel uses the driver if it can; driver and generic mode exclude each other */
		return xdp[NET_XDP_DRIVER] ? xdp[NET_XDP_DRIVER] : xdp[NET_XDP_GENERIC];
	}
}
