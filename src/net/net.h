/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NET_NET_H
#define NET_NET_H

#include <stdbool.h>
#include <stdint.h>

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
/* Is WHERE, eth0 or blue:eth0, a device that there is? */
bool net_is_device(struct env *env, const char *where);

/* Those of our namespace; and of others, once their namespace is being typed: "blue:eth0". With what they are. */
arg_offers net_offer_own_devices, net_offer_devices;

/* How others name namespaces and the devices in them; each question is asked once. Lives in env->keep, as all that it
 * returns. */
struct net_names;
struct net_names *net_names_new(struct env *env);
/* Its name in /run/netns, else its number as text; NULL: there is no such namespace, or they cannot be listed. */
const char *net_names_ns(struct net_names *names, uint64_t ino, bool *ret_ours);
const char *net_names_device(struct net_names *names, uint64_t ino, uint32_t ifindex); /* NULL: unknown */
/* The namespace of a link on a device or of netfilter; 0: unknown. */
uint64_t net_names_of_link(struct net_names *names, uint32_t link_id);

#endif
