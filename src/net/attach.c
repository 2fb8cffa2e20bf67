/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include "types/btf.h"
#include "cli/env.h"
#include "cli/place.h"
#include "net/scan.h"
#include "net/net.h"
#include "net/target.h"
#include "source/info.h"
#include "kernel/abi.h"
#include "kernel/attach.h"
#include "kernel/names.h"
#include "kernel/net_attach.h"
#include "host/netns.h"

#define TRIES 3 /* when others attach at the same time */

/* "eth0 does not accept program 7 as xdpdrv: XDP program already attached: Device or resource busy" */
static int net_attach_error(const struct net_target *t, const struct attach_request *q, int err, const char *text,
			    struct err *e)
{
	if (err == -ESTALE)
		return err_set(e, err, "%s %s has changed: its revision is not %llu", t->where, t->hook->word,
			       llu(q->revision));
	err_sys(e, err, "%s does not accept program %u as %s%s%s", t->where, q->prog_id, t->hook->word,
		text[0] ? ": " : "", text);
	place_explain(t->env, t->hook, e);
	if (t->hook->arg == XDP_FLAGS_HW_MODE)
		err_hint(e, "a program must be loaded for the device that it is offloaded to");
	return e->code;
}

static const char *prog_type_word(struct env *env, uint32_t type)
{
	return btf_word(env->machine, &names_prog_type, type);
}

/* The kernel only returns EINVAL. */
static int check_type(struct env *env, const struct hook *h, const struct attach_request *q, struct err *e)
{
	struct abi_prog_info info;
	int err = prog_info(env->machine, env->arena, q->prog_id, &info, e);

	if (err || hook_takes(h, info.type))
		return err;
	return err_set(e, -EINVAL, "program %u is of type %s: %s takes programs of type %s", q->prog_id,
		       prog_type_word(env, info.type), h->word, prog_type_word(env, h->progs[0]));
}

static int occupied(const struct net_target *t, uint32_t prog_id, struct err *e)
{
	err_set(e, -EEXIST, "%s runs program %u as %s", t->where, prog_id, t->hook->word);
	return err_hint(e, "`overwrite` replaces it");
}

static int held(const struct net_target *t, uint32_t prog_id, struct err *e)
{
	err_set(e, -EBUSY, "%s runs program %u as %s, which a new link cannot replace", t->where, prog_id,
		t->hook->word);
	return err_hint(e, "detach it first, or replace its program by `link update`");
}

static bool by_link(const struct attach_request *q)
{
	return q->link || q->hold;
}

static int make_link(const struct net_target *t, const struct attach_request *q, const struct sys_attach *a,
		     struct attach_result *ret, struct err *e)
{
	CLEAN_FD fd = -1;
	int err = net_target_enter(t, e);

	if (err)
		return err;
	fd = sys_attach_link(a);
	net_target_leave(t);
	return fd < 0 ? net_attach_error(t, q, fd, "", e) : place_finish_link(t->env, q, fd, ret, e);
}

/*
 * The request names the present program, so that the kernel replaces no other one. Kernels before 5.7 cannot compare,
 * and refuse the flag.
 */
static int xdp_once(struct net_target *t, const struct attach_request *q, uint32_t now, char text[NL_TEXT])
{
	uint32_t flags = t->hook->arg;
	CLEAN_FD old = now ? source_open(t->env->machine->src, OBJECT_PROG, now, false) : -1;
	int err;

	if (!now)
		return xdp_set(&t->nl, t->dev.ifindex, q->prog_fd, flags | XDP_FLAGS_UPDATE_IF_NOEXIST, -1, text);
	if (old < 0)
		return old == -ENOENT ? -EAGAIN : old;
	err = xdp_set(&t->nl, t->dev.ifindex, q->prog_fd, flags | XDP_FLAGS_REPLACE, old, text);
	return err == -EINVAL && !text[0] ? xdp_set(&t->nl, t->dev.ifindex, q->prog_fd, flags, -1, text) : err;
}

