/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/scan.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/tc_act/tc_bpf.h>

#include "cli/env.h"
#include "record/field.h"
#include "kernel/classifiers.h"
#include "kernel/hooks.h"
#include "kernel/netlink.h"

#define ACTIONS_MAX 32 /* TCA_ACT_MAX_PRIO: of one filter */
#define INGRESS TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS)
#define EGRESS TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS)

/*
 * Some queueing disciplines have no filters; most have none at their classes, and there may be thousands of classes.
 * For an unknown discipline, filters and classes are read.
 */
enum { ASK_NOTHING, ASK_FILTERS, ASK_CLASSES };
/* clang-format off */
static const struct {
	const char *kind;
	int ask;
} disciplines[] = {
	{ "noqueue", ASK_NOTHING }, { "pfifo_fast", ASK_NOTHING }, { "pfifo", ASK_NOTHING }, { "bfifo", ASK_NOTHING },
	{ "pfifo_head_drop", ASK_NOTHING }, { "mq", ASK_NOTHING }, { "mqprio", ASK_NOTHING }, { "fq", ASK_NOTHING },
	{ "codel", ASK_NOTHING }, { "tbf", ASK_NOTHING }, { "netem", ASK_NOTHING }, { "etf", ASK_NOTHING },
	{ "taprio", ASK_NOTHING }, { "pie", ASK_NOTHING }, { "red", ASK_NOTHING },
	{ "clsact", ASK_FILTERS }, { "ingress", ASK_FILTERS }, { "fq_codel", ASK_FILTERS }, { "sfq", ASK_FILTERS },
	{ "cake", ASK_FILTERS }, { "sfb", ASK_FILTERS }, { "prio", ASK_FILTERS }, { "multiq", ASK_FILTERS },
	{ "drr", ASK_FILTERS }, { "qfq", ASK_FILTERS }, { "ets", ASK_FILTERS }, { "choke", ASK_FILTERS },
};
/* clang-format on */

static int ask_of(const char *kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(disciplines); i++)
		if (!strcmp(disciplines[i].kind, kind))
			return disciplines[i].ask;
	return ASK_CLASSES;
}

_Static_assert(TCA_BPF_MAX < TC_OPTIONS_MAX, "room for all options of a BPF filter");

static const char *keep_text(struct net *net, const struct nl_attr *a)
{
	char text[256];

	if (!a->p)
		return NULL;
	nl_text(a, text, sizeof(text));
	return arena_str(net->env->keep, text, SIZE_MAX);
}

static const char *keep_tag(struct net *net, const struct nl_attr *a)
{
	char *tag;

	if (!a->n)
		return NULL;
	tag = arena_alloc(net->env->keep, 2 * a->n + 1);
	for (size_t i = 0; i < a->n; i++)
		memcpy(tag + 2 * i, num_hex2[a->p[i]], 2);
	return tag;
}

/* "1:10", as tc writes it. */
static const char *tc_handle(struct net *net, uint32_t h)
{
	if (h == TC_H_ROOT)
		return "root";
	return h ? arena_fmt(net->env->keep, "%x:%x", TC_H_MAJ(h) >> 16, TC_H_MIN(h)) : NULL;
}

static const char *protocol(struct net *net, uint32_t proto)
{
	static const struct {
		uint16_t number;
		const char *word;
	} words[] = {
		{ ETH_P_ALL, "all" },	      { ETH_P_IP, "ip" },	    { ETH_P_IPV6, "ipv6" },
		{ ETH_P_ARP, "arp" },	      { ETH_P_8021Q, "802.1Q" },    { ETH_P_8021AD, "802.1ad" },
		{ ETH_P_MPLS_UC, "mpls_uc" }, { ETH_P_PPP_SES, "ppp_ses" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i].number == proto)
			return words[i].word;
	return arena_fmt(net->env->keep, "0x%04x", proto);
}

/* A BPF action; false: another kind of action. */
static bool action_parse(struct net *net, const struct nl_attr *act, struct net_action *ret)
{
	struct nl_attr a[TCA_ACT_MAX + 1], o[TCA_ACT_BPF_MAX + 1];
	char kind[16];

	nl_attrs(act->p, act->n, a, TCA_ACT_MAX + 1);
	if (strcmp(nl_text(&a[TCA_ACT_KIND], kind, sizeof(kind)), "bpf") != 0)
		return false;
	nl_attrs(a[TCA_ACT_OPTIONS].p, a[TCA_ACT_OPTIONS].n, o, TCA_ACT_BPF_MAX + 1);
	*ret = (struct net_action){
		.name = keep_text(net, &o[TCA_ACT_BPF_NAME]),
		.id = nl_u32(&o[TCA_ACT_BPF_ID]),
		.tag = keep_tag(net, &o[TCA_ACT_BPF_TAG]),
	};
	/* struct tcf_t and the rest of the parameters begin with the index. */
	ret->index = nl_u32(&o[TCA_ACT_BPF_PARMS]);
	if (ret->id && (net->want & NET_WANT_NAMES)) {
		ret->prog_name = net_prog(net, ret->id)->full_name;
		ret->has_name = net_prog(net, ret->id)->known;
	}
	return true;
}

