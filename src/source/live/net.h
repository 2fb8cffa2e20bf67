/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "kernel/netlink.h"
#include "kernel/query.h"

struct asked;
struct own;
/*
 * The part of the live source that asks network namespaces: the questions Q_NET_…. The namespace asked last stays open;
 * the thread enters it only to open a socket or to call bpf(2). LIVE_NET_NONE at first.
 */
struct live_net {
	struct own *programs; /* our own BPF programs */
	int own;	      /* descriptor of our namespace; -1: not opened yet */
	uint64_t own_ino;
	int ns; /* of the namespace asked last; -1: none; may be equal to own */
	uint64_t ino;
	struct nl nl; /* in it */
	struct prog_query_room room;
	struct str *list; /* the last sys/netns_list, or NULL */
};
#define LIVE_NET_NONE \
	{ \
		.own = -1, .ns = -1, .nl = NL_NONE \
	}
/* Appends the answer to @ret. 0 or -errno; -ENODATA: no such question. */
int live_net_get(struct live_net *n, const struct asked *q, struct str *ret);
/* sys/netns_list, which is kept because it has the paths of the namespaces. */
int live_net_list(struct live_net *n, struct str *ret);
int live_net_open(struct live_net *n, uint64_t ino); /* a descriptor of the namespace; -ENOENT: it is gone */
/* Closes the namespace that was asked last: it may end while nothing is asked. */
void live_net_idle(struct live_net *n);
void live_net_release(struct live_net *n);
