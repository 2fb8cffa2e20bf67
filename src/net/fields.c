/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/net.h"
#include "net/read.h"
#include "net/sections.h"
#include "record/field.h"

static const struct field action_fields[] = {
	FIELD(net_action, name, "name", "object file and section, or function, from which it was loaded",
	      .role = ROLE_NAME, .flags = FIELD_NONZERO),
	FIELD(net_action, id, "id", "id of the program; classic BPF has none", .also = "prog_id", .unit = FU_PROG,
	      .flags = FIELD_NONZERO),
	FIELD(net_action, index, "index", "number (of the action)"),
	FIELD_IF(net_action, prog_name, has_name, "prog_name", "name of the program", .role = ROLE_NAME,
		 .flags = FIELD_NONZERO),
	FIELD(net_action, tag, "tag", "hash of the program's instructions", .flags = FIELD_NONZERO),
};
static const struct schema schema_action = SCHEMA("net_action", net_action, action_fields);

#define NONZERO .flags = FIELD_NONZERO | FIELD_NOPLAIN
#define FIELD_DEVICE(T) \
	FIELD(T, devname, "devname", "network device", .plain = "%", .flags = FIELD_NONZERO), \
		FIELD(T, ifindex, "ifindex", "index of the network device, in its namespace", .unit = FU_IFINDEX, \
		      .plain = "(%)", .col = 1, .flags = FIELD_NONZERO)
#define NET_FIELD_PROG_NAME \
	FIELD_IF(net_rec, prog_name, has_name, "prog_name", "name of the program", .role = ROLE_NAME, \
		 .need = NEED_PROG, NONZERO)
#define NET_FIELD_TAG FIELD_IF(net_rec, tag, has_tag, "tag", "hash of the program's instructions", NONZERO)
#define NET_FIELD_LINK_ID \
	FIELD(net_rec, link_id, "link_id", "id of the link that attaches it", .unit = FU_LINK, NONZERO)
#define NET_FIELD_ORDER \
	FIELD(net_rec, order, "run_order", "position in the run order of its attach point, from 1", .title = "ORDER", \
	      NONZERO)
/* Fields of filters. */
#define NET_FIELDS_FILTER \
	FIELD(net_rec, filter, "filter", "kind of the filter", NONZERO), \
		FIELD_IF(net_rec, pref, is_filter, "pref", "priority of the filter: the lowest runs first", \
			 .flags = FIELD_NOPLAIN), \
		FIELD(net_rec, protocol, "protocol", "protocol of the packets that the filter sees", NONZERO), \
		FIELD(net_rec, handle, "handle", "number of the filter in its priority", NONZERO), \
		FIELD(net_rec, parent, "parent", "queueing discipline or class that it belongs to", NONZERO), \
		FIELD_IF(net_rec, chain, is_filter, "chain", "chain of the filter", .flags = FIELD_NOPLAIN), \
		FIELD_IF(net_rec, block, has_block, "block", "block of filters that devices share", \
			 .flags = FIELD_NOPLAIN), \
		FIELD(net_rec, classid, "classid", "class that it assigns packets to", NONZERO), \
		FIELD_IF(net_rec, direct_action, is_filter, "direct_action", \
			 "what the program returns is the verdict", .flags = FIELD_NOPLAIN), \
		FIELD(net_rec, skip_hw, "skip_hw", "not offloaded to the device", NONZERO), \
		FIELD(net_rec, skip_sw, "skip_sw", "only offloaded to the device", NONZERO), \
		FIELD(net_rec, in_hw, "in_hw", "is offloaded", NONZERO)

static const struct field mode_fields[] = {
	FIELD(net_rec, kind, "mode", "generic, driver or offload"),
	FIELD(net_rec, prog_id, "id", "id of the program", .also = "prog_id", .unit = FU_PROG),
	NET_FIELD_LINK_ID,
	NET_FIELD_PROG_NAME,
	NET_FIELD_TAG,
};
static const struct schema schema_mode = SCHEMA("net_xdp_mode", net_rec, mode_fields);

#define ONE .flags = FIELD_NOPLAIN, FIELD_WHEN(net_xdp, has_one)
static const struct field xdp_fields[] = {
	FIELD_DEVICE(net_xdp),
	FIELD(net_xdp, mode, "mode", "generic, driver or offload", ONE),
	FIELD(net_xdp, prog_id, "id", "id of the program", .also = "prog_id", .unit = FU_PROG, ONE),
	FIELD_ROWS(net_xdp, modes, nmodes, &schema_mode, "multi_attachments", "programs in several modes", .plain = "%",
		   .col = 2, .text = net_modes_text, FIELD_WHEN(net_xdp, has_many)),
	FIELD(net_xdp, link_id, "link_id", "id of the link that attaches it", .unit = FU_LINK, NONZERO),
	FIELD_IF(net_xdp, prog_name, has_name, "prog_name", "name of the program", .role = ROLE_NAME, NONZERO),
	FIELD_IF(net_xdp, tag, has_tag, "tag", "hash of the program's instructions", NONZERO),
};
const struct schema schema_net_xdp = SCHEMA("net_xdp", net_xdp, xdp_fields);

