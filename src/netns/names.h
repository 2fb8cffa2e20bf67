/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct env;
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
/* Parses and changes a line of Q_LINK_NETNS. False: it is empty, or malformed, which is noted. */
bool net_link_netns(struct env *env, char *line, uint32_t *ret_id, uint64_t *ret_ino);
