/* SPDX-License-Identifier: BSD-2-Clause */
#include "netns/devices.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "cli/env.h"
#include "source/facts.h"
#include "source/machine.h"
#include "kernel/netlink.h"
#include "host/caps.h"

#define NETKIT_PRIMARY 2 /* IFLA_NETKIT_PRIMARY: newer than the distribution's headers */

static const char named[] = "/run/netns/";

static struct net_ns ns_make(struct env *env, uint64_t ino, const char *path, bool ours)
{
	/* A place is one word, and its namespace ends at a colon. */
	bool has_name = path && str_starts(path, named) && path[sizeof(named) - 1] && !strpbrk(path, " \t\n:");

	return (struct net_ns){
		.ino = ino,
		.ours = ours,
		.name = has_name ? path + sizeof(named) - 1 : arena_fmt(env->keep, "%" PRIu64, ino),
	};
}

/* "DEV INO PATH" */
static bool ns_parse(struct env *env, char *line, bool ours, struct net_ns *ret)
{
	char *ino = strchr(line, ' '), *path = ino ? strchr(ino + 1, ' ') : NULL;
	uint64_t v;

	if (!path)
		return false;
	*path++ = '\0';
	if (num_parse_u64(ino + 1, &v))
		return false;
	str_unescape(path);
	*ret = ns_make(env, v, path, ours);
	return true;
}

/*
 * "? processes ERRNO", "? sockets ERRNO": these were not read, and may hold more namespaces. In a container not even
 * root may read every process, so this is a note, not an error; a command that names a namespace does not need the
 * others.
 */
static void unseen_parse(struct env *env, const char *line)
{
	const char *word = line + strlen("? "), *number = strchr(word, ' ');
	struct report *r = env->report;
	uint32_t err;

	if (!number || num_parse_u32(number + 1, &err) || !err || err > 4095 ||
	    (env->command && env->command->flags & CMD_WRITE))
		return;
	if (str_starts(word, "processes "))
		report_add_unseen(r, -(int)err);
	else if (str_starts(word, "sockets ") && !r->note[0])
		snprintf(
			r->note, sizeof(r->note),
			"network namespaces that only a socket holds are not listed: the BPF program that finds them cannot be loaded: %s [%s]",
			facts_locked_down(env->machine, -(int)err) ? CAPS_LOCKED_DOWN : err_text(-(int)err),
			err_name(-(int)err));
}

static int all_namespaces(struct env *env, const struct net_ns **ret, size_t *ret_n, struct err *e)
{
	struct net_ns *ns;
	size_t n = 0;
	char *text, *line;
	int err = ask_lines(env->machine, env->keep, &text, Q_NETNS_LIST);

	if (err == -ENODATA)
		return err_set(e, err, "network namespaces are not in this archive");
	if (err)
		return err_sys(e, err, "cannot list network namespaces");
	ns = arena_array(env->keep, str_lines(text) + 1, sizeof(*ns));
	while ((line = strsep(&text, "\n")))
		if (str_starts(line, "? "))
			unseen_parse(env, line);
		else if (ns_parse(env, line, !n, &ns[n]))
			n++;
		else if (*line || text)
			note_refused(env->machine, -EBADMSG, Q_NETNS_LIST);
	*ret = ns;
	*ret_n = n;
	return n ? 0 : err_set(e, -EBADMSG, "the list of network namespaces is damaged");
}

int net_namespaces(struct env *env, bool all, const struct net_ns **ret, size_t *ret_n, struct err *e)
{
	struct net_ns *own;
	uint64_t dev, ino;

	if (all)
		return all_namespaces(env, ret, ret_n, e);
	if (!facts_netns(env->machine, &dev, &ino)) {
		err_set(e, -ENODATA, "cannot identify our network namespace");
		return env->machine->src->ops->saved ? -ENODATA : proc_explain(e);
	}
	own = arena_alloc(env->keep, sizeof(*own));
	*own = ns_make(env, ino, NULL, true);
	*ret = own;
	*ret_n = 1;
	return 0;
}

int net_namespace_of(struct env *env, const char *where, const struct net_ns **ret, const char **ret_rest,
		     struct err *e)
{
	const char *colon = strrchr(where, ':');
	size_t n, len = colon ? (size_t)(colon - where) : 0;
	const struct net_ns *all;
	uint64_t ino;
	int err = net_namespaces(env, colon != NULL, &all, &n, e);

