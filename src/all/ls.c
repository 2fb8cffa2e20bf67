/* SPDX-License-Identifier: BSD-2-Clause */
#include "all/ls.h"

#include "all/all.h"
#include "cli/columns.h"
#include "cli/env.h"
#include "cli/fleet.h"
#include "kernel/abi.h"
#include "kernel/hooks.h"
#include "record/view.h"

struct ls_opts {
	struct arg_list words;
	struct records_opts records;
	bool tree;
};

/* Events of one owner, each of which runs the same program: most often one for each CPU. */
static const char *event_key(struct env *env, const void *rec)
{
	const struct ls_rec *r = rec;
	const struct attachment *a = &r->a;

	if (strcmp(a->what, hook_of(HOOK_EVENT, ABI_PERF_EVENT)->word))
		return NULL;
	return arena_fmt(env->keep, "%u %u %llu %s\n%s", a->prog_id, a->pid, llu(a->cookie), r->owner ? r->owner : "",
			 a->silent ? "" : a->where);
}

static const struct records_fold fold = { .key = event_key,
					  .count = offsetof(struct ls_rec, nevents),
					  .column = "event_cnt" };

static int attachments_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	const struct ls_opts *o = opts;
	bool maps = false, classic = false;
	int err;

	machine_once(env->machine);
	ret->fold = &fold;
	if (o->words.n)
		ret->need |= NEED_PROG;
	if (o->tree)
		ret->need |= NEED_JOIN;
	err = ls_list(env, ret, e);
	if (err)
		return err;
	ls_describe(env, ret);
	err = ls_choose(env, &o->words, ret, e);
	if (err)
		return err;
	ls_group(env, ret);
	/* WHERE has only the map's id, and a classic filter has no program. */
	for (size_t i = 0; i < ret->n; i++) {
		maps |= ls_at(ret, i)->a.prog_id && ls_at(ret, i)->map_name;
		classic |= ls_at(ret, i)->a.nclassic != 0;
	}
	ret->more = maps && classic ? "+map_name,detail" : maps ? "+map_name" : classic ? "+detail" : NULL;
	return 0;
}

/* For people; with JSON, programs get the same records as without --tree, including those that run each program. */
static int tree_run(struct env *env, const struct ls_opts *o, struct err *e)
{
	struct records recs = { .s = &ls_schema };
	struct view view;
	size_t n = 0;
	int err = records_view(env, &view, &ls_schema, &o->records, NULL, NULL, e);

	if (err)
		return err;
	recs.need = view.need | NEED_PROG | NEED_HOLDERS;
	err = attachments_collect(env, o, &recs, e);
	if (err)
		return err;
	for (size_t i = 0; i < recs.n; i++)
		if (view_match(&view, &ls_schema, ls_at(&recs, i)))
			*ls_at(&recs, n++) = *ls_at(&recs, i);
	recs.n = n;
	if (!n && o->records.exit_status)
		env->report->status = EXIT_FAILED;
	records_fold_rows(env, &recs);
	ls_print_tree(env, &recs);
	return records_missing(&recs, e);
}

static int ls_run(struct env *env, const void *opts, struct err *e)
{
	const struct ls_opts *o = opts;

	if (o->tree && (o->records.columns || o->records.sort))
		return err_usage(e, "'--tree' supports neither columns nor sorting");
	if (o->tree && fleet_is_used(env))
		return err_usage(e, "'--tree' shows one machine, and --from names several");
	return o->tree && !env->opts->json && !o->records.list_columns ?
		       tree_run(env, o, e) :
		       records_run(env, &o->records, o, attachments_collect, e);
}

static void ls_words_offer(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer,
			   void *ctx)
{
	for (const struct place *const *p = places; *p; p++)
		offer(ctx, (*p)->name, (*p)->help);
	ls_offer_places(env, before, typed, offer, ctx);
}

static const struct arg ls_args[] = {
	RECORDS_WATCH_ARGS(struct ls_opts, records),
	RECORDS_SINCE(struct ls_opts, records),
	ARG("--tree", ARG_FLAG, struct ls_opts, tree,
	    "as a tree: places, hooks, programs, and below each program those that run under it", .rejects = "--watch"),
	ARG("WORD", ARG_REST, struct ls_opts, words,
	    "only attachments that match: type of place, part of WHERE, start of WHAT, name or id of a program or map, part of OWNER",
	    .metavar = "WORD", .offers = ls_words_offer),
};

const struct command command_ls = {
	.name = "ls",
	.summary = "list all attachments",
	.help = "Covers all network namespaces that something holds, all cgroups, all processes, maps and links. Each attachment is listed once, "
		"with two words, WHERE and WHAT, which attach and detach take. Programs at one attach point are listed together, in run order.",
	.example = "ls",
	.schema = &ls_schema,
	.flags = CMD_READ | CMD_OURS | CMD_MANY | CMD_WATCH,
	ARGS(ls_args, struct ls_opts),
	.run = ls_run,
	.records = offsetof(struct ls_opts, records),
};
