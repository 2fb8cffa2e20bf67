/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "cli/env.h"
#include "net/inner.h"
#include "net/net.h"
#include "net/parts.h"

void net_offer_devices(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	const struct net_ns *ns;
	struct net_devs devs;
	struct err none = { 0 };
	size_t n;

	(void)before;
	if (net_namespaces(env, false, &ns, &n, &none) || net_devs_read(env, ns, &devs, &none))
		return;
	for (size_t i = 0; i < devs.n; i++)
		if (str_starts(devs.dev[i].name, typed))
			offer(ctx, devs.dev[i].name, devs.dev[i].kind);
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
