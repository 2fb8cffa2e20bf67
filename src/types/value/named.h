/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "types/value/format.h"

struct btf_types;
struct btf_type;
/*
 * The format that the names of types and members imply: __be16, __be64, __le16, __le32 and __le64 are numbers; __be32
 * is an address if the member's name contains "addr", or ip, ip4, ipv4, src, dst, gw, ... between underscores, else a
 * number; struct in_addr and in6_addr are addresses; 6 bytes named mac, or h_dest and h_source as in struct ethhdr, are
 * a MAC address. An array of 16 bytes with the type and name of an address is IPv6.
 */
enum format named_format(const struct btf_types *t, uint32_t type, const char *member);
/*
 * What a member only seems to be, by its name: an array of 16 bytes an IPv6 address, in a flow also 4 bytes an IPv4
 * one. A flow is a struct with a port or protocol among its members, or around it.
 */
enum format named_guess(const struct btf_types *t, uint32_t type, const char *member, bool flow);
bool named_is_flow(const struct btf_types *t, const struct btf_type *type);
