/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_LINK_NETNS_H
#define OWN_LINK_NETNS_H

struct str;
struct own;
/*
 * The kernel does not tell to which network namespace a netfilter link belongs, nor a link on a device, whose index is
 * that of its namespace alone. An iterator program of our own reads it: appends "LINK_ID INO\n" for each link of these
 * sorts that it found in one. 0 or -errno: an older kernel (5.19), one without BTF, or we may not.
 */
int link_netns_collect(struct own *own, struct str *ret);

#endif
