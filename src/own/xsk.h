/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_XSK_H
#define OWN_XSK_H

#include <stdint.h>

struct kmem;
struct str;
/* An AF_XDP socket in a slot of an xskmap. */
struct xsk_raw {
	uint32_t slot;
	uint32_t ifindex; /* device that it is bound to, in its namespace; 0: to none */
	uint32_t queue;	  /* of the device */
	uint32_t netns;	  /* inode number of the device's namespace; 0: not known */
	uint64_t inode;	  /* of the socket; 0: not known */
	char ifname[16];  /* terminated */
};
/*
 * Of the xskmap that @k is for: the sockets in its slots as struct xsk_raw[], ascending. -ENOENT: the kernel's types
 * are not known; -EFAULT: its slots cannot be read. A socket that goes away meanwhile is left out.
 */
int xsk_read(const struct kmem *k, uint32_t slots, struct str *ret);

#endif