	if (err)
		return err;
	*ret_rest = colon ? colon + 1 : where;
	for (size_t i = 0; i < n; i++) {
		const char *name = all[i].name;
		char *text = arena_str(env->arena, where, len);

		if (!colon || (strlen(name) == len && !memcmp(name, where, len)) ||
		    (!num_parse_u64(text, &ino) && ino == all[i].ino)) {
			*ret = &all[i];
			return 0;
		}
	}
	return err_set(e, -ENOENT, "there is no network namespace %.*s", (int)len, where);
}

int net_dump(struct env *env, const struct net_ns *ns, struct blob *ret, struct err *e, const char *what,
	     const struct asked *q)
{
	const char *of = ns->ours ? "" : " of network namespace ", *name = ns->ours ? "" : ns->name;
	struct err why = { 0 };
	int err = machine_ask(env->machine, env->arena, ret, q);

	if (err)
		return err_sys(e, err, "cannot read %s%s%s", what, of, name);
	if (!nl_whole(ret->p, ret->n))
		return err_set(e, machine_error(env->machine, -EBADMSG, q), "%s%s%s: the answer is damaged", what, of,
			       name);
	if (nl_interrupted(ret->p, ret->n)) {
		err_set(&why, -EAGAIN, "%s%s%s changed during each read: entries may be missing or duplicated", what,
			of, name);
		report_unread(env->report, &why);
	}
	return 0;
}

static const char *keep_text(struct env *env, const struct nl_attr *a)
{
	char text[256];

	nl_text(a, text, sizeof(text));
	return arena_str(env->keep, text, SIZE_MAX);
}

static void xdp_parse(const struct nl_attr *xdp, struct net_dev *d)
{
	static const uint16_t by_mode[NET_XDP_MODES] = { IFLA_XDP_SKB_PROG_ID, IFLA_XDP_DRV_PROG_ID,
							 IFLA_XDP_HW_PROG_ID };
	static const uint8_t attached[NET_XDP_MODES] = { XDP_ATTACHED_SKB, XDP_ATTACHED_DRV, XDP_ATTACHED_HW };
	struct nl_attr a[IFLA_XDP_MAX + 1];
	uint8_t mode;

	nl_attrs(xdp->p, xdp->n, a, IFLA_XDP_MAX + 1);
	mode = a[IFLA_XDP_ATTACHED].n ? a[IFLA_XDP_ATTACHED].p[0] : XDP_ATTACHED_NONE;
	for (int i = 0; i < NET_XDP_MODES; i++) {
		d->xdp[i] = nl_u32(&a[by_mode[i]]);
		/* Before 4.19 all modes shared one number. */
		if (!d->xdp[i] && mode == attached[i])
			d->xdp[i] = nl_u32(&a[IFLA_XDP_PROG_ID]);
	}
}

static bool dev_parse(struct env *env, const struct nl_msg *m, struct net_dev *ret)
{
	struct nl_attr a[IFLA_XDP + 1], info[IFLA_INFO_DATA + 1], data[NETKIT_PRIMARY + 1];
	struct ifinfomsg head;

	if (m->type != RTM_NEWLINK || !nl_msg_attrs(m, &head, sizeof(head), a, IFLA_XDP + 1) || head.ifi_index <= 0)
		return false;
	nl_attrs(a[IFLA_LINKINFO].p, a[IFLA_LINKINFO].n, info, IFLA_INFO_DATA + 1);
	*ret = (struct net_dev){
		.name = keep_text(env, &a[IFLA_IFNAME]),
		.kind = keep_text(env, &info[IFLA_INFO_KIND]),
		.ifindex = (uint32_t)head.ifi_index,
	};
	if (a[IFLA_XDP].n)
		xdp_parse(&a[IFLA_XDP], ret);
	if (!strcmp(ret->kind, "netkit")) {
		nl_attrs(info[IFLA_INFO_DATA].p, info[IFLA_INFO_DATA].n, data, NETKIT_PRIMARY + 1);
		ret->is_peer = data[NETKIT_PRIMARY].n && !data[NETKIT_PRIMARY].p[0];
	}
	return true;
}

