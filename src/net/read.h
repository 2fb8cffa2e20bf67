/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/records.h"
#include "kernel/net_attach.h"
#include "netns/devices.h"

/*
 * A network namespace is read as a whole, in time linear in its devices; a device is not asked for what it cannot have.
 * All results live in env->keep.
 */
enum net_sort { NET_XDP, NET_MPROG, NET_FILTER, NET_ACTION, NET_FLOW, NET_LOOKUP, NET_NETFILTER };

/* A BPF action of a filter. */
struct net_action {
	const char *name;
	uint32_t id; /* its program; 0: classic BPF */
	uint32_t index;
	const char *prog_name, *tag;
	uint8_t has_name; /* enum avail */
};

/* A program at an attach point. */
struct net_rec {
	enum net_sort sort;
	const char *devname; /* NULL: no device */
	uint32_t ifindex;
	uint64_t netns_ino; /* 0: unknown */
	const char *netns;  /* its name */
	const char *kind;   /* XDP: "generic"; tc: "tcx/ingress", "clsact/egress", "htb"; netfilter: "ip input" */
	const char *what;   /* word of cli/place.h */
	const char *name;   /* of the filter or action; tcx: of the program, truncated by the kernel */
	uint32_t prog_id, link_id; /* 0: none */
	const char *prog_name, *tag;
	const char *where, *detail; /* in the words of cli/place.h */
	uint32_t order;		    /* position in the run order, from 1; 0: does not apply */
	/* tcx and netkit: the bits that are set, as numbers */
	const uint32_t *prog_flags, *link_flags;
	uint32_t nprog_flags, nlink_flags;
	uint64_t revision;
	/* filters and actions */
	const char *filter; /* "bpf", or another kind of filter with a BPF action */
	uint32_t filter_id; /* its program, under bpftool's name for it; 0: classic BPF */
	struct tc_filter tc;
	uint32_t pref, chain, block, index;
	const char *protocol, *handle, *parent, *classid;
	bool direct_action, skip_hw, skip_sw, in_hw;
	const struct net_action *act;
	uint32_t nact;
	/* netfilter */
	uint32_t pf, hook, flags;
	int32_t prio;
	uint8_t has_name, has_tag;				  /* enum avail: of prog_name, tag */
	uint8_t is_mprog, is_filter, is_nf, is_action, has_block; /* enum avail: which of these apply */
};

enum net_want {
	NET_WANT_NAMES = 1 << 0,   /* of programs, and their tags */
	NET_WANT_LINKS = 1 << 1,   /* link_id where the answer does not contain it */
	NET_WANT_ACTIONS = 1 << 2, /* actions that no filter uses */
};
/* A run over one or several namespaces: programs and links are looked up once. */
struct net;
struct net *net_new(struct env *env, unsigned want, struct records *ret);
/*
 * Adds a struct net_rec for each program in @ns, in the order of bpftool: XDP by device, tc by device, then the
 * programs of no device. @dev: of the devices, only this one. What cannot be read is reported by report_unread();
 * -ENOENT: no such device.
 */
int net_read(struct net *net, const struct net_ns *ns, const char *dev, struct err *e);
/*
 * After net_read(): netfilter links whose namespace is unknown and, unless @known is NULL, those in a namespace that is
 * not among @known.
 */
void net_read_strays(struct net *net, const struct net_ns *known, size_t n);
