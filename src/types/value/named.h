/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "types/value/format.h"

struct btf_types;
/*
 * The format that the names of types and members imply: __be16, __be64, __le16, __le32 and __le64 are numbers; __be32
 * is an address if the member's name contains "addr", or ip, ip4, ipv4, ... between underscores, else a number; struct
 * in_addr and in6_addr are addresses; 6 bytes named mac, or h_dest and h_source as in struct ethhdr, are a MAC address.
 * An array of 16 bytes with the type and name of an address is IPv6.
 */
enum format named_format(const struct btf_types *t, uint32_t type, const char *member);
