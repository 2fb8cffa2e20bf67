/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include "base/arena.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/hash.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "cli/place.h"
#include "cli/records.h"
#include "link/link.h"
#include "record/field.h"
#include "source/facts.h"
#include "kernel/hooks.h"

/*
 * Links that the other places did not tell of: of types that are no business of theirs or newer than this program, and
 * those that they could not reach.
 */

static const struct hook *hook_of_link(const struct link_rec *r)
{
	uint32_t returns = r->retprobe ? ABI_PROBE_MULTI_RETURN : 0;

	switch (r->info.type) {
	case ABI_LINK_PERF_EVENT:
		return hook_of(HOOK_EVENT, r->info.perf_event.type);
	case ABI_LINK_TRACING:		/* extensions have no attach type of their own */
		return r->info.tracing.attach_type ? hook_at(r->info.tracing.attach_type, 0) : hook_of(HOOK_EXT, 0);
	case ABI_LINK_TRACING_MULTI:
		return hook_at(r->info.tracing_multi.attach_type, 0);
	case ABI_LINK_KPROBE_MULTI:
		return hook_at(ABI_ATTACH_KPROBE_MULTI, returns);
	case ABI_LINK_UPROBE_MULTI:
		return hook_at(ABI_ATTACH_UPROBE_MULTI, returns);
	default:
		return NULL;
	}
}

const char *link_hook_word(const struct link_rec *r)
{
	const struct hook *h = hook_of_link(r);

	return h ? h->word : r->attach_type ? r->attach_type : r->type;
}

/* Returns false for what runs nowhere any more. Strings in env->arena. */
typedef bool site_fn(struct env *env, const struct link_rec *r, struct attachment *a);

static bool site_device(struct env *env, const struct link_rec *r, struct attachment *a)
{
	a->ifindex = r->info.xdp.ifindex;	/* the first member of each of them */
	a->where = facts_ifname(env->facts, a->ifindex);
	if (!a->where)
		a->where = arena_fmt(env->arena, "ifindex:%u", a->ifindex);
	return a->ifindex != 0;
}

static bool site_cgroup(struct env *env, const struct link_rec *r, struct attachment *a)
{
	a->cgroup_id = r->info.cgroup.cgroup_id;
	a->where = r->cgroup_path ? r->cgroup_path : arena_fmt(env->arena, "cgroup:%llu", (unsigned long long)a->cgroup_id);
	return a->cgroup_id != 0;
}

static bool site_netns(struct env *env, const struct link_rec *r, struct attachment *a)
{
	uint64_t dev, ino;

	a->netns_ino = r->info.netns.netns_ino;
	a->where = facts_netns(env->facts, &dev, &ino) && ino == a->netns_ino ? "netns" :
		   arena_fmt(env->arena, "%llu:netns", (unsigned long long)a->netns_ino);
	return a->netns_ino != 0;
}

static bool site_netfilter(struct env *env, const struct link_rec *r, struct attachment *a)
{
	a->where = arena_fmt(env->arena, "%s/%s/%d", r->pf_name, r->hook_name, r->info.netfilter.priority);
	return true;
}

static bool site_map(struct env *env, const struct link_rec *r, struct attachment *a)
{
	a->map_id = r->info.type == ABI_LINK_SOCKMAP ? r->info.sockmap.map_id : r->info.struct_ops.map_id;
	a->where = arena_fmt(env->arena, "map:%u", a->map_id);
	return a->map_id != 0;
}

static bool site_text(struct env *env, const struct link_rec *r, struct attachment *a)
{
	(void)env;
	a->where = r->text;
	if (r->info.type == ABI_LINK_RAW_TRACEPOINT)
		a->cookie = r->info.raw_tracepoint.cookie;
	return true;
}

static bool site_tracing(struct env *env, const struct link_rec *r, struct attachment *a)
{
	a->where = r->target_name ? r->target_name : arena_fmt(env->arena, "type:%u", r->info.tracing.target_btf_id);
	if (r->target_prog_id)
		a->where = arena_fmt(env->arena, "prog:%u:%s", r->target_prog_id, a->where);
	a->cookie = r->info.tracing.cookie;
	return true;
}

static bool site_perf(struct env *env, const struct link_rec *r, struct attachment *a)
{
	uint32_t type = r->info.perf_event.type;

	a->where = r->attach_to;
	if (type == ABI_PERF_UPROBE || type == ABI_PERF_URETPROBE) {
		a->where = arena_fmt(env->arena, "%s:%#x", r->text ? r->text : "?", r->info.perf_event.uprobe.offset);
		a->cookie = r->info.perf_event.uprobe.cookie;
	} else if (type == ABI_PERF_KPROBE || type == ABI_PERF_KRETPROBE) {
		a->cookie = r->info.perf_event.kprobe.cookie;
	} else if (type == ABI_PERF_TRACEPOINT) {
		a->cookie = r->info.perf_event.tracepoint.cookie;
	} else if (type == ABI_PERF_EVENT) {
		a->cookie = r->info.perf_event.event.cookie;
	}
	return true;
}

