/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BTF_VALUE_NAMED_H
#define BTF_VALUE_NAMED_H

#include <stdint.h>
#include "btf/value/format.h"

struct btf_types;
/*
 * What the names of types and members say of bytes: __be16, __be64, __le16, __le32 and __le64 are numbers, __be32 an
 * address where the member's name has "addr", or ip, ip4, ipv4, ... between underscores, else a number; struct in_addr
 * and in6_addr are addresses, and 6 bytes that are called mac, or h_dest and h_source as in struct ethhdr, a MAC
 * address. A list of 16 bytes called an address is IPv6.
 */
enum format named_format(const struct btf_types *t, uint32_t type, const char *member);

#endif