static int attach_xdp(struct net_target *t, const struct attach_request *q, struct attach_result *ret, struct err *e)
{
	struct sys_attach link = {
		.target = t->dev.ifindex,
		.attach_type = (uint32_t)t->hook->type,
		.flags = t->hook->arg,
		.prog_fd = q->prog_fd,
	};
	char text[NL_TEXT] = "";
	uint32_t now = 0;
	int err = by_link(q) || q->dry_run ? 0 : net_target_netlink(t, e);

	for (int i = 0; !err && i < TRIES; i++) {
		now = net_target_xdp(t);
		if (now && !q->overwrite)
			return occupied(t, now, e);
		if (now && by_link(q))
			return held(t, now, e);
		if (place_check_replaced(q, now, e))
			return e->code;
		if (q->dry_run)
			break;
		if (by_link(q))
			return make_link(t, q, &link, ret, e);
		err = xdp_once(t, q, now, text);
		if (!err)
			break;
		/* If another process changed the device meanwhile, try again. */
		if (net_target_device(t, e))
			return e->code;
		if (net_target_xdp(t) == now)
			return net_attach_error(t, q, err, text, e);
		err = i < TRIES - 1 ? 0 : net_attach_error(t, q, err, text, e);
	}
	ret->replaced_prog = err ? 0 : now;
	return err;
}

static void position(const struct attach_request *q, struct sys_attach *a)
{
	if (q->position == POSITION_FIRST || q->position == POSITION_BEFORE)
		a->flags |= ABI_ATTACH_BEFORE;
	if (q->position == POSITION_LAST || q->position == POSITION_AFTER)
		a->flags |= ABI_ATTACH_AFTER;
	a->relative = q->anchor_link ? q->anchor_link : q->anchor_prog;
	if (a->relative)
		a->flags |= ABI_ATTACH_ID | (q->anchor_link ? ABI_ATTACH_LINK : 0);
}

/* Does the hook run the programs that the request names? */
static int check_progs(const struct net_target *t, const struct attach_request *q, const struct hook_prog *p,
		       uint32_t n, struct err *e)
{
	bool anchor = false;

	for (uint32_t i = 0; i < n; i++) {
		anchor = anchor || (q->anchor_link ? p[i].link_id == q->anchor_link : p[i].prog_id == q->anchor_prog);
		if (p[i].prog_id == q->prog_id)
			return err_set(e, -EEXIST, "%s already runs program %u as %s", t->where, q->prog_id,
				       t->hook->word);
	}
	if ((q->anchor_link || q->anchor_prog) && !anchor)
		return err_set(e, -ENOENT, "%s does not run %s %u as %s", t->where, q->anchor_link ? "link" : "program",
			       q->anchor_link ? q->anchor_link : q->anchor_prog, t->hook->word);
	return 0;
}

/* The one program that is replaced; 0: none. */
static int only_prog(const struct net_target *t, const struct attach_request *q, const struct hook_prog *p, uint32_t n,
		     uint32_t *ret, struct err *e)
{
	*ret = 0;
	if (!q->overwrite || !n)
		return 0;
	while (q->anchor_prog && p->prog_id != q->anchor_prog)
		p++;
	if (n > 1 && !q->anchor_prog) {
		err_set(e, -ENOTUNIQ, "%s runs %u programs as %s: name the one to replace", t->where, n, t->hook->word);
		return err_hint(e, "detach one of them, and attach this one before or after another");
	}
	if (p->link_id || by_link(q))
		return held(t, p->prog_id, e);
	*ret = p->prog_id;
	return 0;
}

static int attach_now(struct net_target *t, const struct attach_request *q, struct sys_attach *a, struct err *e)
{
	int err = net_target_enter(t, e);

	if (err)
		return err;
	err = sys_attach(a);
	net_target_leave(t);
	return err ? net_attach_error(t, q, err, "", e) : 0;
}

static int attach_mprog(struct net_target *t, const struct attach_request *q, struct attach_result *ret, struct err *e)
{
	struct sys_attach a = {
		.target = t->dev.ifindex,
		.attach_type = (uint32_t)t->hook->type,
		.prog_fd = q->prog_fd,
		.revision = q->revision,
	};
	struct hook_prog *p = NULL;
	CLEAN_FD old = -1;
	uint64_t revision = 0;
	uint32_t n = 0, now;
	int err = net_target_progs(t, &p, &n, &revision);

	if (err)
		return net_attach_error(t, q, err, "", e);
	err = check_progs(t, q, p, n, e);
	if (!err)
		err = only_prog(t, q, p, n, &now, e);
	if (err)
		return err;
	if (q->revision && revision && q->revision != revision)
		return err_set(e, -ESTALE, "%s %s has changed: its revision is %llu", t->where, t->hook->word,
			       llu(revision));
	ret->replaced_prog = now;
	if (q->dry_run)
		return 0;
	position(q, &a);
	if (by_link(q))
		return make_link(t, q, &a, ret, e);
	if (now) {
		old = source_open(t->env->machine->src, OBJECT_PROG, now, false);
		if (old < 0)
			return err_sys(e, old, "cannot open program %u", now);
		a.flags |= ABI_ATTACH_REPLACE;
		a.replace_fd = old;
	}
	return attach_now(t, q, &a, e);
}