/* The first of them stands for all. */
static bool site_multi(struct env *env, const struct link_rec *r, struct attachment *a)
{
	const struct link_func *f = r->nfuncs ? &r->funcs[0] : NULL;

	if (!f)
		return true;
	a->where = f->func;
	if (r->info.type == ABI_LINK_UPROBE_MULTI)
		a->where = arena_fmt(env->arena, "%s:%#llx", r->text ? r->text : "?", (unsigned long long)f->addr);
	else if (!f->func && f->addr)
		a->where = arena_fmt(env->arena, "%#llx", (unsigned long long)f->addr);
	if (r->nfuncs > 1)
		a->detail = arena_fmt(env->arena, "and %u more functions", r->nfuncs - 1);
	a->cookie = f->cookie;
	return true;
}

static site_fn *const sites[] = {
	[ABI_LINK_RAW_TRACEPOINT] = site_text, [ABI_LINK_TRACING] = site_tracing, [ABI_LINK_CGROUP] = site_cgroup,
	[ABI_LINK_ITER] = site_text, [ABI_LINK_NETNS] = site_netns, [ABI_LINK_XDP] = site_device,
	[ABI_LINK_PERF_EVENT] = site_perf, [ABI_LINK_KPROBE_MULTI] = site_multi, [ABI_LINK_STRUCT_OPS] = site_map,
	[ABI_LINK_NETFILTER] = site_netfilter, [ABI_LINK_TCX] = site_device, [ABI_LINK_UPROBE_MULTI] = site_multi,
	[ABI_LINK_NETKIT] = site_device, [ABI_LINK_SOCKMAP] = site_map, [ABI_LINK_TRACING_MULTI] = site_multi,
};

/* A place is one word. */
static const char *keep_word(struct env *env, const char *text)
{
	char *ret;

	if (!text)
		return NULL;
	ret = arena_str(env->keep, text, SIZE_MAX);
	for (char *p = ret; (p = strchr(p, ' ')); )
		*p = '_';
	return ret;
}

bool link_attachment(struct env *env, const struct link_rec *r, struct attachment *ret)
{
	struct attachment a = { .prog_id = r->info.prog_id, .link_id = r->info.id };
	site_fn *site = r->info.type < ARRAY_SIZE(sites) ? sites[r->info.type] : NULL;

	if (site && !site(env, r, &a))
		return false;
	if (!a.where)
		a.where = arena_fmt(env->arena, "link:%u", r->info.id);
	a.what = link_hook_word(r);
	a.where = keep_word(env, a.where);
	a.what = keep_word(env, a.what);
	a.detail = a.detail ? arena_str(env->keep, a.detail, SIZE_MAX) : NULL;
	*ret = a;
	return true;
}

static void told_links(struct env *env, const struct records *recs, struct hash *ret)
{
	hash_init(ret, env->keep);
	for (size_t i = 0; i < recs->n; i++) {
		const struct attachment *a = (const void *)(recs->rec + i * recs->s->rec_size);

		if (a->link_id)
			*hash_put(ret, a->link_id) = ret;
	}
}

static void one_link(struct env *env, uint32_t id, struct records *ret)
{
	struct link_rec *r = arena_alloc(env->arena, sizeof(*r));
	struct attachment a;
	struct err why = { 0 };
	int err = link_read(env, id, NEED_TARGET | NEED_SYMBOLS, r, &why);

	if (err == -ENOENT)
		return;
	if (err)
		env_unread(env, &why);
	else if (link_attachment(env, r, &a))
		*(struct attachment *)records_add(ret, env) = a;
}

static int place_link_list(struct env *env, struct records *ret, struct err *e)
{
	const struct link_brief *all;
	struct hash told;
	size_t n, mark;
	int err = link_all(env, &all, &n, e);

	if (err)
		return err;
	told_links(env, ret, &told);
	for (size_t i = 0; i < n; i++) {
		if (hash_get(&told, all[i].id))
			continue;
		mark = arena_mark(env->arena);
		one_link(env, all[i].id, ret);
		arena_rewind(env->arena, mark);
		env_progress(env, "read", ret->n);
	}
	return 0;
}

const struct place place_link = {
	.name = "link",
	.help = "links of all other sorts",
	.list = place_link_list,
};
