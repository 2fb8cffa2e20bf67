/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/attach.h"

#include "all/all.h"
#include "all/attach_offer.h"
#include "all/ls.h"
#include "base/near.h"
#include "cli/change.h"
#include "cli/env.h"
#include "cli/parse/object.h"
#include "cli/place.h"
#include "cli/select.h"
#include "link/link.h"
#include "kernel/hooks.h"

/* `attach` and `detach` take the same words for every place: those that `ls` prints. */

static bool takes(const struct place *p, const char *what)
{
	return p->attach && hook_find(what, p->hooks);
}

struct attach_cmd {
	struct object_ref prog;
	int to;
	const char *where, *what, *probe;
	struct attach_opts how;
};

static int unknown_hook(const char *what, struct err *e)
{
	struct near near = { 0 };

	for (const struct place *const *p = places; *p; p++)
		for (const struct hook *h = NULL; (*p)->attach && (h = hook_next(h, (*p)->hooks));)
			near_offer(&near, what, h->word);
	err_usage(e, "'%s' is not a hook that programs can be attached to", what);
	return near_hint(&near, e);
}

/* The hook's word for another name of it, where the place may decide which hook is meant: "egress" for a cgroup. */
static const char *usual_word(struct env *env, const char *where, const char *what)
{
	const struct hook *h = NULL;

	for (const struct place *const *p = places; *p; p++)
		if (takes(*p, what))
			return what;
	for (const struct place *const *p = places; *p && !h; p++)
		if ((*p)->attach && (*p)->hooks_at)
			h = hook_named(what, (*p)->hooks_at(env, where));
	for (const struct place *const *p = places; *p && !h; p++)
		if ((*p)->attach)
			h = hook_named(what, (*p)->hooks);
	return h ? h->word : what;
}

/* Attach at the first place that WHERE can be a name of. */
static int attach_somewhere(struct env *env, const struct attach_request *q, struct attach_result *ret, struct err *e)
{
	struct err why = { 0 };
	bool known = false;
	int err;

	for (const struct place *const *p = places; *p; p++) {
		if (!takes(*p, q->what))
			continue;
		known = true;
		err = (*p)->attach(env, q, ret, e);
		if (err == -ENOENT && e->code && attach_where_missing(env, q->where, q->what, &why) && why.hint[0])
			return err_hint(e, "%s", why.hint);
		if (err != -ENOENT || e->code)
			return err;
	}
	if (!known)
		return unknown_hook(q->what, e);
	return attach_where_missing(env, q->where, q->what, e) ?
		       e->code :
		       err_set(e, -ENOENT, "no place %s with a hook %s", q->where, q->what);
}

static int attach_run(struct env *env, const void *opts, struct err *e)
{
	const struct attach_cmd *o = opts;
	struct attach_result r = { .hold_fd = -1 };
	ATTACH_REQUEST(q);
	int err = attach_request_of(env, &o->prog, &o->how, &q, e);

	if (err)
		return err;
	q.where = o->probe ? arena_fmt(env->keep, "%s:%s", o->where, o->probe) : o->where;
	q.what = usual_word(env, o->where, o->what);
	if (o->probe && strcmp(q.what, hook_of(HOOK_EVENT, HOOK_USDT)->word))
		return err_usage(e, "unexpected argument '%s'", o->probe);
	err = attach_somewhere(env, &q, &r, e);
	return err ? err : place_report_attached(env, &q, &r, false, e);
}

static const char *const to_word[] = { "to" };
static const struct names to_names = NAMES(to_word);

static const struct arg attach_args[] = {
	OPERAND("PROG", ARG_OBJECT, struct attach_cmd, prog, "the program", .kind = &kind_prog),
	OPERAND("to", ARG_WORD, struct attach_cmd, to, "the word itself", .words = &to_names),
	OPERAND("WHERE", ARG_STR, struct attach_cmd, where, "device, cgroup, function or other place",
		.offers = attach_offer_where),
	OPERAND("WHAT", ARG_STR, struct attach_cmd, what, "hook of that place", .offers = attach_offer_what),
	ARG("PROVIDER:NAME", ARG_STR, struct attach_cmd, probe, "of a USDT probe, unless WHERE is PATH:PROVIDER:NAME",
	    .flags = ARG_FOLLOWS),
	ATTACH_ARGS(struct attach_cmd, how),
};

const struct command command_attach = {
	.name = "attach",
	.summary = "attach a program",
	.help = "WHERE and WHAT are the words that ls prints. An attach point that does not support an option refuses it.",
	.schema = &change_schema,
	.flags = CMD_WRITE | CMD_DESTROY | CMD_OURS,
	ARGS(attach_args, struct attach_cmd),
	.run = attach_run,
};

