/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "kernel/netlink.h"

/*
 * Attaching programs to the network by other means than BPF_PROG_ATTACH (attach.h), in the network namespace of the
 * socket.
 */

/*
 * Attach XDP through rtnetlink. @prog_fd -1: detach. @expected_fd: only if this program is attached now, with
 * XDP_FLAGS_REPLACE in @flags; else -1. 0 or -errno, with the kernel's message in @text.
 */
int xdp_set(struct nl *s, uint32_t ifindex, int prog_fd, uint32_t flags, int expected_fd, char text[NL_TEXT]);

/* Where a tc filter is: the header of its messages. */
struct tc_filter {
	uint32_t ifindex, handle, parent, info, chain;
}; /* info: priority << 16 | protocol in network order */
/*
 * A BPF filter with direct-action. @flags: NLM_F_CREATE | NLM_F_EXCL: a new one; 0: the one at @f gets this program and
 * name, atomically for packets.
 */
int tc_filter_set(struct nl *s, const struct tc_filter *f, uint16_t flags, int prog_fd, const char *name,
		  char text[NL_TEXT]);
int tc_filter_del(struct nl *s, const struct tc_filter *f, const char *kind, char text[NL_TEXT]);
/* 1: created; 0: the device already has one, or an ingress qdisc, which takes the same place. */
int tc_clsact_add(struct nl *s, uint32_t ifindex, char text[NL_TEXT]);

/* Create a link in the thread's network namespace: a descriptor, or -errno. */
int netfilter_link(int prog_fd, uint32_t pf, uint32_t hook, int32_t prio, uint32_t flags);
