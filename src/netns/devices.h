/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"
#include "source/source.h"

/* Network namespaces and the devices in them. All results live in env->keep. */
struct net_ns {
	uint64_t ino;
	const char *name; /* of its mount in /run/netns, else the inode number */
	bool ours;
};
/* Our namespace, and with @all the others after it. */
int net_namespaces(struct env *env, bool all, const struct net_ns **ret, size_t *ret_n, struct err *e);
/* "blue:eth0" to namespace and the rest. -ENOENT: there is no such namespace. */
int net_namespace_of(struct env *env, const char *where, const struct net_ns **ret, const char **ret_rest,
		     struct err *e);

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
	bool is_peer;		     /* the device of a netkit pair to which no program can be attached */
	struct net_qdisc *qdiscs, **qdiscs_end;
};
struct net_devs {
	struct net_dev *dev;
	size_t n;
	struct hash by_index;
};
/* A dump that changed while it was made is reported by report_unread(). */
int net_devs_read(struct env *env, const struct net_ns *ns, struct net_devs *ret, struct err *e);
int net_qdiscs_read(struct env *env, const struct net_ns *ns, struct net_devs *devs, struct err *e);
/* The answer to net/INO/..., the rest of the key formatted. */
int net_dump(struct env *env, const struct net_ns *ns, struct blob *ret, struct err *e, const char *what,
	     const struct asked *q);

/* Does the device WHERE, eth0 or blue:eth0, exist? */
bool net_is_device(struct env *env, const char *where);

/* Devices of our namespace; and those of another one when its name has been typed: "blue:eth0". With descriptions. */
arg_offers net_offer_own_devices, net_offer_devices;