struct detach_cmd {
	struct object_ref link, prog;
	const char *where, *what;
	bool all, dry_run;
};

static int several_places(const struct records *recs, struct err *e)
{
	STR list = { 0 };
	size_t i;

	for (i = 0; i < recs->n && list.n < 300; i++) {
		const struct ls_rec *r = ls_at(recs, i);

		str_fmt(&list, "%s%s %s", i ? ", " : "", r->a.where, r->a.what);
		if (r->a.prog_id != ls_at(recs, 0)->a.prog_id)
			str_fmt(&list, " program %u", r->a.prog_id);
	}
	err_set(e, -ENOTUNIQ, "the program is attached more than once: %s%s", list.p, i < recs->n ? ", ..." : "");
	return err_hint(
		e,
		"name the attach point: `detach WHERE WHAT PROG`, or `detach link LINK`; --all detaches it everywhere");
}

static int several(const struct records *recs, const struct detach_cmd *o, struct err *e)
{
	STR list = { 0 };
	size_t i;

	if (!o->where)
		return several_places(recs, e);

	for (i = 0; i < recs->n && list.n < 300; i++) {
		const struct ls_rec *r = ls_at(recs, i);

		str_fmt(&list, "%s", i ? ", " : "");
		if (!o->what)
			str_fmt(&list, "%s ", r->a.what);
		if (r->a.prog_id)
			str_fmt(&list, "program %u", r->a.prog_id);
		if (r->name && *r->name)
			str_fmt(&list, " (%s)", r->name);
		if (r->a.link_id)
			str_fmt(&list, " link %u", r->a.link_id);
	}
	err_set(e, -ENOTUNIQ, "several programs are attached there: %s%s", list.p, i < recs->n ? ", ..." : "");
	return err_hint(e,
			"name one: `detach WHERE WHAT id PROG`, or `detach link id LINK`; --all detaches all of them");
}

/* `attach` takes "xdp" for any mode; `ls` prints the mode in use. */
static bool is_hook(const char *what, const char *typed)
{
	return !strcmp(what, typed) || hook_is_named(what, typed) ||
	       (!strcmp(typed, hook_of(HOOK_XDP, 0)->word) && hook_find(what, HOOK_BIT(HOOK_XDP)));
}

static bool is_there(const struct ls_rec *r, const struct detach_cmd *o)
{
	return (!o->where || attachment_is_at(&r->a, o->where)) && (!o->what || is_hook(r->a.what, o->what));
}

static bool is_place(const struct records *recs, const char *where)
{
	for (size_t i = 0; i < recs->n; i++)
		if (attachment_is_at(&ls_at(recs, i)->a, where))
			return true;
	return false;
}

/* `detach count`, `detach id 7`: if the words are not a place they select a program, wherever it is attached. */
static void suggest_prog(struct env *env, struct detach_cmd *o, const struct records *recs, struct err *why)
{
	const char *const words[] = { o->where, o->what };
	const struct arg_list list = { words, o->what ? 2 : 1 };
	struct object_ref ref;
	const uint32_t *ids;
	size_t n;

	if (o->prog.by || is_place(recs, o->where) || parser_ref(env, &kind_prog, &list, &ref, why) != list.n ||
	    select_objects(env, env->keep, &kind_prog, &ref, &ids, &n, why))
		return;
	o->prog = ref;
	o->where = o->what = NULL;
}

/* Another name that `attach` accepts is replaced by the one in the list: a cgroup below its mount, "./tool:main". */
static void suggest_where(struct env *env, struct detach_cmd *o)
{
	const char *what = o->what ? usual_word(env, o->where, o->what) : NULL, *named;

	for (const struct place *const *p = places; *p; p++) {
		if (!(*p)->named || !(what ? takes(*p, what) : (*p)->hooks_at && (*p)->hooks_at(env, o->where)))
			continue;
		named = (*p)->named(env, o->where, what);
		if (named) {
			o->where = named;
			return;
		}
	}
}

static int not_there(struct env *env, const struct detach_cmd *o, const struct err *why, const struct str *there,
		     struct err *e)
{
	const char *missing = report_missing(env->report, env->machine, env->arena);
	const bool no_prog = why->code == -ENOENT;

