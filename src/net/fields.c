/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "net/net.h"
#include "net/read.h"
#include "net/sections.h"
#include "record/field.h"

static const struct field action_fields[] = {
	FIELD(struct net_action, name, "name", "object file and section, or function, from which it was loaded",
	      .role = ROLE_NAME, .flags = FIELD_NONZERO),
	FIELD(struct net_action, id, "id", "id of the program; classic BPF has none", .also = "prog_id",
	      .unit = FU_PROG, .flags = FIELD_NONZERO),
	FIELD(struct net_action, index, "index", "number (of the action)"),
	FIELD(struct net_action, prog_name, "prog_name", "name of the program", .role = ROLE_NAME,
	      .flags = FIELD_NONZERO, .when = offsetof(struct net_action, has_name)),
	FIELD(struct net_action, tag, "tag", "hash of the program's instructions", .flags = FIELD_NONZERO),
};
static const struct schema schema_action = SCHEMA("net_action", struct net_action, action_fields);

#define REC struct net_rec
#define WHEN(m) .when = offsetof(REC, m)
#define NONZERO .flags = FIELD_NONZERO | FIELD_NOPLAIN
#define DEVICE(T) \
	FIELD(T, devname, "devname", "network device", .plain = "%", .flags = FIELD_NONZERO), \
		FIELD(T, ifindex, "ifindex", "index of the network device, in its namespace", .unit = FU_IFINDEX, \
		      .plain = "(%)", .col = 1, .flags = FIELD_NONZERO)
#define PROG_NAME \
	FIELD(REC, prog_name, "prog_name", "name of the program", .role = ROLE_NAME, .need = NEED_PROG, NONZERO, \
	      WHEN(has_name))
#define TAG FIELD(REC, tag, "tag", "hash of the program's instructions", NONZERO, WHEN(has_tag))
#define LINK_ID FIELD(REC, link_id, "link_id", "id of the link that attaches it", .unit = FU_LINK, NONZERO)
#define ORDER \
	FIELD(REC, order, "run_order", "position in the run order of its attach point, from 1", .title = "ORDER", \
	      NONZERO)
/* Fields of filters. */
#define FILTER \
	FIELD(REC, filter, "filter", "kind of the filter", NONZERO), \
		FIELD(REC, pref, "pref", "priority of the filter: the lowest runs first", .flags = FIELD_NOPLAIN, \
		      WHEN(is_filter)), \
		FIELD(REC, protocol, "protocol", "protocol of the packets that the filter sees", NONZERO), \
		FIELD(REC, handle, "handle", "number of the filter in its priority", NONZERO), \
		FIELD(REC, parent, "parent", "queueing discipline or class that it belongs to", NONZERO), \
		FIELD(REC, chain, "chain", "chain of the filter", .flags = FIELD_NOPLAIN, WHEN(is_filter)), \
		FIELD(REC, block, "block", "block of filters that devices share", .flags = FIELD_NOPLAIN, \
		      WHEN(has_block)), \
		FIELD(REC, classid, "classid", "class that it assigns packets to", NONZERO), \
		FIELD(REC, direct_action, "direct_action", "what the program returns is the verdict", \
		      .flags = FIELD_NOPLAIN, WHEN(is_filter)), \
		FIELD(REC, skip_hw, "skip_hw", "not offloaded to the device", NONZERO), \
		FIELD(REC, skip_sw, "skip_sw", "only offloaded to the device", NONZERO), \
		FIELD(REC, in_hw, "in_hw", "is offloaded", NONZERO)

static const struct field mode_fields[] = {
	FIELD(REC, kind, "mode", "generic, driver or offload"),
	FIELD(REC, prog_id, "id", "id of the program", .also = "prog_id", .unit = FU_PROG),
	LINK_ID,
	PROG_NAME,
	TAG,
};
static const struct schema schema_mode = SCHEMA("net_xdp_mode", REC, mode_fields);

#define ONE .flags = FIELD_NOPLAIN, .when = offsetof(struct net_xdp, has_one)
static const struct field xdp_fields[] = {
	DEVICE(struct net_xdp),
	FIELD(struct net_xdp, mode, "mode", "generic, driver or offload", ONE),
	FIELD(struct net_xdp, prog_id, "id", "id of the program", .also = "prog_id", .unit = FU_PROG, ONE),
	FIELD_ROWS(struct net_xdp, modes, nmodes, &schema_mode, "multi_attachments", "programs in several modes",
		   .plain = "%", .col = 2, .text = net_modes_text, .when = offsetof(struct net_xdp, has_many)),
	FIELD(struct net_xdp, link_id, "link_id", "id of the link that attaches it", .unit = FU_LINK, NONZERO),
	FIELD(struct net_xdp, prog_name, "prog_name", "name of the program", .role = ROLE_NAME, NONZERO,
	      .when = offsetof(struct net_xdp, has_name)),
	FIELD(struct net_xdp, tag, "tag", "hash of the program's instructions", NONZERO,
	      .when = offsetof(struct net_xdp, has_tag)),
};
const struct schema schema_net_xdp = SCHEMA("net_xdp", struct net_xdp, xdp_fields);

