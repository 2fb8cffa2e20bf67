/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_NET_ATTACH_H
#define KERNEL_NET_ATTACH_H

#include <stdint.h>
#include "kernel/netlink.h"

/* What attaches programs to the network and is not BPF_PROG_ATTACH (attach.h). In the network namespace of the socket.
 */

/*
 * XDP through rtnetlink. @prog_fd -1: take off. @expected_fd: only in place of this program, with XDP_FLAGS_REPLACE in
 * @flags; else -1. 0 or -errno, with the kernel's own words.
 */
int xdp_set(struct nl *s, uint32_t ifindex, int prog_fd, uint32_t flags, int expected_fd, char text[NL_TEXT]);

/* Where a filter of tc is: the head of its messages. */
struct tc_filter {
	uint32_t ifindex, handle, parent, info, chain;
}; /* info: priority << 16, protocol in network order */
int tc_filter_add(struct nl *s, const struct tc_filter *f, int prog_fd, const char *name, char text[NL_TEXT]);
int tc_filter_del(struct nl *s, const struct tc_filter *f, const char *kind, char text[NL_TEXT]);
/* 1: it is new; 0: the device has it, or an ingress qdisc, which has its place. */
int tc_clsact_add(struct nl *s, uint32_t ifindex, char text[NL_TEXT]);

/* A link in the thread's network namespace: a descriptor, or -errno. */
int netfilter_link(int prog_fd, uint32_t pf, uint32_t hook, int32_t prio, uint32_t flags);

#endif
