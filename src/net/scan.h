/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NET_SCAN_H
#define NET_SCAN_H

#include "base/hash.h"
#include "net/read.h"
#include "source/source.h"

/* What is read on the way to the records. Everything is in env->keep. */
struct net_qdisc {
	uint32_t handle, parent;
	const char *kind;
	struct net_qdisc *next; /* of this device */
};

enum net_xdp_mode { NET_XDP_GENERIC, NET_XDP_DRIVER, NET_XDP_OFFLOAD, NET_XDP_MODES };
struct net_dev {
	const char *name, *kind; /* "veth"; "" */
	uint32_t ifindex;
	uint32_t xdp[NET_XDP_MODES]; /* programs */
	bool is_peer;		     /* of a netkit pair the one that programs cannot be attached to */
	struct net_qdisc *qdiscs, **qdiscs_end;
};
struct net_devs {
	struct net_dev *dev;
	size_t n;
	struct hash by_index;
};
/* devices.c. A dump that changed while it was made is said with report_unread(). */
int net_devs_read(struct env *env, const struct net_ns *ns, struct net_devs *ret, struct err *e);
int net_qdiscs_read(struct env *env, const struct net_ns *ns, struct net_devs *devs, struct err *e);
/* The answer to net/INO/..., the rest of the key formatted. */
int net_dump(struct env *env, const struct net_ns *ns, struct blob *ret, struct err *e, const char *what,
	     const struct asked *q);

struct net_link;
struct net {
	struct env *env;
	unsigned want;
	struct records *ret;
	const struct net_ns *ns; /* the present one, and its devices */
	struct net_devs devs;
	uint64_t refused;  /* 1 << attach type: not to be asked for again */
	struct hash acts;  /* of bool: actions that its filters have, by index */
	struct hash progs; /* of struct net_prog */
	struct net_link *links;
	size_t nlinks;
	int links_error;
	bool links_read;
};
/* A new record with what all have. */
struct net_rec *net_add(struct net *net, enum net_sort sort, const struct net_dev *dev, uint32_t prog_id);
/* describe.c: when a record is filled in, what follows from it. */
void net_done(struct net *net, struct net_rec *r);
/* What a program is called, asked once for each. Its words are NULL if that is not known. */
struct net_prog {
	const char *name, *full_name, *tag;
}; /* name: as the kernel cuts it */
const struct net_prog *net_prog(struct net *net, uint32_t id);

/* filters.c */
void net_filters_read(struct net *net, const struct net_dev *d);
void net_actions_read(struct net *net);
/* The records of the filters in one dump; @kind as bpftool says where they are. */
void net_filters_parse(struct net *net, const struct net_dev *d, const char *kind, const char *what, struct blob dump);
void net_actions_parse(struct net *net, struct blob dump);

/* links.c: links that are about the network, asked for once; netfilter's by pf, hook, prio, flags. */
struct net_link {
	uint32_t id, type, prog_id, ifindex, attach_type;
	uint64_t netns_ino; /* 0: unknown */
	uint32_t pf, hook, flags;
	int32_t prio;
	const char *site; /* "ip input" */
};
int net_links(struct net *net, struct err *e);
/* The one that runs a program there, in the present namespace; 0: none, or it is not known which of two. @attach_type
 * 0: any. */
uint32_t net_link_find(struct net *net, uint32_t type, uint32_t ifindex, uint32_t attach_type, uint32_t prog_id);

#endif