static const struct field tc_fields[] = {
	FIELD_DEVICE(net_rec),
	FIELD(net_rec, kind, "kind",
	      "kind: where on the device: tcx/ingress, clsact/egress, or that of a queueing discipline",
	      .role = ROLE_KIND, .plain = " %", .col = 2),
	FIELD(net_rec, name, "name", "name of the filter; tcx: of the program, up to 15 characters", .role = ROLE_NAME,
	      .plain = " %", .col = 3, .flags = FIELD_NONZERO),
	FIELD(net_rec, prog_id, "prog_id", "id of the program", .unit = FU_PROG, .plain = "%", .col = 5,
	      .text = net_mprog_text, .flags = FIELD_NONZERO),
	FIELD_LIST(net_rec, prog_flags, nprog_flags, FT_UINT, "prog_flags", "flags of the attachment",
		   .flags = FIELD_NOPLAIN, FIELD_WHEN(net_rec, is_mprog)),
	FIELD_IF(net_rec, link_id, is_mprog, "link_id", "id of the link that attaches it; 0: none", .unit = FU_LINK,
		 .flags = FIELD_NOPLAIN),
	FIELD_LIST(net_rec, link_flags, nlink_flags, FT_UINT, "link_flags", "flags of the link", .flags = FIELD_NOPLAIN,
		   FIELD_WHEN(net_rec, is_mprog)),
	FIELD(net_rec, filter_id, "id", "id of the program of a filter", .unit = FU_PROG, .plain = " id %", .col = 4,
	      .flags = FIELD_NONZERO),
	FIELD_ROWS(net_rec, act, nact, &schema_action, "act", "BPF actions of the filter", .plain = "%", .col = 5,
		   .text = net_act_text, .flags = FIELD_NONZERO),
	NET_FIELD_PROG_NAME,
	NET_FIELD_TAG,
	NET_FIELD_ORDER,
	FIELD(net_rec, revision, "revision", "revision of the hook, which the kernel increments with each change",
	      NONZERO),
	NET_FIELDS_FILTER,
};
const struct schema schema_net_tc = SCHEMA("net_tc", net_rec, tc_fields);

static const struct field netns_fields[] = {
	FIELD(net_rec, prog_id, "id", "id of the program", .also = "prog_id", .unit = FU_PROG, .plain = "id %"),
	NET_FIELD_LINK_ID,
	NET_FIELD_PROG_NAME,
	NET_FIELD_TAG,
	NET_FIELD_ORDER,
};
const struct schema schema_net_netns = SCHEMA("net_netns", net_rec, netns_fields);

static const struct field netfilter_fields[] = {
	FIELD(net_rec, kind, "site", "family and hook in words", .plain = "%"),
	FIELD(net_rec, pf, "pf", "protocol family by its number", .flags = FIELD_NOPLAIN),
	FIELD(net_rec, hook, "hook", "netfilter hook by its number", .flags = FIELD_NOPLAIN),
	FIELD(net_rec, prio, "prio", "position among the functions of the hook: the lowest runs first",
	      .plain = " prio %", .col = 1),
	FIELD(net_rec, flags, "flags", "flags it is created with", .unit = FU_HEX, .plain = " flags %", .col = 2,
	      .flags = FIELD_PLAIN_NZ),
	FIELD(net_rec, prog_id, "id", "id of the program", .also = "prog_id", .unit = FU_PROG, .plain = " prog_id %",
	      .col = 3),
	NET_FIELD_LINK_ID,
	NET_FIELD_PROG_NAME,
	NET_FIELD_TAG,
	FIELD(net_rec, netns_ino, "netns_ino", "inode number of the network namespace, if known", .unit = FU_NETNS,
	      NONZERO),
};
const struct schema schema_net_netfilter = SCHEMA("net_netfilter", net_rec, netfilter_fields);

static const struct field alone_fields[] = {
	FIELD(net_rec, name, "name", "object file and section, or function, from which it was loaded",
	      .role = ROLE_NAME, NONZERO),
	FIELD(net_rec, prog_id, "id", "id of the program; classic BPF has none", .also = "prog_id", .unit = FU_PROG,
	      NONZERO),
	FIELD(net_rec, index, "index", "number (of the action)"),
	NET_FIELD_PROG_NAME,
	NET_FIELD_TAG,
};
static const struct schema schema_alone = SCHEMA("net_alone", net_rec, alone_fields);

