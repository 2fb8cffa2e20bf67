/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "net/scan.h"
#include "kernel/hooks.h"
#include "kernel/netlink.h"

struct attach_request;
struct attach_result;
struct attachment;
/* Hooks of devices to which programs can be attached. */
#define NET_DEVICE_HOOKS (HOOK_BIT(HOOK_XDP) | HOOK_BIT(HOOK_MPROG))
#define NET_HOOKS (NET_DEVICE_HOOKS | HOOK_BIT(HOOK_TC) | HOOK_BIT(HOOK_NETNS) | HOOK_BIT(HOOK_NETFILTER))

/* An attach point: the words of cli/place.h, looked up. */
struct net_target {
	struct env *env;
	const struct hook *hook;
	const char *where, *rest; /* rest: without the namespace */
	const struct net_ns *ns;
	int own, there;	    /* descriptors of namespaces; there -1: ours */
	struct nl nl;	    /* after net_target_netlink() */
	struct net_dev dev; /* if the hook has one */
};
/* A target that began as NET_TARGET_NONE needs net_target_close() in any case. */
#define NET_TARGET_NONE \
	{ \
		.own = -1, .there = -1, .nl = NL_NONE \
	}
void net_target_close(struct net_target *t);
#define NET_TARGET __attribute__((cleanup(net_target_close))) struct net_target
int net_target_open(struct env *env, const char *where, const struct hook *h, struct net_target *t, struct err *e);
int net_target_device(struct net_target *t, struct err *e); /* t->dev as it is now */
int net_target_netlink(struct net_target *t, struct err *e);
/* Between these two, bpf(2) and netlink act in its namespace. */
int net_target_enter(const struct net_target *t, struct err *e);
void net_target_leave(const struct net_target *t);

/* attach.c, detach.c: of struct place */
int net_attach_place(struct env *env, const struct attach_request *q, struct attach_result *ret, struct err *e);
int net_detach_place(struct env *env, const struct attachment *a, bool dry_run, struct err *e);
/* The programs of a hook by BPF_PROG_QUERY, in the arena. 0 or -errno. */
struct hook_prog {
	uint32_t prog_id, link_id;
};
int net_target_progs(const struct net_target *t, struct hook_prog **ret, uint32_t *n, uint64_t *revision);
/* The program that an XDP hook of the device runs, 0: none. */
uint32_t net_target_xdp(const struct net_target *t);
