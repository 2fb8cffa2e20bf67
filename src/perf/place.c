/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/place.h"

#include "types/types_ref.h"
#include "cli/env.h"
#include "cli/records.h"
#include "link/link.h"
#include "perf/attach.h"
#include "perf/perf.h"
#include "perf/read.h"
#include "perf/site.h"
#include "record/field.h"
#include "source/facts.h"
#include "source/keys.h"
#include "source/source.h"
#include "kernel/abi.h"
#include "kernel/hooks.h"
#include "kernel/perf/names.h"

#define LINK_TYPES \
	(1u << ABI_LINK_PERF_EVENT | 1u << ABI_LINK_RAW_TRACEPOINT | 1u << ABI_LINK_KPROBE_MULTI | \
	 1u << ABI_LINK_UPROBE_MULTI | 1u << ABI_LINK_TRACING | 1u << ABI_LINK_TRACING_MULTI)

/* A process that can see the file of the uprobe. */
static uint32_t a_holder(struct env *env, uint32_t link_id)
{
	uint32_t n = 0;
	const struct holder *h = facts_holders(env->machine, OBJECT_LINK, link_id, &n);

	return n ? h[0].pid : 0;
}

/* Shows a function in a file by name if it has one. An address stays: several functions may have the name. */
static void name_site(struct env *env, struct perf_rec *r)
{
	if (r->has_addr == AVAIL_YES)
		perf_describe(env, NEED_SYMBOLS, r, 1);
	if (!r->filename)
		return;
	if (!r->pid)
		r->pid = a_holder(env, r->link_id);
	perf_describe(env, NEED_SYMBOLS, r, 1);
	r->where = r->symbol ? arena_fmt(env->keep, "%s:%s", r->file, r->symbol) :
			       arena_fmt(env->keep, "%s:%#llx", r->file, llu(r->offset));
	r->where = place_one_word(env, r->where);
}

static bool is_tracepoint(const struct perf_rec *r)
{
	return !strcmp(r->type, hook_of(HOOK_EVENT, ABI_PERF_TRACEPOINT)->word);
}

/* The kernel reports the name without the category, which is added if only one category has the name. */
static void name_category(struct env *env, struct keys *categories, struct perf_rec *r)
{
	const char *category = is_tracepoint(r) ? keys_get(categories, r->tracepoint) : NULL;

	if (category && *category)
		r->where = arena_fmt(env->keep, "%s:%s", category, r->tracepoint);
}

/* The lines of the answer; NULL: there is none. */
static char *tracepoints_ask(struct env *env)
{
	struct blob b;

	return ask(env->machine, env->keep, &b, Q_TRACEPOINTS) ? NULL : blob_text(env->keep, &b);
}

static void read_categories(struct env *env, struct keys *ret)
{
	char *all = tracepoints_ask(env), *name;

	keys_init(ret, env->keep);
	for (char *category; (category = name = strsep(&all, "\n"));) {
		void **slot;

		strsep(&name, ":");
		slot = name ? keys_put(ret, name) : NULL;
		if (slot)
			*slot = *slot ? (char *)"" : category;
	}
}

static const char *named_event(struct env *env, const char *where)
{
	const char *type_word, *config_word;
	struct err why = { 0 };
	uint64_t config;
	uint32_t type;

	if (perf_event_parse(where, &type, &config, &why))
		return NULL;
	type_word = perf_type_word(type);
	config_word = perf_config_word(env->keep, type, config);
	return type_word && config_word ? arena_fmt(env->keep, "%s:%s", type_word, config_word) : NULL;
}

/* A tracepoint without its category, an event without its type, or a file by another path. */
static const char *place_named(struct env *env, const char *where, const char *what)
{
	const struct hook *h = what ? hook_find(what, HOOK_BIT(HOOK_EVENT)) : NULL;
	const char *colon = strrchr(where, ':'), *category;
	struct keys categories;

	if (!h)
		return NULL;
	if (h->arg == ABI_PERF_EVENT)
		return named_event(env, where);
	if (h->arg == ABI_PERF_TRACEPOINT && !colon) {
		read_categories(env, &categories);
		category = keys_get(&categories, where);
		return category && *category ? arena_fmt(env->keep, "%s:%s", category, where) : NULL;
	}
	if (trace_is_uprobe(h) && colon) {
		CLEAN_PTR char *path = realpath(arena_str(env->keep, where, (size_t)(colon - where)), NULL);

		return path ? arena_fmt(env->keep, "%s%s", path, colon) : NULL;
	}
	return NULL;
}

