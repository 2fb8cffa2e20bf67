/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/env.h"
#include "link/link.h"
#include "source/facts.h"
#include "kernel/hooks.h"

#define LINK_FIELDS_DEVICE(m) \
	LINK_FIELD(devname, "devname", "network device, \"(detached)\" once it is gone", .flags = FIELD_NOPLAIN), \
		LINK_FIELD(info.m, "ifindex", "index of the network device, 0 once it is gone", .unit = FU_IFINDEX, \
			   .plain = "ifindex %  ", .text = device_text), \
		LINK_FIELDS_NETNS

static size_t device_text(const void *rec, char *buf, size_t size)
{
	const struct link_rec *r = rec;

	if (!r->devname)
		return 0;
	if (!r->at.ifindex)
		return str_snprintf(buf, size, "%s", r->devname);
	return str_snprintf(buf, size, "%s(%u)", r->devname, r->at.ifindex);
}

static const struct field xdp_fields[] = { LINK_FIELDS_DEVICE(xdp.ifindex) };
const struct link_kind link_xdp = {
	.type = ABI_LINK_XDP,
	.part = LINK_PART("xdp", xdp_fields),
	.detaches = true,
	.updates = true,
	.ifindex = offsetof(struct abi_link_info, xdp.ifindex),
};

static const struct field tcx_fields[] = { LINK_FIELDS_DEVICE(tcx.ifindex), LINK_FIELD_ATTACH_TYPE };
const struct link_kind link_tcx = {
	.type = ABI_LINK_TCX,
	.part = LINK_PART("tcx", tcx_fields),
	.detaches = true,
	.updates = true,
	.ifindex = offsetof(struct abi_link_info, tcx.ifindex),
	.attach_type = offsetof(struct abi_link_info, tcx.attach_type),
};
const struct link_kind link_netkit = {
	.type = ABI_LINK_NETKIT,
	.part = LINK_PART("netkit", tcx_fields),
	.detaches = true,
	.updates = true,
	.ifindex = offsetof(struct abi_link_info, tcx.ifindex),
	.attach_type = offsetof(struct abi_link_info, tcx.attach_type),
};

static void netns_derive(struct env *env, struct arena *a, unsigned need, struct link_rec *r)
{
	uint64_t dev, ino;
	bool ours = facts_netns(env->machine, &dev, &ino) && ino == r->info.netns.netns_ino;

	link_in_netns(env, a, need, r, "");
	r->at.netns_ino = r->info.netns.netns_ino;
	r->at.where = ours ? "netns" : arena_fmt(a, "%u:netns", r->info.netns.netns_ino);
	r->gone = !r->info.netns.netns_ino;
	r->attach_to = !r->info.netns.netns_ino ? "(detached)" :
						  arena_fmt(a, "netns %u%s%s%s", r->info.netns.netns_ino,
							    r->netns_name || ours ? " (" : "",
							    r->netns_name ? r->netns_name :
							    ours	  ? "ours" :
									    "",
							    r->netns_name || ours ? ")" : "");
}

static const struct field netns_fields[] = {
	LINK_FIELD(info.netns.netns_ino, "netns_ino", "inode number of the network namespace, 0 once it is gone",
		   .unit = FU_NETNS, .plain = "netns_ino %  "),
	LINK_FIELD_ATTACH_TYPE,
	LINK_FIELD_NETNS_NAME,
};
const struct link_kind link_netns = {
	.type = ABI_LINK_NETNS,
	.part = LINK_PART("netns", netns_fields),
	.derive = netns_derive,
	.detaches = true,
	.updates = true,
	.attach_type = offsetof(struct abi_link_info, netns.attach_type),
};

static void sockmap_derive(struct env *env, struct arena *a, unsigned need, struct link_rec *r)
{
	r->at.map_id = r->info.sockmap.map_id;
	r->at.where = arena_fmt(a, "map:%u", r->at.map_id);
	r->gone = !r->at.map_id;
	r->attach_to = r->gone ? "(detached)" : arena_fmt(a, "map %u", r->at.map_id);
}

static const struct field sockmap_fields[] = {
	LINK_FIELD(info.sockmap.map_id, "map_id", "id of the map that it belongs to", .unit = FU_MAP,
		   .plain = "map_id %  "),
	LINK_FIELD_ATTACH_TYPE,
};
const struct link_kind link_sockmap = {
	.type = ABI_LINK_SOCKMAP,
	.part = LINK_PART("sockmap", sockmap_fields),
	.derive = sockmap_derive,
	.detaches = true,
	.updates = true,
	.attach_type = offsetof(struct abi_link_info, sockmap.attach_type),
};

/* As bpftool prints it: names if there are any, else numbers with commas. */
static const char *nf_place(struct arena *a, const struct nf_family *f, uint32_t pf, uint32_t hook)
{
	const char *family = f ? f->name : arena_fmt(a, "pf: %u", pf);
	const char *word = nf_hook(f, hook);

	return word ? arena_fmt(a, "%s %s", family, word) : arena_fmt(a, "%s, hook %u,", family, hook);
}

static void netfilter_derive(struct env *env, struct arena *a, unsigned need, struct link_rec *r)
{
	uint32_t pf = r->info.netfilter.pf, hook = r->info.netfilter.hooknum;
	const struct nf_family *f = nf_family(pf);

	r->own.netfilter.pf_name = f ? f->name : arena_fmt(a, "unknown(%u)", pf);
	r->own.netfilter.hook_name = nf_hook(f, hook) ? nf_hook(f, hook) : arena_fmt(a, "unknown(%u)", hook);
	r->site = nf_place(a, f, pf, hook);
	r->at.where = arena_fmt(a, "%s/%s/%d", r->own.netfilter.pf_name, r->own.netfilter.hook_name,
				r->info.netfilter.priority);
	r->attach_to = link_in_netns(env, a, need, r, arena_fmt(a, "%s prio %d", r->site, r->info.netfilter.priority));
}

static size_t netfilter_text(const void *rec, char *buf, size_t size)
{
	const struct link_rec *r = rec;

	return str_snprintf(buf, size, "%s", r->site);
}

static const struct field netfilter_fields[] = {
	LINK_FIELD(info.netfilter.pf, "pf", "protocol family by its number", .plain = "% ", .text = netfilter_text),
	LINK_FIELD(info.netfilter.hooknum, "hook", "netfilter hook by its number", .flags = FIELD_NOPLAIN),
	LINK_FIELD(info.netfilter.priority, "prio", "position among the functions of the hook: the lowest runs first",
		   .plain = "prio %"),
	LINK_FIELD(info.netfilter.flags, "flags", "flags it is created with", .unit = FU_HEX, .plain = " flags %",
		   .flags = FIELD_PLAIN_NZ),
	LINK_FIELD(own.netfilter.pf_name, "pf_name", "protocol family", .flags = FIELD_NOPLAIN),
	LINK_FIELD(own.netfilter.hook_name, "hook_name", "netfilter hook", .flags = FIELD_NOPLAIN),
	LINK_FIELDS_NETNS,
};
const struct link_kind link_netfilter = {
	.type = ABI_LINK_NETFILTER,
	.part = LINK_PART("netfilter", netfilter_fields),
	.derive = netfilter_derive,
	.detaches = true,
};
