/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/env.h"
#include "cli/fleet.h"
#include "net/net.h"
#include "net/read.h"
#include "net/sections.h"
#include "record/field.h"
#include "render/doc.h"

struct net_show_opts {
	const char *dev;
	bool all;
	struct records_opts records;
};

/* @everything: also what only JSON and tables have. */
static unsigned kinds_shown(bool everything)
{
	return everything ? NET_WANT_NAMES | NET_WANT_LINKS | NET_WANT_ACTIONS : 0;
}

/*
 * A namespace that cannot be read is noted, and one that has gone meanwhile is skipped; if it is the only one, that is
 * the error. *found is set if a namespace was read.
 */
static int netns_show_read(struct env *env, struct net *net, const struct net_show_opts *o, const struct net_ns *ns,
			   size_t n, bool *found, struct err *e)
{
	struct err why = { 0 };
	int err = net_read(net, ns, o->dev, &why);

	*found = *found || !err;
	if (err && n == 1)
		*e = why;
	else if (err && err != -ENOENT)
		report_unread(env->report, &why);
	return n == 1 ? err : 0;
}

static int netns_not_found(const struct net_show_opts *o, struct err *e)
{
	if (o->dev)
		return err_set(e, -ENOENT, "there is no network device %s in any network namespace", o->dev);
	return err_set(e, -ENOENT, "no network namespace can be read");
}

static int show(struct env *env, const struct net_show_opts *o, struct err *e)
{
	struct records recs;
	const struct net_ns *ns;
	struct net_sections s;
	bool found, any = false;
	struct net *net;
	struct doc d;
	size_t n;
	int err = net_namespaces(env, o->all, &ns, &n, e);

	env_doc(env, &d);
	net = net_new(env, kinds_shown(doc_need(&d, &schema_net_netns) & NEED_PROG), &recs);
	for (size_t i = 0; !err && i < n && !doc_dead(&d); i++) {
		recs = (struct records){ .s = &schema_net };
		found = false;
		err = netns_show_read(env, net, o, &ns[i], n, &found, e);
		if (!found)
			continue;
		if (!any)
			net_read_strays(net, o->all ? ns : NULL, n);
		net_sections_make(env, &ns[i], &recs, &s);
		if (!any) /* an error before the first namespace is the whole document */
			doc_stream(&d, NULL);
		any = true;
		net_sections_write(&d, &s, o->all);
	}
	if (any)
		doc_end(&d);
	env_doc_end(env, &d);
	return err || any ? err : netns_not_found(o, e);
}

static int net_show_run(struct env *env, const void *opts, struct err *e)
{
	return show(env, opts, e);
}

static int devices_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	const struct net_show_opts *o = opts;
	struct net *net = net_new(env, kinds_shown(true), ret);
	const struct net_ns *ns;
	bool found = false;
	size_t n;
	int err = net_namespaces(env, o->all, &ns, &n, e);

	for (size_t i = 0; !err && i < n; i++)
		err = netns_show_read(env, net, o, &ns[i], n, &found, e);
	if (!err && !found)
		return netns_not_found(o, e);
	if (!err)
		net_read_strays(net, o->all ? ns : NULL, n);
	return err;
}

/* In JSON, and under bpftool's name, it is `show`. */
static int net_list_run(struct env *env, const void *opts, struct err *e)
{
	const struct net_show_opts *o = opts;
	const struct records_opts *r = &o->records;
	bool plainly = !r->columns && !r->sort && !r->filter && !r->list_columns;

	if (plainly && !fleet_is_used(env) && (env->opts->as_bpftool || (env->opts->json && !env->opts->ndjson)))
		return show(env, o, e);
	return records_run(env, r, opts, devices_collect, e);
}

#define DEV \
	ARG("dev", ARG_STR, struct net_show_opts, dev, "only the XDP and tc programs of this network device", \
	    .metavar = "DEVICE", .offers = net_offer_devices)
#define ALL \
	ARG("--all", ARG_FLAG, struct net_show_opts, all, \
	    "in all network namespaces that a task, a mount, a descriptor or a socket holds", .alias = "-a")

static const struct arg show_args[] = { DEV, ALL };
static const struct arg list_args[] = { DEV, ALL, RECORDS_ARGS(struct net_show_opts, records) };

const struct command net_show = {
	.name = "show",
	.summary = "show programs on the network, in bpftool's sections",
	.help = "Each program is shown once. Programs of sk_lookup and actions without a filter are in the JSON and in list. With --all, "
		"netfilter links of other network namespaces are also listed, if the kernel's BTF allows their namespaces to be read.",
	.example = "net show dev lo",
	.schema = &schema_net_sections,
	.flags = CMD_READ,
	ARGS(show_args, struct net_show_opts),
	.run = net_show_run,
};
/* JSON is what bpftool prints for both verbs. */
static const struct schema *const list_parts[] = { &schema_net_sections, NULL };

const struct command net_list = {
	.name = "list",
	.summary = "list the programs as a table, with all that is known about them",
	.help = "JSON is that of show, unless columns, a filter, an order or several machines are given.",
	.example = "net list -o where,what,prog_id,prog_name,pref,handle",
	.flags = CMD_READ | CMD_MANY,
	ARGS(list_args, struct net_show_opts),
	.run = net_list_run,
	.schema = &schema_net,
	.parts = list_parts,
};