static bool any_tracepoint(const struct perf_rec *recs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_tracepoint(&recs[i]))
			return true;
	return false;
}

static void list_link(struct env *env, struct keys *categories, struct perf_rec *r, struct records *ret)
{
	bool one_site = r->tracepoint || r->func || r->filename || r->event || r->has_addr == AVAIL_YES;
	struct attachment a;

	if (!link_attachment(env, r->link, &a))
		return;
	name_site(env, r);
	name_category(env, categories, r);
	if (one_site) {
		a.where = a.nfuncs ? arena_fmt(env->keep, "%s,+%u", r->where, a.nfuncs - 1) : r->where;
		a.what = r->link->info.type == ABI_LINK_PERF_EVENT ? r->type : a.what;
		a.detail = r->has_addr == AVAIL_YES && !a.detail ? r->symbol : a.detail;
	}
	*attachment_add(ret, env) = a;
}

static void list_fd(struct env *env, struct keys *categories, struct perf_rec *r, struct records *ret)
{
	struct attachment *a = attachment_add(ret, env);

	name_site(env, r);
	name_category(env, categories, r);
	a->where = r->silent ? arena_fmt(env->keep, "pid:%u:fd:%u", r->pid, r->fd) : r->where;
	a->what = r->type;
	a->prog_id = r->prog_id;
	a->pid = r->pid;
	a->fd = r->fd;
	a->comm = r->comm;
	a->silent = r->silent;
	a->detail = r->has_addr == AVAIL_YES ? r->symbol : NULL;
	if (r->silent && r->prog_id)
		a->detail = "not reported: the only program of its type that the process holds";
}

static int place_trace_list(struct env *env, struct records *ret, struct err *e)
{
	struct keys categories;
	struct perf_set set;
	struct err why = { 0 };

	/* Links can be read even if descriptors cannot. Old archives do not have descriptors. */
	if (perf_read(env, LINK_TYPES, &set, &why) && why.code != -ENODATA)
		report_unread(env->report, &why);
	keys_init(&categories, env->keep);
	if (any_tracepoint(set.links, set.nlinks) || any_tracepoint(set.fds, set.nfds))
		read_categories(env, &categories);
	for (size_t i = 0; i < set.nlinks; i++)
		list_link(env, &categories, &set.links[i], ret);
	for (size_t i = 0; i < set.nfds; i++) {
		if (!set.fds[i].covered && !set.fds[i].first)
			list_fd(env, &categories, &set.fds[i], ret);
		else if (!set.fds[i].link_id) /* `save` lists places, and `perf show` names this one */
			name_site(env, &set.fds[i]);
	}
	return 0;
}

/* "sched:sched_switch", or only the name for raw tracepoints; tracepoints of single system calls are not raw ones. */
static void offer_tracepoints(struct env *env, bool raw, arg_offer *offer, void *ctx)
{
	char *all = tracepoints_ask(env);

	for (const char *line, *colon; (line = strsep(&all, "\n"));) {
		colon = strchr(line, ':');
		if (colon && !(raw && str_starts(line, "syscalls:")))
			offer(ctx, raw ? colon + 1 : line, NULL);
	}
}

static void perf_place_offer(struct env *env, uint32_t prog_type, const char *typed, arg_offer *offer, void *ctx)
{
	bool raw = hook_takes(hook_of(HOOK_EVENT, HOOK_RAW_TRACEPOINT), prog_type);

	if (raw || hook_takes(hook_of(HOOK_EVENT, ABI_PERF_TRACEPOINT), prog_type))
		offer_tracepoints(env, raw, offer, ctx);
	if (hook_takes(hook_of(HOOK_EVENT, ABI_PERF_KPROBE), prog_type))
		btf_offer_functions(env, typed, offer, ctx);
}

const struct place place_trace = {
	.name = "trace",
	.help = "perf events, tracepoints, probes and traced functions",
	.hooks = HOOK_BIT(HOOK_EVENT),
	.named = place_named,
	.offer = perf_place_offer,
	.list = place_trace_list,
	.attach = trace_attach,
};
