/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in read.c. */

#include "net/read.h"
#include "source/source.h"

/* Intermediate data. Everything is in env->keep. */
struct net_link;
struct net {
	struct env *env;
	unsigned want;
	struct records *ret;
	const struct net_ns *ns; /* the present one, and its devices */
	struct net_devs devs;
	uint64_t refused;  /* 1 << attach type: not asked again */
	struct hash acts;  /* of bool: actions that its filters have, by index */
	struct hash progs; /* of struct net_prog */
	struct net_link *links;
	size_t nlinks;
	int links_error;
	bool links_read;
};
/* A new record with the fields that all kinds have. */
struct net_rec *net_add(struct net *net, enum net_sort sort, const struct net_dev *dev, uint32_t prog_id);
/* describe.c: derives the rest of a record that is filled in. */
void net_done(struct net *net, struct net_rec *r);
/* Names of a program, read once. NULL: unknown. */
struct net_prog {
	const char *name, *full_name, *tag; /* name: truncated by the kernel */
	uint8_t known;			    /* enum avail; AVAIL_NO: it is gone */
};
const struct net_prog *net_prog(struct net *net, uint32_t id);

/* filters.c */
void net_filters_read(struct net *net, const struct net_dev *d);
void net_actions_read(struct net *net);

/* links.c: links of the network, read once; those of netfilter by pf, hook, prio, flags. */
struct net_link {
	uint32_t id, type, prog_id, ifindex, attach_type;
	uint64_t netns_ino; /* 0: unknown */
	uint32_t pf, hook, flags;
	int32_t prio;
	const char *site; /* "ip input" */
};
int net_links(struct net *net, struct err *e);
/* The link that runs a program there, in the present namespace; 0: none, or several match. @attach_type 0: any. */
uint32_t net_link_find(struct net *net, uint32_t type, uint32_t ifindex, uint32_t attach_type, uint32_t prog_id);
