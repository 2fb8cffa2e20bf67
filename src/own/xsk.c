/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/xsk.h"

#include "own/kbtf.h"
#include "own/kmem.h"

enum { PART = 8192 }; /* slots read at once */

struct offsets {
	int slots, sock, dev, queue, ifindex, name, net, net_ns, loopback, inum, sk_socket, inode, i_ino;
};

static int offsets_find(struct offsets *o)
{
	const struct kbtf_want want[] = {
		{ "xsk_map", "xsk_map", false, &o->slots },	 { "xdp_sock", "sk", false, &o->sock },
		{ "xdp_sock", "dev", false, &o->dev },		 { "xdp_sock", "queue_id", false, &o->queue },
		{ "net_device", "ifindex", false, &o->ifindex }, { "net_device", "name", false, &o->name },
		{ "net_device", "nd_net", false, &o->net },	 { "net", "ns", false, &o->net_ns },
		{ "net", "loopback_dev", false, &o->loopback },	 { "ns_common", "inum", false, &o->inum },
		{ "sock", "sk_socket", false, &o->sk_socket },	 { "socket_alloc", "vfs_inode", false, &o->inode },
		{ "inode", "i_ino", false, &o->i_ino },
	};

	return kbtf_ask(want, ARRAY_SIZE(want));
}

static int xsk_member_read(const struct kmem *k, uint64_t at, int off, void *ret, size_t n)
{
	return kmem_read(k, at + (unsigned)off, ret, n);
}

/* Members that cannot be read stay zero. */
static void device_read(const struct kmem *k, const struct offsets *o, uint64_t dev, struct xsk_raw *ret)
{
	uint64_t net = 0;

	if (!dev || xsk_member_read(k, dev, o->ifindex, &ret->ifindex, sizeof(ret->ifindex)) ||
	    xsk_member_read(k, dev, o->name, ret->ifname, sizeof(ret->ifname)))
		memset(ret->ifname, 0, sizeof(ret->ifname));
	ret->ifname[sizeof(ret->ifname) - 1] = '\0';
	if (dev && !xsk_member_read(k, dev, o->net, &net, sizeof(net)) &&
	    xsk_member_read(k, net, o->net_ns + o->inum, &ret->netns, sizeof(ret->netns)))
		ret->netns = 0;
}

static int socket_read(const struct kmem *k, const struct offsets *o, uint64_t xs, struct xsk_raw *ret)
{
	uint64_t dev, sock;
	uint16_t queue;

	if (xsk_member_read(k, xs, o->dev, &dev, sizeof(dev)) ||
	    xsk_member_read(k, xs, o->queue, &queue, sizeof(queue)) ||
	    xsk_member_read(k, xs, o->sock + o->sk_socket, &sock, sizeof(sock)))
		return -EFAULT;
	ret->queue = queue;
	device_read(k, o, dev, ret);
	/* struct socket comes first in struct socket_alloc. */
	if (!sock || xsk_member_read(k, sock, o->inode + o->i_ino, &ret->inode, sizeof(ret->inode)))
		ret->inode = 0;
	return 0;
}

/* A socket that is in its slot before and after the read was not freed during it. */
static void slot_read(const struct kmem *k, const struct offsets *o, uint32_t slot, uint64_t xs, struct str *ret)
{
	const uint64_t at = k->map + (unsigned)o->slots + (uint64_t)slot * sizeof(uint64_t);
	struct xsk_raw raw = { .slot = slot };
	uint64_t now;

	if (!socket_read(k, o, xs, &raw) && !kmem_read(k, at, &now, sizeof(now)) && now == xs)
		str_add(ret, &raw, sizeof(raw));
}

int xsk_read(const struct kmem *k, uint32_t slots, struct str *ret)
{
	CLEAN_PTR uint64_t *part = malloc(PART * sizeof(*part));
	uint32_t n;
	struct offsets o;
	int err = part ? offsets_find(&o) : -ENOMEM;

	for (uint32_t first = 0; !err && first < slots; first += n) {
		n = slots - first < PART ? slots - first : PART;
		err = kmem_read(k, k->map + (unsigned)o.slots + (uint64_t)first * sizeof(*part), part,
				n * sizeof(*part));
		for (uint32_t i = 0; !err && i < n; i++)
			if (part[i])
				slot_read(k, &o, first + i, part[i], ret);
	}
	return err;
}