/* The BPF actions of a filter. */
static const struct net_action *actions_parse(struct net *net, const struct nl_attr *acts, uint32_t *n)
{
	struct net_action found[ACTIONS_MAX];
	const unsigned char *p = acts->p;
	size_t left = acts->n;
	struct nl_attr one;
	uint16_t nr;

	*n = 0;
	while (*n < ACTIONS_MAX && nl_attr_next(&p, &left, &nr, &one) > 0)
		if (action_parse(net, &one, &found[*n]))
			++*n;
	for (uint32_t i = 0; i < *n; i++)
		*hash_put(&net->acts, found[i].index) = net;
	return *n ? arena_dup(net->env->keep, found, *n * sizeof(found[0])) : NULL;
}

static void filter_options(struct net *net, const struct nl_attr *o, struct net_rec *r)
{
	uint32_t flags = nl_u32(&o[TCA_BPF_FLAGS]), gen = nl_u32(&o[TCA_BPF_FLAGS_GEN]);
	const char *tag = keep_tag(net, &o[TCA_BPF_TAG]);

	r->name = keep_text(net, &o[TCA_BPF_NAME]);
	r->classid = tc_handle(net, nl_u32(&o[TCA_BPF_CLASSID]));
	if (tag) {
		r->tag = tag;
		r->has_tag = AVAIL_YES;
	}
	r->direct_action = flags & TCA_BPF_FLAG_ACT_DIRECT;
	r->skip_hw = gen & TCA_CLS_FLAGS_SKIP_HW;
	r->skip_sw = gen & TCA_CLS_FLAGS_SKIP_SW;
	r->in_hw = gen & TCA_CLS_FLAGS_IN_HW;
}

static void net_filter_parse(struct net *net, const struct net_dev *d, const char *kind, const char *what,
			     const struct nl_msg *m, uint32_t *order)
{
	struct nl_attr a[TCA_EGRESS_BLOCK + 1], o[TC_OPTIONS_MAX];
	const struct net_action *act = NULL;
	bool bpf;
	uint32_t nact = 0;
	struct tcmsg head;
	char filter[16];
	uint16_t acts;
	struct net_rec *r;

	if (m->type != RTM_NEWTFILTER || !nl_msg_attrs(m, &head, sizeof(head), a, TCA_EGRESS_BLOCK + 1) ||
	    !a[TCA_OPTIONS].n)
		return; /* the head of a priority is a separate message */
	nl_text(&a[TCA_KIND], filter, sizeof(filter));
	nl_attrs(a[TCA_OPTIONS].p, a[TCA_OPTIONS].n, o, TC_OPTIONS_MAX);
	acts = tc_filter_actions(filter);
	bpf = !strcmp(filter, "bpf");
	if (acts && o[acts].n)
		act = actions_parse(net, &o[acts], &nact);
	if (!bpf && !nact)
		return;
	r = net_add(net, NET_FILTER, d, bpf ? nl_u32(&o[TCA_BPF_ID]) : 0);
	r->filter_id = r->prog_id;
	r->is_filter = AVAIL_YES;
	r->kind = kind;
	r->what = what;
	r->order = ++*order;
	r->filter = bpf ? "bpf" : keep_text(net, &a[TCA_KIND]);
	r->act = act;
	r->nact = nact;
	r->pref = TC_H_MAJ(head.tcm_info) >> 16;
	r->protocol = protocol(net, ntohs((uint16_t)TC_H_MIN(head.tcm_info)));
	r->handle = arena_fmt(net->env->keep, "0x%x", head.tcm_handle);
	/* Filters of a shared block have the number of the block in place of the parent. */
	r->has_block = head.tcm_ifindex == (int)TCM_IFINDEX_MAGIC_BLOCK ? AVAIL_YES : AVAIL_NO;
	if (r->has_block)
		r->block = head.tcm_parent;
	else
		r->parent = tc_handle(net, head.tcm_parent);
	r->chain = nl_u32(&a[TCA_CHAIN]);
	r->tc = (struct tc_filter){ (uint32_t)head.tcm_ifindex, head.tcm_handle, head.tcm_parent, head.tcm_info,
				    r->chain };
	if (bpf)
		filter_options(net, o, r);
	net_done(net, r);
}

/* The records of the filters in a dump; @kind: where they are, in bpftool's words. */
static void net_filters_parse(struct net *net, const struct net_dev *d, const char *kind, const char *what,
			      struct blob dump)
{
	uint32_t order = 0;
	struct nl_msg m;