static int attach_netns(struct net_target *t, const struct attach_request *q, struct attach_result *ret, struct err *e)
{
	struct sys_attach a = { .attach_type = (uint32_t)t->hook->type, .prog_fd = q->prog_fd };
	struct hook_prog *p = NULL;
	uint64_t revision;
	uint32_t n = 0, now;
	int err = net_target_progs(t, &p, &n, &revision);

	if (err)
		return net_attach_error(t, q, err, "", e);
	now = n && !t->hook->link_only ? p->prog_id : 0; /* hooks that only accept links run several programs */
	if (now && !q->overwrite)
		return occupied(t, now, e);
	if (now && by_link(q))
		return held(t, now, e);
	err = place_check_replaced(q, now, e);
	if (err)
		return err;
	ret->replaced_prog = now;
	if (q->dry_run)
		return 0;
	if (by_link(q)) {
		CLEAN_FD own = -1;
		uint64_t ino;

		own = t->there < 0 ? netns_open_own(&ino) : -1;
		a.target = (uint32_t)(t->there < 0 ? own : t->there);
		return make_link(t, q, &a, ret, e);
	}
	return attach_now(t, q, &a, e);
}

static int attach_netfilter(struct net_target *t, const struct attach_request *q, struct attach_result *ret,
			    struct err *e)
{
	uint32_t pf, hook;
	int32_t prio;
	CLEAN_FD fd = -1;
	int err;

	if (!nf_hook_parse(t->rest, &pf, &hook, &prio)) {
		err_usage(e, "'%s' is not a netfilter hook", t->where);
		return err_hint(
			e,
			"for example ip/input/-128: ip or ip6; prerouting, input, forward, output or postrouting; a priority");
	}
	if (q->dry_run)
		return 0;
	err = net_target_enter(t, e);
	if (err)
		return err;
	fd = netfilter_link(q->prog_fd, pf, hook, prio, 0);
	net_target_leave(t);
	return fd < 0 ? net_attach_error(t, q, fd, "", e) : place_finish_link(t->env, q, fd, ret, e);
}

/* The device has an ingress qdisc in the place of clsact: all its filters see incoming packets. */
static bool takes_no_egress(const struct net *net, const struct net_target *t)
{
	const struct net_qdisc *q = net->devs.n ? net->devs.dev[0].qdiscs : NULL;

	while (q && strcmp(q->kind, "ingress") != 0)
		q = q->next;
	return q && t->hook->arg == TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS);
}

/* A new clsact stays even if the filter is refused: another process may already use it. */
static int add_filter(struct net_target *t, const struct attach_request *q, const struct tc_filter *f, const char *name,
		      struct err *e)
{
	char text[NL_TEXT] = "";
	int made = tc_clsact_add(&t->nl, f->ifindex, text), err;

	if (made < 0)
		return net_attach_error(t, q, made, text, e);
	err = tc_filter_set(&t->nl, f, NLM_F_CREATE | NLM_F_EXCL, q->prog_fd, name, text);
	if (!err)
		return 0;
	net_attach_error(t, q, err, text, e);
	return made ? err_hint(e, "the clsact qdisc that was made for it remains, empty") : err;
}

/* The first filter of the hook with this program. */
static const struct net_rec *filter_with(const struct records *recs, const char *what, uint32_t prog_id)
{
	for (size_t i = 0; i < recs->n; i++) {
		const struct net_rec *r = (const struct net_rec *)recs->rec + i;

		if (r->sort == NET_FILTER && r->prog_id == prog_id && !strcmp(r->what, what))
			return r;
	}
	return NULL;
}

/* The kernel replaces the program of a filter in place. */
static int replace_in_filter(struct net_target *t, const struct attach_request *q, const struct records *recs,
			     struct attach_result *ret, struct err *e)
{
	const struct net_rec *r = filter_with(recs, q->what, q->anchor_prog);
	char text[NL_TEXT] = "";
	int err;