	if (!o->where)
		return err_set(e, -ENOENT, "the program is not attached anywhere");
	if (o->what && !hook_exists(o->what)) {
		unknown_hook(o->what, e);
		return there->n ? err_hint(e, "there is %.500s", there->p) : e->code;
	}
	if (o->what && !there->n && attach_where_missing(env, o->where, o->what, e))
		return e->code;
	err_set(e, -ENOENT, "%s attached to %s%s%s", o->prog.by ? "the program is not" : "nothing is", o->where,
		o->what ? " " : "", o->what ? o->what : "");
	if (missing)
		return err_hint(e, "%.200s%s%.300s%snot all could be read: %.200s",
				no_prog	 ? why->msg :
				there->n ? "there is " :
					   "",
				no_prog ? "; " : "", no_prog || !there->n ? "" : there->p,
				no_prog || !there->n ? "" : "; ", missing);
	if (no_prog)
		return err_hint(e, "%.200s%s%.200s", why->msg, why->hint[0] ? "; " : "", why->hint);
	return there->n ? err_hint(e, "there is %.500s", there->p) : e->code;
}

/* `detach eth0 PROG`, `detach PROG eth0`: the attachment that the two words name, neither of which is a hook. */
static bool hint_pair(struct env *env, struct records *recs, const struct detach_cmd *o, struct err *e)
{
	STR words = { 0 };

	if (!o->where || !o->what || hook_exists(o->what))
		return false;
	ls_describe(env, recs);
	for (size_t i = 0; i < recs->n; i++) {
		const struct ls_rec *r = ls_at(recs, i);
		const bool turned = attachment_is_at(&r->a, o->what);
		const char *prog = turned ? o->where : o->what;
		uint32_t id;

		if ((!turned && !attachment_is_at(&r->a, o->where)) ||
		    ((!r->name || strcmp(r->name, prog)) && (num_parse_u32(prog, &id) || id != r->a.prog_id)))
			continue;
		err_usage(e, "'%s' is not a hook that programs can be attached to", o->what);
		str_puts(&words, "`bpflens detach ");
		if (str_shell(&words, r->a.where)) {
			str_puts(&words, " ");
			err_hint_word(e, words.p, r->a.what, "`");
		}
		return true;
	}
	return false;
}

/* Keep the attachments that the words select. */
static int keep_named(struct env *env, struct detach_cmd *o, struct records *recs, struct err *e)
{
	const uint32_t *ids = NULL;
	size_t n = 0, nids = 0, k;
	struct err why = { 0 };
	STR there = { 0 };
	int err;

	if (o->where)
		suggest_prog(env, o, recs, &why);
	if (o->where && !is_place(recs, o->where))
		suggest_where(env, o);
	err = o->prog.by ? select_objects(env, env->keep, &kind_prog, &o->prog, &ids, &nids, e) : 0;
	if (err)
		return err;
	if (hint_pair(env, recs, o, e))
		return e->code;
	for (size_t i = 0; i < recs->n; i++) {
		const struct ls_rec *r = ls_at(recs, i);

		if (o->where && attachment_is_at(&r->a, o->where))
			str_fmt(&there, "%s%s program %u", there.n ? ", " : "", r->a.what, r->a.prog_id);
		for (k = 0; k < nids && ids[k] != r->a.prog_id; k++)
			;
		if (is_there(r, o) && (!nids || k < nids))
			*ls_at(recs, n++) = *r;
	}
	recs->n = n;
	return n ? 0 : not_there(env, o, &why, &there, e);
}

/* The owner is read only for the hint, because that may be refused. */
static int without_link(struct env *env, struct records *recs, const struct ls_rec *r, bool dry_run, struct err *e)
{
	for (const struct place *const *p = places; *p; p++)
		if (!strcmp((*p)->name, r->place) && (*p)->detach && !r->a.pid)
			return (*p)->detach(env, &r->a, dry_run, e);
	err_set(e, -EOPNOTSUPP, "%s %s cannot be detached", r->a.where, r->a.what);
	recs->need |= NEED_HOLDERS;
	ls_describe(env, recs);
	return r->owner ? err_hint(e, "it ends with %s", r->owner) : e->code;
}

static int detach_one(struct env *env, const struct detach_cmd *o, struct records *recs, size_t i, struct change_rec *c,
		      struct err *e)
{
	const struct ls_rec *r = ls_at(recs, i);

	if (r->a.link_id) {
		const int err = link_take_off(env, r->a.link_id, o->dry_run, c, e);

		c->where = r->a.where;
		c->what = r->a.what;
		return err;
	}
	*c = (struct change_rec){
		.action = o->dry_run ? "would detach" : "detached",
		.prog_id = r->a.prog_id,
		.name = r->name && *r->name ? r->name : NULL,
		.where = r->a.where,
		.what = r->a.what,
		.dry_run = o->dry_run,
	};
	return without_link(env, recs, r, o->dry_run, e);
}

