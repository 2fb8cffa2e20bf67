/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/base.h"
#include "cli/env.h"
#include "net/scan.h"
#include "net/net.h"
#include "net/commands.h"
#include "net/read.h"

/* @prefix: of device names in other namespaces. */
static void offer_of(struct env *env, const struct net_ns *ns, const char *prefix, const char *typed, arg_offer *offer,
		     void *ctx)
{
	struct net_devs devs;
	struct err none = { 0 };

	if (net_devs_read(env, ns, &devs, &none))
		return;
	for (size_t i = 0; i < devs.n; i++) {
		const char *name = arena_fmt(env->keep, "%s%s", prefix, devs.dev[i].name);

		if (str_starts(name, typed))
			offer(ctx, name, devs.dev[i].kind);
	}
}

void net_offer_own_devices(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer,
			   void *ctx)
{
	const struct net_ns *ns;
	struct err none = { 0 };
	size_t n;

	(void)before;
	if (!net_namespaces(env, false, &ns, &n, &none))
		offer_of(env, ns, "", typed, offer, ctx);
}

void net_offer_devices(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	const struct net_ns *ns;
	struct err none = { 0 };
	size_t n;

	net_offer_own_devices(env, before, typed, offer, ctx);
	/* There may be hundreds of namespaces. */
	if (!*typed || net_namespaces(env, true, &ns, &n, &none))
		return;
	for (size_t i = 0; i < n; i++) {
		const char *prefix = arena_fmt(env->keep, "%s:", ns[i].name);

		if (!ns[i].ours && (str_starts(prefix, typed) || str_starts(typed, prefix)))
			offer_of(env, &ns[i], prefix, typed, offer, ctx);
	}
}

bool net_is_device(struct env *env, const char *where)
{
	const struct net_ns *ns;
	const char *name;
	struct net_devs devs;
	struct err none = { 0 };

	if (net_namespace_of(env, where, &ns, &name, &none) || net_devs_read(env, ns, &devs, &none))
		return false;
	for (size_t i = 0; i < devs.n; i++)
		if (!strcmp(devs.dev[i].name, name))
			return true;
	return false;
}

const struct command *const net_commands[] = { &net_show, &net_list, &net_attach, &net_detach, NULL };
