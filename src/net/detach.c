/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/if_link.h>

#include "cli/env.h"
#include "cli/place.h"
#include "net/net.h"
#include "net/target.h"
#include "kernel/attach.h"
#include "kernel/net_attach.h"

static int net_detach_error(const struct net_target *t, uint32_t prog_id, int err, const char *text, struct err *e)
{
	err_sys(e, err, "program %u cannot be detached from %s %s%s%s", prog_id, t->where, t->hook->word,
		text[0] ? ": " : "", text);
	return err == -EBUSY ? err_hint(e, "`detach link id LINK` if a link attaches it; `net list` shows the link") :
			       err;
}

static int not_there(const struct net_target *t, uint32_t prog_id, struct err *e)
{
	return err_set(e, -ENOENT, "%s does not run program %u as %s", t->where, prog_id, t->hook->word);
}

/* Only if the program is still this one; kernels before 5.7 cannot compare. */
static int detach_xdp(struct net_target *t, uint32_t prog_id, int prog, bool dry_run, struct err *e)
{
	char text[NL_TEXT] = "";
	int err = net_target_xdp(t) == prog_id ? 0 : not_there(t, prog_id, e);

	if (!err && !dry_run)
		err = net_target_netlink(t, e);
	if (err || dry_run)
		return err;
	err = xdp_set(&t->nl, t->dev.ifindex, -1, t->hook->arg | XDP_FLAGS_REPLACE, prog, text);
	if (err == -EINVAL && !text[0])
		err = xdp_set(&t->nl, t->dev.ifindex, -1, t->hook->arg, -1, text);
	return err ? net_detach_error(t, prog_id, err, text, e) : 0;
}

static int detach_bpf(struct net_target *t, uint32_t prog_id, int prog, bool dry_run, struct err *e)
{
	struct sys_attach a = { .target = t->dev.ifindex, .attach_type = (uint32_t)t->hook->type, .prog_fd = prog };
	struct hook_prog *p = NULL;
	uint64_t revision;
	uint32_t n = 0, i = 0;
	int err = net_target_progs(t, &p, &n, &revision);

	if (err)
		return net_detach_error(t, prog_id, err, "", e);
	while (i < n && p[i].prog_id != prog_id)
		i++;
	if (i == n)
		return not_there(t, prog_id, e);
	if (p[i].link_id) {
		err_set(e, -EBUSY, "%s %s: link %u attaches program %u", t->where, t->hook->word, p[i].link_id,
			prog_id);
		return err_hint(e, "`detach link id %u`", p[i].link_id);
	}
	if (dry_run)
		return 0;
	err = net_target_enter(t, e);
	if (err)
		return err;
	err = sys_detach(&a);
	net_target_leave(t);
	return err ? net_detach_error(t, prog_id, err, "", e) : 0;
}

static bool is_attachment(const struct net_rec *r, const struct attachment *a)
{
	if (r->sort != NET_FILTER || strcmp(r->what, a->what) != 0 || r->prog_id != a->prog_id)
		return false;
	return !a->order || (r->order == a->order && a->detail && !strcmp(r->detail, a->detail));
}

/* A filter is identified by the numbers in the list of filters. */
static int detach_filter(struct net_target *t, const struct attachment *a, struct err *e)
{
	struct records recs = { .s = &schema_net };
	struct net *net = net_new(t->env, 0, &recs);
	const struct net_rec *found = NULL;
	char text[NL_TEXT] = "";
	int err = net_read(net, t->ns, t->rest, e);

	for (size_t i = 0; !err && i < recs.n && !found; i++) {
		const struct net_rec *r = (const struct net_rec *)recs.rec + i;

		found = is_attachment(r, a) ? r : NULL;
	}
	if (!err && !found)
		err = not_there(t, a->prog_id, e);
	if (!err)
		err = net_target_netlink(t, e);
	if (err)
		return err;
	err = tc_filter_del(&t->nl, &found->tc, found->filter, text);
	return err ? net_detach_error(t, a->prog_id, err, text, e) : 0;
}

int net_detach_place(struct env *env, const struct attachment *a, bool dry_run, struct err *e)
{
	const struct hook *h = hook_find(a->what, NET_HOOKS | HOOK_BIT(HOOK_FILTER));
	NET_TARGET t = NET_TARGET_NONE;
	CLEAN_FD prog = -1;
	int err;

	if (!h || h->link_only)
		return err_set(e, -EOPNOTSUPP, "%s %s cannot be detached", a->where, a->what);
	err = net_target_open(env, a->where, h, &t, e);
	if (err)
		return err;
	prog = source_open(env->machine->src, OBJECT_PROG, a->prog_id, false);
	if (prog < 0)
		return err_sys(e, prog, "cannot open program %u", a->prog_id);
	switch (h->kind) {
	case HOOK_XDP:
		return detach_xdp(&t, a->prog_id, prog, dry_run, e);
	case HOOK_TC:
	case HOOK_FILTER:
		return dry_run ? 0 : detach_filter(&t, a, e);
	default:
		return detach_bpf(&t, a->prog_id, prog, dry_run, e);
	}
}
