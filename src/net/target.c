/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/target.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/if_link.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clean.h"
#include "base/err.h"
#include "cli/env.h"
#include "kernel/abi.h"
#include "host/netns.h"
#include "kernel/query.h"

enum { TYPE_TC = 3, TYPE_XDP = 6, TYPE_FLOW_DISSECTOR = 22, TYPE_SK_LOOKUP = 30, TYPE_NETFILTER = 32 };	/* BPF_PROG_TYPE_* */

static const struct hook hooks[] = {
	{ "xdp", HOOK_XDP, ABI_ATTACH_XDP, 0, false, TYPE_XDP },
	{ "xdpgeneric", HOOK_XDP, ABI_ATTACH_XDP, XDP_FLAGS_SKB_MODE, false, TYPE_XDP },
	{ "xdpdrv", HOOK_XDP, ABI_ATTACH_XDP, XDP_FLAGS_DRV_MODE, false, TYPE_XDP },
	{ "xdpoffload", HOOK_XDP, ABI_ATTACH_XDP, XDP_FLAGS_HW_MODE, false, TYPE_XDP },
	{ "tcx_ingress", HOOK_MPROG, ABI_ATTACH_TCX_INGRESS, 0, false, TYPE_TC },
	{ "tcx_egress", HOOK_MPROG, ABI_ATTACH_TCX_EGRESS, 0, false, TYPE_TC },
	{ "netkit_primary", HOOK_MPROG, ABI_ATTACH_NETKIT_PRIMARY, 0, false, TYPE_TC },
	{ "netkit_peer", HOOK_MPROG, ABI_ATTACH_NETKIT_PEER, 0, false, TYPE_TC },
	{ "tc_ingress", HOOK_TC, TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS), 0, false, TYPE_TC },
	{ "tc_egress", HOOK_TC, TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS), 0, false, TYPE_TC },
	{ "flow_dissector", HOOK_NETNS, ABI_ATTACH_FLOW_DISSECTOR, 0, false, TYPE_FLOW_DISSECTOR },
	{ "sk_lookup", HOOK_NETNS, ABI_ATTACH_SK_LOOKUP, 0, true, TYPE_SK_LOOKUP },
	{ "netfilter", HOOK_NETFILTER, ABI_ATTACH_NETFILTER, 0, true, TYPE_NETFILTER },
};

const char *const hook_words[] = {
	"xdp", "xdpgeneric", "xdpdrv", "xdpoffload", "tcx_ingress", "tcx_egress", "netkit_primary", "netkit_peer", "tc_ingress",
	"tc_egress", "flow_dissector", "sk_lookup", "netfilter", NULL,
};

const struct hook *hook_find(const char *what)
{
	for (size_t i = 0; i < ARRAY_SIZE(hooks); i++)
		if (!strcmp(hooks[i].what, what))
			return &hooks[i];
	return NULL;
}

void target_close(struct target *t)
{
	nl_close(&t->nl);
	clean_fd(&t->own);
	clean_fd(&t->there);
}

int target_open(struct env *env, const char *where, const struct hook *h, struct target *t, struct err *e)
{
	uint64_t own;
	int err;

	t->env = env;
	t->hook = h;
	t->where = where;
	err = net_namespace_of(env, where, &t->ns, &t->rest, e);
	if (!err && !t->ns->ours) {
		t->own = netns_open_own(&own);
		t->there = t->own < 0 ? t->own : netns_open(t->ns->path, t->ns->ino);
		if (t->there < 0)
			return err_sys(e, t->there, "cannot reach network namespace %s", t->ns->name);
	}
	if (!err && (h->sort == HOOK_XDP || h->sort == HOOK_MPROG || h->sort == HOOK_TC))
		return target_device(t, e);
	if (!err && h->sort == HOOK_NETNS && strcmp(t->rest, "netns") != 0)
		return err_usage(e, "%s programs are of a whole network namespace: WHERE is 'netns', or 'NAME:netns'", h->what);
	return err;
}

int target_device(struct target *t, struct err *e)
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

int target_enter(const struct target *t, struct err *e)
{
	int err = t->there < 0 ? 0 : netns_enter(t->there);

	return err ? err_sys(e, err, "cannot enter network namespace %s", t->ns->name) : 0;
}

void target_leave(const struct target *t)
{
	if (t->there >= 0)
		netns_leave(t->own);
}

int target_netlink(struct target *t, struct err *e)
{
	int err = t->nl.fd >= 0 ? 0 : target_enter(t, e);

	if (err || t->nl.fd >= 0)
		return err;
	err = nl_open(&t->nl);
	target_leave(t);
	return err ? err_sys(e, err, "cannot open a netlink socket") : 0;
}

int target_progs(const struct target *t, struct hook_prog **ret, uint32_t *n, uint64_t *revision)
{
	struct env *env = t->env;
	struct prog_query q = { .head = { .count = 0 } };
	struct blob b;
	int err = source_get(env->src, env->arena, &b, "net/%" PRIu64 "/query/%u/%s", t->ns->ino, t->dev.ifindex, t->hook->what);

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

uint32_t target_xdp(const struct target *t)
{
	const uint32_t *xdp = t->dev.xdp;

	switch (t->hook->mode) {
	case XDP_FLAGS_SKB_MODE:
		return xdp[NET_XDP_GENERIC];
	case XDP_FLAGS_DRV_MODE:
		return xdp[NET_XDP_DRIVER];
	case XDP_FLAGS_HW_MODE:
		return xdp[NET_XDP_OFFLOAD];
	default:	/* the kernel takes the driver where it can, and there cannot be a generic one beside it */
		return xdp[NET_XDP_DRIVER] ? xdp[NET_XDP_DRIVER] : xdp[NET_XDP_GENERIC];
	}
}
