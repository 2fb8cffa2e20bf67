/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_LIVE_NET_H
#define SOURCE_LIVE_NET_H

#include <stdint.h>
#include "kernel/netlink.h"
#include "kernel/query.h"

struct str;
struct asked;
struct own;
/*
 * The part of the live source that asks network namespaces: the questions Q_NET_…. The last one asked is kept open; the
 * thread is in it for no longer than a socket is opened or a question of bpf(2) lasts. LIVE_NET_NONE at first.
 */
struct live_net {
	struct own *programs; /* BPF programs of ours */
	int own;	      /* descriptor of our own namespace, -1: not opened yet */
	uint64_t own_ino;
	int ns; /* of the one asked last, -1: none; may be own */
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
/* sys/netns_list, kept: it says how a namespace can be reached. */
int live_net_list(struct live_net *n, struct str *ret);
void live_net_release(struct live_net *n);

#endif
