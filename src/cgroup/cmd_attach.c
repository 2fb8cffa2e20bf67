/* SPDX-License-Identifier: BSD-2-Clause */
#include "cgroup/commands.h"

#include "base/near.h"
#include "cgroup/cgroup.h"
#include "cgroup/hook.h"
#include "cli/change.h"
#include "cli/attach.h"
#include "cli/command.h"
#include "cli/place.h"
#include "cli/select.h"
#include "kernel/hooks.h"

struct verb_opts {
	const char *cgroup, *type;
	struct object_ref prog;
	struct attach_opts how;
	struct object_ref replace;
	bool dry_run;
};

static int what_of(const char *type, const char **ret, struct err *e)
{
	const struct hook *h = cgroup_hook_find(type, true);

	if (!h) {
		struct near near = { 0 };

		while ((h = hook_next(h, HOOK_BIT(HOOK_CGROUP)))) {
			near_offer(&near, type, h->word);
			near_offer(&near, type, h->alias ? h->alias : "");
		}
		err_usage(e, "invalid attach type: %s", type);
		near_hint(&near, e);
		return err_hint(
			e,
			"use the name of an attach type, such as cgroup_inet_ingress, or its short form, such as ingress");
	}
	*ret = h->word;
	return 0;
}

static int cgroup_attach_run(struct env *env, const void *opts, struct err *e)
{
	const struct verb_opts *o = opts;
	struct attach_result r = { .hold_fd = -1 };
	const char *what = NULL;
	ATTACH_REQUEST(q);
	int err = what_of(o->type, &what, e);

	if (!err)
		err = attach_request_of(env, &o->prog, &o->how, &q, e);
	if (!err && o->replace.by) {
		q.overwrite = true;
		err = select_one(env, &kind_prog, &o->replace, &q.anchor_prog, e);
	}
	if (err)
		return err;
	q.where = o->cgroup;
	q.what = what;
	/* Without multi, the kernel and bpftool replace the program. */
	if (!q.multi && !q.link && !q.hold)
		q.overwrite = true;
	err = place_cgroup.attach(env, &q, &r, e);
	return err ? err : place_report_attached(env, &q, &r, true, e);
}

static int cgroup_detach_run(struct env *env, const void *opts, struct err *e)
{
	const struct verb_opts *o = opts;
	struct attachment a = { .where = o->cgroup };
	int err = what_of(o->type, &a.what, e);
	CLEAN_FD fd = err ? -1 : select_open(env, &kind_prog, &o->prog, &a.prog_id, e);

	if (err || fd < 0)
		return err ? err : fd;
	err = place_cgroup.detach(env, &a, o->dry_run, e);
	if (!err)
		place_report_detached(env, &a, o->dry_run);
	return err;
}

static void offer_hooks(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	const struct hook *h = NULL;

	while ((h = hook_next(h, HOOK_BIT(HOOK_CGROUP)))) {
		if (h->alias)
			offer(ctx, h->alias, h->word);
		offer(ctx, h->word, NULL);
	}
}

#define SUBJECT_ARGS \
	OPERAND("CGROUP", ARG_PATH, struct verb_opts, cgroup, "path, path below the mount, or number of the cgroup", \
		.offers = cgroup_offer), \
		OPERAND("ATTACH_TYPE", ARG_STR, struct verb_opts, type, \
			"hook, such as cgroup_inet_ingress or ingress", .offers = offer_hooks), \
		OPERAND("PROG", ARG_OBJECT, struct verb_opts, prog, "the program", .kind = &kind_prog)

static const struct arg attach_args[] = {
	SUBJECT_ARGS,
	ATTACH_ARGS(struct verb_opts, how),
	ARG("replace", ARG_OBJECT, struct verb_opts, replace, "with multi: replace this program", .kind = &kind_prog),
};

const struct command cgroup_attach = {
	.name = "attach",
	.summary = "attach a program to a hook of a cgroup",
	.help = "Without multi, the program that is attached is replaced. Run order, preorder and revision need a hook with multi and a kernel "
		"that supports them. A link is always attached with multi.",
	.schema = &change_schema,
	.flags = CMD_WRITE | CMD_DESTROY,
	ARGS(attach_args, struct verb_opts),
	.run = cgroup_attach_run,
};

static const struct arg detach_args[] = {
	SUBJECT_ARGS,
	ARG("--dry-run", ARG_FLAG, struct verb_opts, dry_run, "print what would be detached, and change nothing"),
};

const struct command cgroup_detach = {
	.name = "detach",
	.summary = "detach a program from a hook of a cgroup",
	.help = "Detaches programs without a link only; use 'link detach' for others.",
	.schema = &change_schema,
	.flags = CMD_WRITE | CMD_DESTROY,
	ARGS(detach_args, struct verb_opts),
	.run = cgroup_detach_run,
};
