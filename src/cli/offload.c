/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/env.h"
#include "cli/offload.h"
#include "source/facts.h"

static const struct field dev_fields[] = {
	FIELD(object_dev, ifindex, "ifindex", "index of the network device", .unit = FU_IFINDEX),
	FIELD(object_dev, ns_dev, "ns_dev", "device number of its network namespace"),
	FIELD(object_dev, ns_inode, "ns_inode", "inode number of its network namespace", .unit = FU_NETNS),
	FIELD(object_dev, ifname, "ifname", "name of the device, if it is in this network namespace",
	      .flags = FIELD_NONZERO),
};
static size_t dev_text(const void *row, char *buf, size_t size)
{
	const struct object_dev *d = row;

	if (d->ifname)
		return str_snprintf(buf, size, "%s", d->ifname);
	return str_snprintf(buf, size, "ifindex %u ns_dev %llu ns_ino %llu", d->ifindex, llu(d->ns_dev),
			    llu(d->ns_inode));
}
const struct schema schema_dev = SCHEMA("dev", object_dev, dev_fields, .text = dev_text);

void object_offload_read(struct env *env, struct arena *a, uint32_t ifindex, uint64_t netns_dev, uint64_t netns_ino,
			 struct object_offload *ret)
{
	struct object_dev *d;
	uint64_t dev, ino;

	*ret = (struct object_offload){ 0 };
	if (!ifindex)
		return;
	d = arena_alloc(a, sizeof(*d));
	*d = (struct object_dev){ .ifindex = ifindex, .ns_dev = netns_dev, .ns_inode = netns_ino };
	if (facts_netns(env->machine, &dev, &ino) && dev == netns_dev && ino == netns_ino)
		d->ifname = facts_ifname(env->machine, ifindex);
	ret->dev = d;
	ret->ndev = 1;
}