static const struct field tc_fields[] = {
	DEVICE(REC),
	FIELD(REC, kind, "kind",
	      "kind: where on the device: tcx/ingress, clsact/egress, or that of a queueing discipline",
	      .role = ROLE_KIND, .plain = " %", .col = 2),
	FIELD(REC, name, "name", "name of the filter; tcx: of the program, up to 15 characters", .role = ROLE_NAME,
	      .plain = " %", .col = 3, .flags = FIELD_NONZERO),
	FIELD(REC, prog_id, "prog_id", "id of the program", .unit = FU_PROG, .plain = "%", .col = 5,
	      .text = net_mprog_text, .flags = FIELD_NONZERO),
	FIELD_LIST(REC, prog_flags, nprog_flags, FT_UINT, "prog_flags", "flags of the attachment",
		   .flags = FIELD_NOPLAIN, WHEN(is_mprog)),
	FIELD(REC, link_id, "link_id", "id of the link that attaches it; 0: none", .unit = FU_LINK,
	      .flags = FIELD_NOPLAIN, WHEN(is_mprog)),
	FIELD_LIST(REC, link_flags, nlink_flags, FT_UINT, "link_flags", "flags of the link", .flags = FIELD_NOPLAIN,
		   WHEN(is_mprog)),
	FIELD(REC, filter_id, "id", "id of the program of a filter", .unit = FU_PROG, .plain = " id %", .col = 4,
	      .flags = FIELD_NONZERO),
	FIELD_ROWS(REC, act, nact, &schema_action, "act", "BPF actions of the filter", .plain = "%", .col = 5,
		   .text = net_act_text, .flags = FIELD_NONZERO),
	PROG_NAME,
	TAG,
	ORDER,
	FIELD(REC, revision, "revision", "revision of the hook, which the kernel increments with each change", NONZERO),
	FILTER,
};
const struct schema schema_net_tc = SCHEMA("net_tc", REC, tc_fields);

static const struct field netns_fields[] = {
	FIELD(REC, prog_id, "id", "id of the program", .also = "prog_id", .unit = FU_PROG, .plain = "id %"),
	LINK_ID,
	PROG_NAME,
	TAG,
	ORDER,
};
const struct schema schema_net_netns = SCHEMA("net_netns", REC, netns_fields);

static const struct field netfilter_fields[] = {
	FIELD(REC, kind, "site", "family and hook in words", .plain = "%"),
	FIELD(REC, pf, "pf", "protocol family by its number", .flags = FIELD_NOPLAIN),
	FIELD(REC, hook, "hook", "netfilter hook by its number", .flags = FIELD_NOPLAIN),
	FIELD(REC, prio, "prio", "position among the functions of the hook: the lowest runs first", .plain = " prio %",
	      .col = 1),
	FIELD(REC, flags, "flags", "flags it is created with", .unit = FU_HEX, .plain = " flags %", .col = 2,
	      .flags = FIELD_PLAIN_NZ),
	FIELD(REC, prog_id, "id", "id of the program", .also = "prog_id", .unit = FU_PROG, .plain = " prog_id %",
	      .col = 3),
	LINK_ID,
	PROG_NAME,
	TAG,
	FIELD(REC, netns_ino, "netns_ino", "inode number of the network namespace, if known", .unit = FU_NETNS,
	      NONZERO),
};
const struct schema schema_net_netfilter = SCHEMA("net_netfilter", REC, netfilter_fields);

static const struct field alone_fields[] = {
	FIELD(REC, name, "name", "object file and section, or function, from which it was loaded", .role = ROLE_NAME,
	      NONZERO),
	FIELD(REC, prog_id, "id", "id of the program; classic BPF has none", .also = "prog_id", .unit = FU_PROG,
	      NONZERO),
	FIELD(REC, index, "index", "number (of the action)"),
	PROG_NAME,
	TAG,
};
static const struct schema schema_alone = SCHEMA("net_alone", REC, alone_fields);

