/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "cli/command.h"

struct env;
struct schema;
struct place;
/*
 * Programs on the network: of devices (XDP, tcx, netkit, filters and actions of tc), of network namespaces (flow
 * dissector, sk_lookup), and netfilter's.
 */
extern const struct schema schema_net; /* of struct net_rec (read.h) */
extern const struct command *const net_commands[];
extern const struct place place_net;
/* Does the device WHERE, eth0 or blue:eth0, exist? */
bool net_is_device(struct env *env, const char *where);

/* Devices of our namespace; and those of another one when its name has been typed: "blue:eth0". With descriptions. */
arg_offers net_offer_own_devices, net_offer_devices;

/*
 * Names of namespaces and of the devices in them; each question is asked once. It and everything it returns live in
 * env->keep.
 */
struct net_names;
struct net_names *net_names_new(struct env *env);
/* Its name in /run/netns, else its inode number as text; NULL: no such namespace, or they cannot be listed. */
const char *net_names_ns(struct net_names *names, uint64_t ino, bool *ret_ours);
const char *net_names_device(struct net_names *names, uint64_t ino, uint32_t ifindex); /* NULL: unknown */
/* The namespace of a link on a device or of netfilter; 0: unknown. */
uint64_t net_names_of_link(struct net_names *names, uint32_t link_id);