int net_devs_read(struct env *env, const struct net_ns *ns, struct net_devs *ret, struct err *e)
{
	ARENA_SCOPE(env->arena);
	size_t max = 0;
	struct blob b = { 0 }, count;
	struct nl_msg m;
	int err = net_dump(env, ns, &b, e, "network devices", &(const struct asked){ Q_NET_LINKS, ns->ino });

	*ret = (struct net_devs){ 0 };
	if (err)
		return err;
	for (count = b; nl_next(&count.p, &count.n, &m) > 0;)
		max++;
	ret->dev = arena_array(env->keep, max, sizeof(*ret->dev));
	hash_init(&ret->by_index, env->keep);
	while ((err = nl_next(&b.p, &b.n, &m)) > 0) {
		struct net_dev *d = &ret->dev[ret->n];
		void **slot;

		if (!dev_parse(env, &m, d))
			continue;
		slot = hash_put(&ret->by_index, d->ifindex);
		if (*slot) /* the dump was interrupted */
			continue;
		*slot = d;
		d->qdiscs_end = &d->qdiscs;
		ret->n++;
	}
	return err ? err_set(e, err, "the list of network devices is damaged") : 0;
}

int net_qdiscs_read(struct env *env, const struct net_ns *ns, struct net_devs *devs, struct err *e)
{
	ARENA_SCOPE(env->arena);
	struct nl_attr a[TCA_KIND + 1];
	struct blob b = { 0 };
	struct tcmsg head;
	struct nl_msg m;
	int err = net_dump(env, ns, &b, e, "queueing disciplines", &(const struct asked){ Q_NET_QDISCS, ns->ino });

	if (err)
		return err;
	while ((err = nl_next(&b.p, &b.n, &m)) > 0) {
		struct net_qdisc *q;
		struct net_dev *d;

		if (m.type != RTM_NEWQDISC || !nl_msg_attrs(&m, &head, sizeof(head), a, TCA_KIND + 1))
			continue;
		d = hash_get(&devs->by_index, (uint32_t)head.tcm_ifindex);
		if (!d)
			continue;
		q = arena_alloc(env->keep, sizeof(*q));
		*q = (struct net_qdisc){ head.tcm_handle, head.tcm_parent, keep_text(env, &a[TCA_KIND]), NULL };
		*d->qdiscs_end = q;
		d->qdiscs_end = &q->next;
	}
	return err ? err_set(e, err, "the list of queueing disciplines is damaged") : 0;
}

/* @prefix: of device names in other namespaces. */
static void offer_of(struct env *env, const struct net_ns *ns, const char *prefix, const char *typed, arg_offer *offer,
		     void *ctx)
{
	struct net_devs devs;
	struct err none = { 0 };

	if (net_devs_read(env, ns, &devs, &none))
		return;
	for (size_t i = 0; i < devs.n; i++) {
		const char *name = arena_fmt(env->keep, "%s%s", prefix, devs.dev[i].name);

		if (str_starts(name, typed))
			offer(ctx, name, devs.dev[i].kind);
	}
}

void net_offer_own_devices(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer,
			   void *ctx)
{
	const struct net_ns *ns;
	struct err none = { 0 };
	size_t n;

	if (!net_namespaces(env, false, &ns, &n, &none))
		offer_of(env, ns, "", typed, offer, ctx);
}

void net_offer_devices(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	const struct net_ns *ns;
	struct err none = { 0 };
	size_t n;

	net_offer_own_devices(env, before, typed, offer, ctx);
	/* There may be hundreds of namespaces. */
	if (!*typed || net_namespaces(env, true, &ns, &n, &none))
		return;
	for (size_t i = 0; i < n; i++) {
		const char *prefix = arena_fmt(env->keep, "%s:", ns[i].name);

		if (!ns[i].ours && (str_starts(prefix, typed) || str_starts(typed, prefix)))
			offer_of(env, &ns[i], prefix, typed, offer, ctx);
	}
}

bool net_is_device(struct env *env, const char *where)
{
	const struct net_ns *ns;
	const char *name;
	struct net_devs devs;
	struct err none = { 0 };

	if (net_namespace_of(env, where, &ns, &name, &none) || net_devs_read(env, ns, &devs, &none))
		return false;
	for (size_t i = 0; i < devs.n; i++)
		if (!strcmp(devs.dev[i].name, name))
			return true;
	return false;
}
