/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NET_SECTIONS_H
#define NET_SECTIONS_H

#include "net/read.h"

struct env;
struct schema;
struct doc;
/* What bpftool shows of a network namespace: records by section, each with a table of fields of its own. */
struct net_xdp { /* all modes of a device */
	const char *devname;
	uint32_t ifindex;
	const struct net_rec *modes;
	uint32_t nmodes;
	const char *mode; /* of the only one, and what it runs */
	uint32_t prog_id, link_id;
	const char *prog_name, *tag;
	uint8_t has_one, has_many; /* enum avail */
};

struct net_sections {
	const struct net_xdp *xdp;
	const struct net_rec *tc, *flow, *netfilter, *lookup, *actions;
	uint32_t nxdp, ntc, nflow, nnetfilter, nlookup, nactions;
	const char *netns;
	uint64_t netns_ino;
};
/* Plain text (struct field): the modes of a net_xdp; of a net_rec the program and links of tcx and netkit, the actions
 * of a filter. */
size_t net_modes_text(const void *rec, char *buf, size_t size);
size_t net_mprog_text(const void *rec, char *buf, size_t size);
size_t net_act_text(const void *rec, char *buf, size_t size);
extern const struct schema schema_net_hidden; /* the sections that plain text does not have */
extern const struct schema schema_net_sections, schema_net_xdp, schema_net_tc, schema_net_netns, schema_net_netfilter;
void net_sections_make(struct env *env, const struct net_ns *ns, const struct records *recs, struct net_sections *ret);
/* An object; in text with the namespace above it if @named. */
void net_sections_write(struct doc *d, const struct net_sections *s, bool named);

#endif
