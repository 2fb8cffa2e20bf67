/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/env.h"
#include "cli/records.h"
#include "perf/perf.h"
#include "perf/read.h"
#include "record/field.h"
#include "source/facts.h"
#include "kernel/abi.h"
#include "kernel/hooks.h"

#define LINK_TYPES \
	(1u << ABI_LINK_PERF_EVENT | 1u << ABI_LINK_RAW_TRACEPOINT | 1u << ABI_LINK_KPROBE_MULTI | \
	 1u << ABI_LINK_UPROBE_MULTI)

struct perf_opts {
	struct records_opts records;
};

static void event_add(struct env *env, struct records *ret, const struct perf_rec *r, const struct holder *holder)
{
	struct perf_rec *new = records_add(ret, env);

	*new = *r;
	if (!holder)
		return;
	new->pid = holder->pid;
	new->comm = arena_str(env->keep, holder->comm, sizeof(holder->comm));
	new->has_pid = AVAIL_YES;
}

/* A link with an event that no process has open: a record for each process that holds the link, or one if it is only
 * pinned. */
static void add_link(struct env *env, struct records *ret, const struct perf_rec *r)
{
	uint32_t n = 0;
	const struct holder *h = facts_holders(env->machine, OBJECT_LINK, r->link_id, &n);

	if (!n)
		event_add(env, ret, r, NULL);
	for (uint32_t i = 0; i < n; i++)
		event_add(env, ret, r, &h[i]);
}

static const char *event_key(struct env *env, const void *rec)
{
	const struct perf_rec *r = rec;

	return strcmp(r->type, hook_of(HOOK_EVENT, ABI_PERF_EVENT)->word) ?
		       NULL :
		       arena_fmt(env->keep, "%u %u %s", r->has_pid ? r->pid : 0, r->prog_id, r->where);
}

static const struct records_fold fold = { .key = event_key,
					  .count = offsetof(struct perf_rec, nevents),
					  .column = "event_cnt" };

static int events_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	struct perf_set set;
	size_t silent = 0;
	int err = perf_read(env, LINK_TYPES, &set, e);

	ret->fold = &fold;
	if (err)
		return err;
	for (size_t i = 0; i < set.nfds; i++) {
		if (set.fds[i].silent && set.fds[i].covered)
			continue;
		event_add(env, ret, &set.fds[i], NULL);
		silent += set.fds[i].silent && !set.fds[i].prog_id;
	}
	for (size_t i = 0; i < set.nlinks; i++)
		if (!set.links[i].covered)
			add_link(env, ret, &set.links[i]);
	if (silent)
		snprintf(env->report->note, sizeof(env->report->note),
			 "the kernel does not report the program of %zu perf event%s without a link", silent,
			 plural(silent));
	perf_describe(env, ret->need, (struct perf_rec *)(void *)ret->rec, ret->n);
	return 0;
}

static int perf_show_run(struct env *env, const void *opts, struct err *e)
{
	const struct perf_opts *o = opts;

	return records_show(env, &o->records, o, events_collect, e);
}

static const struct arg show_args[] = {
	ARG("--filter", ARG_STR, struct perf_opts, records.filter, "only events for which the expression is true",
	    .alias = "-Q", .metavar = "EXPR"),
	ARG("--sort", ARG_COLUMNS, struct perf_opts, records.sort, "sort by a column, descending with -",
	    .metavar = "[-]COL"),
};

static const struct command perf_show = {
	.name = "show",
	.summary = "show perf events and tracepoints that run programs, one per line",
	.help = "Shows descriptors of all processes except this one, and links with an event that no process has open. For a perf event "
		"that is neither a probe nor a tracepoint, the kernel reports the program only through a link.",
	.example = "perf show",
	.schema = &perf_schema,
	.flags = CMD_READ,
	ARGS(show_args, struct perf_opts),
	.run = perf_show_run,
};

static const struct arg list_args[] = { RECORDS_ARGS(struct perf_opts, records) };

static const struct command perf_list = {
	.name = "list",
	.summary = "list the same events as a table with selected columns",
	.example = "perf list -Q 'fd_type == \"uprobe\"' -o +symbol",
	.schema = &perf_schema,
	.flags = CMD_READ,
	ARGS(list_args, struct perf_opts),
	COLLECT(events_collect, struct perf_opts),
};

const struct command *const perf_commands[] = { &perf_show, &perf_list, NULL };