static bool is_used_hook(const struct records *recs, const char *word)
{
	for (size_t i = 0; i < recs->n; i++)
		if (is_hook(ls_at(recs, i)->a.what, word))
			return true;
	return false;
}

/* *ret, in env->keep: one change, with --all more. */
static int detach_place(struct env *env, struct detach_cmd *o, struct change_rec **ret, size_t *ret_n, struct err *e)
{
	struct records recs = { .s = &ls_schema, .need = NEED_PROG };
	const char *hook = o->where && !o->what && !o->prog.by ? o->where : NULL;
	int err = ls_list(env, &recs, e);

	if (err)
		return err;
	hook = hook && !is_place(&recs, hook) && is_used_hook(&recs, hook) ? hook : NULL;
	if (hook && o->all) {
		o->what = hook;
		o->where = NULL;
	}
	err = keep_named(env, o, &recs, e);
	if (err == -ENOENT && hook) {
		*e = (struct err){ 0 };
		err_set(e, err, "'%s' is a hook, not a place", hook);
		err_hint_word(e, "`detach --all ", hook,
			      "` detaches from all places; with --dry-run it only lists them");
	}
	if (err)
		return err;
	ls_describe(env, &recs);
	if (recs.n > 1 && !o->all)
		return several(&recs, o, e);
	*ret_n = recs.n;
	*ret = arena_array(env->keep, recs.n, sizeof(**ret));
	/* The last first: the position of the others in the run order, by which they are found, does not change. */
	for (size_t i = recs.n; i-- && !err;) {
		err = detach_one(env, o, &recs, i, *ret + i, e);
		if (err && recs.n > 1)
			err_in(e, "%zu of %zu detached; the next one", recs.n - 1 - i, recs.n);
	}
	return err;
}

static int detach_run(struct env *env, const void *opts, struct err *e)
{
	struct detach_cmd o = *(const struct detach_cmd *)opts;
	struct change_rec one, *c = &one;
	size_t n = 1;
	uint32_t id;
	int err;

	if (o.link.by) {
		err = select_one(env, &kind_link, &o.link, &id, e);
		err = err ? err : link_take_off(env, id, o.dry_run, c, e);
	} else {
		err = detach_place(env, &o, &c, &n, e);
	}
	if (err)
		return err;
	/*
	 * What could not be listed does not concern this attachment, unless links could not: it may be that of one,
	 * which the kernel would refuse to detach. With --all, it may be one of those to be detached.
	 */
	if (!o.all && (c->link_id || !o.dry_run || !strstr(env->report->unlisted, kind_link.noun)))
		report_excuse(env->report, env->machine);
	if (o.all)
		change_print_all(env, c, n);
	else
		change_print(env, c);
	return 0;
}

static const struct arg detach_args[] = {
	ARG("WHERE", ARG_STR, struct detach_cmd, where,
	    "device, cgroup, function or other place; or the program, if it is attached once only",
	    .flags = ARG_POSITIONAL | ARG_CHOICE, .offers = detach_offer_where),
	ARG("WHAT", ARG_STR, struct detach_cmd, what,
	    "hook of that place, xdp for XDP in any mode; not needed if the place uses one hook only",
	    .flags = ARG_FOLLOWS, .offers = detach_offer_what),
	ARG("link", ARG_OBJECT, struct detach_cmd, link, "the link that attaches it", .kind = &kind_link,
	    .flags = ARG_CHOICE),
	ARG("PROG", ARG_OBJECT, struct detach_cmd, prog, "the program, if several are attached", .kind = &kind_prog,
	    .flags = ARG_POSITIONAL, .offers = detach_offer_prog),
	ARG("--all", ARG_FLAG, struct detach_cmd, all,
	    "everything that the words name: of a place, or with a hook alone of every place"),
	ARG("--dry-run", ARG_FLAG, struct detach_cmd, dry_run, "print what would be detached, and change nothing"),
};

const struct command command_detach = {
	.name = "detach",
	.summary = "detach a program",
	.help = "Takes the words that ls prints. A program alone is detached from its only attach point; if there are several, they are listed and "
		"none is changed. The pins of a detached link are removed, because it has no further use; a link that the kernel cannot detach "
		"ends with its pins, if no process holds it.",
	.schema = &change_schema,
	.flags = CMD_WRITE | CMD_DESTROY | CMD_OURS,
	ARGS(detach_args, struct detach_cmd),
	.run = detach_run,
};