	if (!r)
		return place_check_replaced(q, 0, e);
	if (!r->direct_action || r->skip_hw || r->skip_sw || r->classid || r->nact)
		return err_set(
			e, -EOPNOTSUPP,
			"%s %s: the filter of program %u is not a plain one with direct-action, and would change",
			q->where, q->what, q->anchor_prog);
	err = q->dry_run ? 0 : net_target_netlink(t, e);
	if (!err && !q->dry_run)
		err = tc_filter_set(&t->nl, &r->tc, 0, q->prog_fd, r->name ? r->name : "bpf", text);
	if (err)
		return e->code ? err : net_attach_error(t, q, err, text, e);
	ret->replaced_prog = q->anchor_prog;
	return 0;
}

/* A filter for all packets, after the existing ones, as `tc filter add ... bpf direct-action` makes it. */
static int attach_tc(struct net_target *t, const struct attach_request *q, struct attach_result *ret, struct err *e)
{
	struct tc_filter f = { .ifindex = t->dev.ifindex, .parent = t->hook->arg, .info = htons(ETH_P_ALL) };
	struct records recs = { .s = &schema_net };
	struct net *net = net_new(t->env, 0, &recs);
	const char *name = net_prog(net, q->prog_id)->name;
	int err = net_read(net, t->ns, t->rest, e);

	if (!err && q->overwrite)
		return replace_in_filter(t, q, &recs, ret, e);
	/* The kernel would run it twice, and the two could not be told apart. */
	if (!err && filter_with(&recs, q->what, q->prog_id))
		return err_set(e, -EEXIST, "%s already runs program %u as %s", t->where, q->prog_id, q->what);
	if (!err && takes_no_egress(net, t)) {
		err_set(e, -EBUSY, "%s has an ingress qdisc, and tc_egress needs clsact", t->where);
		return err_hint_word(e, "tcx_egress needs neither; or `tc qdisc replace dev ", t->rest,
				     " clsact`, which drops the filters of ingress");
	}
	if (err || q->dry_run)
		return err;
	err = net_target_netlink(t, e);
	return err ? err : add_filter(t, q, &f, name ? name : "bpf", e);
}

/* Options that the hook cannot honour. */
static int check_request(const struct hook *h, const struct attach_request *q, struct err *e)
{
	if (q->multi || q->override || q->preorder)
		return err_usage(e, "'multi', 'override' and 'preorder' are for cgroups");
	if (q->has_cookie)
		return err_usage(e, "programs of %s have no cookie", h->word);
	if ((q->position || q->revision) && h->kind != HOOK_MPROG)
		return err_usage(
			e,
			"programs of %s have no order: 'first', 'last', 'before', 'after' and 'revision' are for tcx and netkit",
			h->word);
	if (q->overwrite && ((h->kind == HOOK_TC && !q->anchor_prog) || h->link_only))
		return err_usage(e, "%s runs several programs: there is nothing to overwrite", h->word);
	if (q->overwrite && q->position)
		return err_usage(e, "a program that replaces another takes its position");
	if (by_link(q) && h->kind == HOOK_TC)
		return err_usage(e, "tc filters do not support links: tcx_ingress and tcx_egress do");
	if (h->link_only && !by_link(q)) {
		err_usage(e, "programs of %s can only be attached by a link", h->word);
		return err_hint(e, "--link PATH pins it; `hold` keeps it until the command is interrupted");
	}
	return 0;
}

int net_attach_place(struct env *env, const struct attach_request *q, struct attach_result *ret, struct err *e)
{
	const struct hook *h = hook_find(q->what, NET_HOOKS);
	NET_TARGET t = NET_TARGET_NONE;
	int err = h ? check_request(h, q, e) : -ENOENT;

	if (!err)
		err = check_type(env, h, q, e);
	if (!err)
		err = net_target_open(env, q->where, h, &t, e);
	if (err)
		return err;
	switch (h->kind) {
	case HOOK_XDP:
		return attach_xdp(&t, q, ret, e);
	case HOOK_MPROG:
		return attach_mprog(&t, q, ret, e);
	case HOOK_TC:
		return attach_tc(&t, q, ret, e);
	case HOOK_NETNS:
		return attach_netns(&t, q, ret, e);
	default:
		return attach_netfilter(&t, q, ret, e);
	}
}
