/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/place.h"

#include <errno.h>

#include "base/arena.h"
#include "base/err.h"
#include "cli/env.h"
#include "cli/records.h"
#include "link/link.h"
#include "perf/perf.h"
#include "perf/read.h"
#include "record/field.h"
#include "source/facts.h"
#include "system/abi.h"

#define LINK_TYPES (1u << ABI_LINK_PERF_EVENT | 1u << ABI_LINK_RAW_TRACEPOINT | 1u << ABI_LINK_KPROBE_MULTI | \
		    1u << ABI_LINK_UPROBE_MULTI | 1u << ABI_LINK_TRACING | 1u << ABI_LINK_TRACING_MULTI)

/* A process that can see the file of the uprobe. */
static uint32_t a_holder(struct env *env, uint32_t link_id)
{
	uint32_t n = 0;
	const struct holder *h = facts_holders(env->facts, OBJECT_LINK, link_id, &n);

	return n ? h[0].pid : 0;
}

/* Functions in files by name, where they have one. */
static void name_site(struct env *env, struct perf_rec *r)
{
	if (!r->filename)
		return;
	if (!r->pid)
		r->pid = a_holder(env, r->link_id);
	perf_describe(env, NEED_SYMBOLS, r, 1);
	if (r->symbol)
		r->where = arena_fmt(env->keep, "%s:%s", r->filename, r->symbol);
}

static void list_link(struct env *env, struct perf_rec *r, struct records *ret)
{
	bool one_site = r->tracepoint || r->func || r->filename || r->event || r->has_addr == AVAIL_YES;
	struct attachment a;

	if (!link_attachment(env, r->link, &a))
		return;
	name_site(env, r);
	if (one_site)
		a.where = r->where;
	*(struct attachment *)records_add(ret, env) = a;
}

static void list_fd(struct env *env, struct perf_rec *r, struct records *ret)
{
	struct attachment *a = records_add(ret, env);

	name_site(env, r);
	a->where = r->silent ? arena_fmt(env->keep, "pid:%u:fd:%u", r->pid, r->fd) : r->where;
	a->what = r->type;
	a->prog_id = r->prog_id;
	a->pid = r->pid;
	a->fd = r->fd;
}

static int place_trace_list(struct env *env, struct records *ret, struct err *e)
{
	struct perf_set set;
	struct err why = { 0 };

	(void)e;
	/* The links are there also where nobody may ask for descriptors. Old files do not have them. */
	if (perf_read(env, LINK_TYPES, &set, &why) && why.code != -ENODATA)
		env_unread(env, &why);
	for (size_t i = 0; i < set.nlinks; i++)
		list_link(env, &set.links[i], ret);
	for (size_t i = 0; i < set.nfds; i++)
		if (!set.fds[i].covered && !set.fds[i].first)
			list_fd(env, &set.fds[i], ret);
	return 0;
}

static const char *const none[] = { NULL };

const struct place place_trace = {
	.name = "trace",
	.help = "perf events, tracepoints, probes and traced functions",
	.what = none,
	.list = place_trace_list,
};
