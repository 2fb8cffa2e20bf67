/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in describe.c. */

#include "net/read.h"

/* A network namespace as bpftool shows it: records by section, each section with its own table of fields. */
struct net_xdp { /* all modes of a device */
	const char *devname;
	uint32_t ifindex;
	const struct net_rec *modes;
	uint32_t nmodes;
	const char *mode; /* the only mode, and the program in it */
	uint32_t prog_id, link_id;
	const char *prog_name, *tag;
	uint8_t has_one, has_many, has_name, has_tag; /* enum avail */
};

struct net_sections {
	const struct net_xdp *xdp;
	const struct net_rec *tc, *flow, *netfilter, *lookup, *actions;
	uint32_t nxdp, ntc, nflow, nnetfilter, nlookup, nactions;
	const char *netns;
	uint64_t netns_ino;
};
/*
 * Plain text (struct field): the modes of a net_xdp; the program and links of a net_rec of tcx or netkit; the actions
 * of a filter.
 */
size_t net_modes_text(const void *rec, char *buf, size_t size);
size_t net_mprog_text(const void *rec, char *buf, size_t size);
size_t net_act_text(const void *rec, char *buf, size_t size);
extern const struct schema schema_net_hidden; /* sections that only JSON has */
extern const struct schema schema_net_sections, schema_net_xdp, schema_net_tc, schema_net_netns, schema_net_netfilter;
void net_sections_make(struct env *env, const struct net_ns *ns, const struct records *recs, struct net_sections *ret);
/* An object; in text, if @named, after a line with the namespace. */
void net_sections_write(struct doc *d, const struct net_sections *s, bool named);
