/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/xsk.h"

#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "base/str.h"
#include "own/kbtf.h"
#include "own/kmem.h"

enum { PART = 8192 };			/* slots that are read at once */

struct offsets {
	unsigned slots, sock, dev, queue, ifindex, name, net, net_ns, inum, sk_socket, inode, i_ino;
};

static int offsets_find(struct offsets *o, uint32_t *missing)
{
	const struct kbtf_want want[] = {
		{ "net", true, { { "ns", &o->net_ns } } }, { "ns_common", true, { { "inum", &o->inum } } },
		{ "net_device", true, { { "nd_net", &o->net } } },
		{ "xsk_map", false, { { "xsk_map", &o->slots } } },
		{ "xdp_sock", false, { { "sk", &o->sock }, { "dev", &o->dev }, { "queue_id", &o->queue } } },
		{ "net_device", false, { { "ifindex", &o->ifindex }, { "name", &o->name } } },
		{ "sock", false, { { "sk_socket", &o->sk_socket } } },
		{ "socket_alloc", false, { { "vfs_inode", &o->inode } } }, { "inode", false, { { "i_ino", &o->i_ino } } },
	};
	KBTF btf = { 0 };
	int err = kbtf_open(&btf);

	return err ? err : kbtf_find(btf.p, btf.n, want, ARRAY_SIZE(want), NULL, NULL, missing);
}

/* What cannot be read any more stays zero. */
static void device_read(const struct kmem *k, const struct offsets *o, uint32_t missing, uint64_t dev, struct xsk_raw *ret)
{
	uint64_t net = 0;

	if (!dev || kmem_read(k, dev + o->ifindex, &ret->ifindex, sizeof(ret->ifindex)) ||
	    kmem_read(k, dev + o->name, ret->ifname, sizeof(ret->ifname)))
		memset(ret->ifname, 0, sizeof(ret->ifname));
	ret->ifname[sizeof(ret->ifname) - 1] = '\0';
	if (dev && !missing && !kmem_read(k, dev + o->net, &net, sizeof(net)) &&
	    kmem_read(k, net + o->net_ns + o->inum, &ret->netns, sizeof(ret->netns)))
		ret->netns = 0;
}

static int socket_read(const struct kmem *k, const struct offsets *o, uint32_t missing, uint64_t xs, struct xsk_raw *ret)
{
	uint64_t dev, sock;
	uint16_t queue;

	if (kmem_read(k, xs + o->dev, &dev, sizeof(dev)) || kmem_read(k, xs + o->queue, &queue, sizeof(queue)) ||
	    kmem_read(k, xs + o->sock + o->sk_socket, &sock, sizeof(sock)))
		return -EFAULT;
	ret->queue = queue;
	device_read(k, o, missing, dev, ret);
	/* struct socket comes first in struct socket_alloc. */
	if (!sock || kmem_read(k, sock + o->inode + o->i_ino, &ret->inode, sizeof(ret->inode)))
		ret->inode = 0;
	return 0;
}

/* A socket that is in its slot before and after was not freed while it was looked at. */
static void slot_read(const struct kmem *k, const struct offsets *o, uint32_t missing, uint32_t slot, uint64_t xs, struct str *ret)
{
	const uint64_t at = k->map + o->slots + (uint64_t)slot * sizeof(uint64_t);
	struct xsk_raw raw = { .slot = slot };
	uint64_t now;

	if (!socket_read(k, o, missing, xs, &raw) && !kmem_read(k, at, &now, sizeof(now)) && now == xs)
		str_add(ret, &raw, sizeof(raw));
}

int xsk_read(const struct kmem *k, uint32_t slots, struct str *ret)
{
	CLEAN_PTR uint64_t *part = malloc(PART * sizeof(*part));
	uint32_t missing, n;
	struct offsets o;
	int err = part ? offsets_find(&o, &missing) : -ENOMEM;

	for (uint32_t first = 0; !err && first < slots; first += n) {
		n = slots - first < PART ? slots - first : PART;
		err = kmem_read(k, k->map + o.slots + (uint64_t)first * sizeof(*part), part, n * sizeof(*part));
		for (uint32_t i = 0; !err && i < n; i++)
			if (part[i])
				slot_read(k, &o, missing, first + i, part[i], ret);
	}
	return err;
}
