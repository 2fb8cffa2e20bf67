/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct kmem;
/* An AF_XDP socket in a slot of an xskmap. */
struct xsk_raw {
	uint32_t slot;
	uint32_t ifindex; /* device that it is bound to, in its namespace; 0: none */
	uint32_t queue;	  /* queue of the device */
	uint32_t netns;	  /* inode number of the device's namespace; 0: unknown */
	uint64_t inode;	  /* inode number of the socket; 0: unknown */
	char ifname[16];  /* terminated */
};
/*
 * Append the sockets in the slots of @k's xskmap as struct xsk_raw[], ascending. 0 or -errno; -ENOENT: the kernel's
 * types are unknown; -EFAULT: the slots cannot be read. A socket that is closed meanwhile is left out.
 */
int xsk_read(const struct kmem *k, uint32_t slots, struct str *ret);