	while (nl_next(&dump.p, &dump.n, &m) > 0)
		net_filter_parse(net, d, kind, what, &m, &order);
}

static void read_at(struct net *net, const struct net_dev *d, const char *kind, const char *what, uint32_t parent)
{
	struct env *env = net->env;
	ARENA_SCOPE(env->arena);
	struct blob b = { 0 };
	struct err why = { 0 };
	int err = net_dump(env, net->ns, &b, &why, "filters",
			   &(const struct asked){ Q_NET_FILTERS, net->ns->ino, d->ifindex, parent });

	if (!err)
		net_filters_parse(net, d, kind, what, b);
	else if (err != -ENODEV) /* it has gone meanwhile */
		report_unread(env->report, &why);
}

static void read_classes(struct net *net, const struct net_dev *d)
{
	struct env *env = net->env;
	ARENA_SCOPE(env->arena);
	struct nl_attr a[TCA_KIND + 1];
	struct blob b = { 0 };
	struct tcmsg head;
	struct nl_msg m;
	struct err why = { 0 };

	if (net_dump(env, net->ns, &b, &why, "traffic classes",
		     &(const struct asked){ Q_NET_CLASSES, net->ns->ino, d->ifindex }))
		report_unread(env->report, &why);
	while (nl_next(&b.p, &b.n, &m) > 0) {
		if (m.type != RTM_NEWTCLASS || !nl_msg_attrs(&m, &head, sizeof(head), a, TCA_KIND + 1) ||
		    !TC_H_MIN(head.tcm_handle) || ask_of(keep_text(net, &a[TCA_KIND]) ?: "") != ASK_CLASSES)
			continue;
		read_at(net, d, keep_text(net, &a[TCA_KIND]), hook_of(HOOK_FILTER, 0)->word, head.tcm_handle);
	}
}

void net_filters_read(struct net *net, const struct net_dev *d)
{
	const struct net_qdisc *q;
	const struct hook *h = NULL;
	bool classes = false, clsact = false;

	for (q = d->qdiscs; q; q = q->next)
		classes = classes || ask_of(q->kind) == ASK_CLASSES;
	if (classes)
		read_classes(net, d);
	for (q = d->qdiscs; q; q = q->next) {
		bool is_clsact = !strcmp(q->kind, "clsact");

		clsact = clsact || is_clsact;
		/* A qdisc without a handle can be addressed only as the device's root. */
		if (is_clsact || ask_of(q->kind) == ASK_NOTHING || (!q->handle && q->parent != TC_H_ROOT))
			continue;
		read_at(net, d, q->kind,
			(strcmp(q->kind, "ingress") ? hook_of(HOOK_FILTER, 0) : hook_of(HOOK_TC, INGRESS))->word,
			q->handle);
	}
	while (clsact && (h = hook_next(h, HOOK_BIT(HOOK_TC))))
		read_at(net, d, h->alias, h->word, h->arg);
}

static void net_actions_parse(struct net *net, struct blob dump)
{
	struct nl_attr tab[TCA_ACT_TAB + 1], one;
	struct net_action act = { 0 };
	struct tcamsg head;
	struct nl_msg m;
	uint16_t nr;

	while (nl_next(&dump.p, &dump.n, &m) > 0) {
		if (m.type != RTM_NEWACTION && m.type != RTM_GETACTION)
			continue;
		if (!nl_msg_attrs(&m, &head, sizeof(head), tab, TCA_ACT_TAB + 1))
			continue;
		while (nl_attr_next(&tab[TCA_ACT_TAB].p, &tab[TCA_ACT_TAB].n, &nr, &one) > 0) {
			struct net_rec *r;

			if (!action_parse(net, &one, &act) || hash_get(&net->acts, act.index))
				continue;
			r = net_add(net, NET_ACTION, NULL, act.id);
			r->is_action = AVAIL_YES;
			r->kind = hook_of(HOOK_ACTION, 0)->alias;
			r->what = hook_of(HOOK_ACTION, 0)->word;
			r->name = act.name;
			r->tag = act.tag;
			r->has_tag = AVAIL_YES;
			r->index = act.index;
			net_done(net, r);
		}
	}
}

void net_actions_read(struct net *net)
{
	struct env *env = net->env;
	ARENA_SCOPE(env->arena);
	struct blob b = { 0 };
	struct err why = { 0 };
	int err = net_dump(env, net->ns, &b, &why, "actions", &(const struct asked){ Q_NET_ACTIONS, net->ns->ino });

	if (!err)
		net_actions_parse(net, b);
	else if (err != -ENOENT && err != -EINVAL && err != -EOPNOTSUPP) /* the kernel has no actions */
		report_unread(env->report, &why);
}
