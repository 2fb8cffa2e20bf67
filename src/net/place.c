/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/place.h"

#include "cli/env.h"
#include "net/net.h"
#include "net/read.h"
#include "net/target.h"

static void net_place_add(struct env *env, const struct net_rec *r, struct records *ret)
{
	struct attachment *a = attachment_add(ret, env);

	*a = (struct attachment){
		.where = r->where,
		.what = r->what,
		.prog_id = r->prog_id,
		.link_id = r->link_id,
		.order = r->order,
		.ifindex = r->ifindex,
		.netns_ino = r->netns_ino,
		.detail = r->detail,
	};
}

/* The actions of a filter run at its attach point. Classic BPF actions are not programs. */
static void net_places_add(struct env *env, const struct net_rec *r, struct records *ret)
{
	struct net_rec act = *r;

	if (r->prog_id)
		net_place_add(env, r, ret);
	for (uint32_t i = 0; i < r->nact; i++) {
		act.prog_id = r->act[i].id;
		act.what = hook_of(HOOK_ACTION, 0)->word;
		if (act.prog_id)
			net_place_add(env, &act, ret);
	}
}

/* A namespace that has gone meanwhile is skipped; one that cannot be read is noted. */
static void netns_place_read(struct env *env, struct net *net, const struct net_ns *ns)
{
	struct err why = { 0 };

	if (net_read(net, ns, NULL, &why) && why.code != -ENOENT)
		report_unread(env->report, &why);
}

static int net_place_list(struct env *env, struct records *ret, struct err *e)
{
	struct records recs = { .s = &schema_net };
	struct net *net = net_new(env, NET_WANT_LINKS | NET_WANT_ACTIONS, &recs);
	const struct net_ns *ns;
	size_t n;
	int err = net_namespaces(env, true, &ns, &n, e);

	for (size_t i = 0; !err && i < n; i++) {
		netns_place_read(env, net, &ns[i]);
		env_progress(env, "network namespaces read", i + 1);
	}
	for (size_t i = 0; i < recs.n; i++)
		net_places_add(env, (const struct net_rec *)recs.rec + i, ret);
	return err;
}

static unsigned hooks_at(struct env *env, const char *where)
{
	size_t n = strlen(where), suffix = strlen(":netns");
	uint32_t pf, hook;
	int32_t priority;

	if (nf_hook_parse(where, &pf, &hook, &priority))
		return HOOK_BIT(HOOK_NETFILTER);
	if (!strcmp(where, "netns") || (n > suffix && !strcmp(where + n - suffix, ":netns")))
		return HOOK_BIT(HOOK_NETNS);
	return net_is_device(env, where) ? HOOK_BIT(HOOK_XDP) | HOOK_BIT(HOOK_MPROG) | HOOK_BIT(HOOK_TC) : 0;
}

static void net_place_offer(struct env *env, uint32_t prog_type, const char *typed, arg_offer *offer, void *ctx)
{
	if (hook_any_takes(HOOK_BIT(HOOK_NETNS), prog_type))
		offer(ctx, "netns", "our network namespace");
	if (hook_any_takes(HOOK_BIT(HOOK_XDP) | HOOK_BIT(HOOK_MPROG) | HOOK_BIT(HOOK_TC), prog_type))
		net_offer_devices(env, NULL, typed, offer, ctx);
}

const struct place place_net = {
	.name = "net",
	.help = "programs of network namespaces",
	.hooks = NET_HOOKS,
	.hooks_at = hooks_at,
	.offer = net_place_offer,
	.list = net_place_list,
	.attach = net_attach_place,
	.detach = net_detach_place,
};