#define NET_FIELD_SECTION(m, sch, name, help, ...) FIELD_ROWS(net_sections, m, n##m, sch, name, help, ##__VA_ARGS__)
static const struct field section_fields[] = {
	NET_FIELD_SECTION(xdp, &schema_net_xdp, "xdp", "XDP programs of devices"),
	NET_FIELD_SECTION(tc, &schema_net_tc, "tc",
			  "programs of devices that run after XDP: tcx, netkit, filters of queueing disciplines"),
	NET_FIELD_SECTION(flow, &schema_net_netns, "flow_dissector", "flow dissector of the network namespace"),
	NET_FIELD_SECTION(netfilter, &schema_net_netfilter, "netfilter", "programs at netfilter hooks"),
/* bpftool's text has only these. */
#define NSHOWN 4
	NET_FIELD_SECTION(lookup, &schema_net_netns, "sk_lookup",
			  "programs that choose sockets in the network namespace, in run order",
			  .flags = FIELD_NOPLAIN),
	NET_FIELD_SECTION(actions, &schema_alone, "actions", "BPF actions that no BPF filter has",
			  .flags = FIELD_NOPLAIN),
	FIELD(net_sections, netns, "netns_name", "name of the network namespace", .was = "netns",
	      .flags = FIELD_NOPLAIN),
	FIELD(net_sections, netns_ino, "netns_ino", "inode number of the network namespace", .unit = FU_NETNS,
	      .flags = FIELD_NOPLAIN),
};
const struct schema schema_net_sections = SCHEMA("net_sections", net_sections, section_fields);
const struct schema schema_net_hidden = {
	.name = "net_sections",
	.fields = section_fields + NSHOWN,
	.n = ARRAY_SIZE(section_fields) - NSHOWN,
	.rec_size = sizeof(struct net_sections),
};

/* Columns of `net list`. */
static const struct field fields[] = {
	FIELD(net_rec, where, "where", "place: device or other, with its network namespace unless it is ours",
	      .role = ROLE_PLACE, .flags = FIELD_DEFAULT),
	FIELD(net_rec, what, "what", "hook at the place", .role = ROLE_KIND, .flags = FIELD_DEFAULT),
	FIELD(net_rec, prog_id, "prog_id", "id of the program", .unit = FU_PROG,
	      .flags = FIELD_NONZERO | FIELD_DEFAULT),
	FIELD_IF(net_rec, prog_name, has_name, "prog_name", "name of the program", .role = ROLE_NAME,
		 .flags = FIELD_NONZERO | FIELD_DEFAULT),
	FIELD(net_rec, link_id, "link_id", "id of the link that attaches it", .unit = FU_LINK,
	      .flags = FIELD_NONZERO | FIELD_DEFAULT, .drop = 2),
	FIELD(net_rec, detail, "detail", "other details", .flags = FIELD_NONZERO | FIELD_DEFAULT, .drop = 1),
	FIELD(net_rec, order, "run_order", "position in the run order of its attach point, from 1", .title = "ORDER",
	      .flags = FIELD_NONZERO),
	FIELD_IF(net_rec, tag, has_tag, "tag", "hash of the program's instructions", .flags = FIELD_NONZERO),
	FIELD(net_rec, devname, "devname", "network device", .flags = FIELD_NONZERO),
	FIELD(net_rec, ifindex, "ifindex", "index of the network device, in its namespace", .unit = FU_IFINDEX,
	      .flags = FIELD_NONZERO),
	FIELD(net_rec, netns, "netns_name", "name of the network namespace", .was = "netns", .flags = FIELD_NONZERO),
	FIELD(net_rec, netns_ino, "netns_ino", "inode number of the network namespace", .unit = FU_NETNS,
	      .flags = FIELD_NONZERO),
	FIELD(net_rec, kind, "kind", "kind: mode of XDP, position on the device, or family and hook", .role = ROLE_KIND,
	      .flags = FIELD_NONZERO),
	FIELD(net_rec, name, "name", "name of the filter or action", .role = ROLE_NAME, .flags = FIELD_NONZERO),
	FIELD(net_rec, revision, "revision", "revision of the hook, which the kernel increments with each change",
	      .flags = FIELD_NONZERO),
	NET_FIELDS_FILTER,
	FIELD_ROWS(net_rec, act, nact, &schema_action, "act", "BPF actions of the filter", .flags = FIELD_NONZERO),
	FIELD(net_rec, index, "index", "number (of the action)", .flags = FIELD_NONZERO),
	FIELD_IF(net_rec, prio, is_nf, "prio",
		 "position among the functions of the hook: the lowest runs first (netfilter)"),
	FIELD_IF(net_rec, flags, is_nf, "flags", "flags it is created with (netfilter)", .unit = FU_HEX),
};
const struct schema schema_net = SCHEMA("net", net_rec, fields);