#define SECTION(m, sch, name, help, ...) FIELD_ROWS(struct net_sections, m, n##m, sch, name, help, ##__VA_ARGS__)
static const struct field section_fields[] = {
	SECTION(xdp, &schema_net_xdp, "xdp", "XDP programs of devices"),
	SECTION(tc, &schema_net_tc, "tc",
		"programs of devices that run after XDP: tcx, netkit, filters of queueing disciplines"),
	SECTION(flow, &schema_net_netns, "flow_dissector", "flow dissector of the network namespace"),
	SECTION(netfilter, &schema_net_netfilter, "netfilter", "programs at netfilter hooks"),
/* bpftool's text has only these. */
#define NSHOWN 4
	SECTION(lookup, &schema_net_netns, "sk_lookup",
		"programs that choose sockets in the network namespace, in run order", .flags = FIELD_NOPLAIN),
	SECTION(actions, &schema_alone, "actions", "BPF actions that no BPF filter has", .flags = FIELD_NOPLAIN),
	FIELD(struct net_sections, netns, "netns", "name of the network namespace", .flags = FIELD_NOPLAIN),
	FIELD(struct net_sections, netns_ino, "netns_ino", "inode number of the network namespace", .unit = FU_NETNS,
	      .flags = FIELD_NOPLAIN),
};
const struct schema schema_net_sections = SCHEMA("net_sections", struct net_sections, section_fields);
const struct schema schema_net_hidden = {
	.name = "net_sections",
	.fields = section_fields + NSHOWN,
	.n = ARRAY_SIZE(section_fields) - NSHOWN,
	.rec_size = sizeof(struct net_sections),
};

/* Columns of `net list`. */
static const struct field fields[] = {
	FIELD(REC, where, "where", "place: device or other, with its network namespace unless it is ours",
	      .role = ROLE_PLACE, .flags = FIELD_DEFAULT),
	FIELD(REC, what, "what", "hook at the place", .role = ROLE_KIND, .flags = FIELD_DEFAULT),
	FIELD(REC, prog_id, "prog_id", "id of the program", .unit = FU_PROG, .flags = FIELD_NONZERO | FIELD_DEFAULT),
	FIELD(REC, prog_name, "prog_name", "name of the program", .role = ROLE_NAME,
	      .flags = FIELD_NONZERO | FIELD_DEFAULT, WHEN(has_name)),
	FIELD(REC, link_id, "link_id", "id of the link that attaches it", .unit = FU_LINK,
	      .flags = FIELD_NONZERO | FIELD_DEFAULT, .drop = 2),
	FIELD(REC, detail, "detail", "other details", .flags = FIELD_NONZERO | FIELD_DEFAULT, .drop = 1),
	FIELD(REC, order, "run_order", "position in the run order of its attach point, from 1", .title = "ORDER",
	      .flags = FIELD_NONZERO),
	FIELD(REC, tag, "tag", "hash of the program's instructions", .flags = FIELD_NONZERO, WHEN(has_tag)),
	FIELD(REC, devname, "devname", "network device", .flags = FIELD_NONZERO),
	FIELD(REC, ifindex, "ifindex", "index of the network device, in its namespace", .unit = FU_IFINDEX,
	      .flags = FIELD_NONZERO),
	FIELD(REC, netns, "netns", "name of the network namespace", .flags = FIELD_NONZERO),
	FIELD(REC, netns_ino, "netns_ino", "inode number of the network namespace", .unit = FU_NETNS,
	      .flags = FIELD_NONZERO),
	FIELD(REC, kind, "kind", "kind: mode of XDP, position on the device, or family and hook", .role = ROLE_KIND,
	      .flags = FIELD_NONZERO),
	FIELD(REC, name, "name", "name of the filter or action", .role = ROLE_NAME, .flags = FIELD_NONZERO),
	FIELD(REC, revision, "revision", "revision of the hook, which the kernel increments with each change",
	      .flags = FIELD_NONZERO),
	FILTER,
	FIELD_ROWS(REC, act, nact, &schema_action, "act", "BPF actions of the filter", .flags = FIELD_NONZERO),
	FIELD(REC, index, "index", "number (of the action)", .flags = FIELD_NONZERO),
	FIELD(REC, prio, "prio", "position among the functions of the hook: the lowest runs first (netfilter)",
	      WHEN(is_nf)),
	FIELD(REC, flags, "flags", "flags it is created with (netfilter)", .unit = FU_HEX, WHEN(is_nf)),
};
const struct schema schema_net = SCHEMA("net", REC, fields);
