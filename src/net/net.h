/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cli/command.h"

struct place;
/*
 * Programs on the network: of devices (XDP, tcx, netkit, filters and actions of tc), of network namespaces (flow
 * dissector, sk_lookup), and netfilter's.
 */
extern const struct schema schema_net; /* of struct net_rec (read.h) */
extern const struct command *const net_commands[];
/* In sockets.c. */
extern const struct place place_socket;
extern const struct place place_net;
