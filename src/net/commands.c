/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/err.h"
#include "base/str.h"
#include "cli/env.h"
#include "net/inner.h"
#include "net/net.h"
#include "net/parts.h"

void net_offer_devices(struct env *env, const char *typed, arg_offer *offer, void *ctx)
{
	const struct net_ns *ns;
	struct net_devs devs;
	struct err none = { 0 };
	size_t n;

	if (net_namespaces(env, false, &ns, &n, &none) || net_devs_read(env, ns, &devs, &none))
		return;
	for (size_t i = 0; i < devs.n; i++)
		if (str_starts(devs.dev[i].name, typed))
			offer(ctx, devs.dev[i].name, devs.dev[i].kind);
}

const struct command *const net_commands[] = { &net_show, &net_list, &net_attach, &net_detach, NULL };
