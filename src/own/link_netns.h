/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct str;
struct own;
/*
 * The kernel does not report the network namespace of a netfilter link, nor of a link on a device, although the index
 * of a device is valid only in its namespace. One of our own iterator programs reads it. Append "LINK_ID INO\n" for
 * each of these links that is in a namespace. 0, or -errno: a kernel before 5.19 or without BTF, or no permission.
 */
int link_netns_collect(struct own *own, struct str *ret);
