/* SPDX-License-Identifier: BSD-2-Clause */
#include "cgroup/cgroup.h"
#include "cgroup/commands.h"
#include "cgroup/hook.h"
#include "cgroup/read.h"
#include "cli/env.h"
#include "cli/place.h"
#include "cli/records.h"
#include "source/facts.h"
#include "source/info.h"
#include "kernel/abi.h"
#include "kernel/attach.h"
#include "host/cgroups.h"
#include "kernel/hooks.h"
#include "kernel/link.h"
#include "kernel/names.h"

#define TRIES 16 /* limit of attempts while other processes change the hook */

static void cgroup_prog_add(struct env *env, const struct cgroup_prog *p, const char *where, struct records *ret)
{
	struct attachment *a = attachment_add(ret, env);

	*a = (struct attachment){
		.where = where,
		.what = p->hook,
		.prog_id = p->id,
		.link_id = p->link_id,
		.order = p->order,
		.cgroup_id = p->cgroup_id,
		.detail = *p->attach_flags ? p->attach_flags : NULL,
	};
}

static const char *where_of(struct env *env, uint64_t id, const char *path)
{
	return strchr(path, ' ') ? arena_fmt(env->keep, CGROUP_NUMBER "%llu", llu(id)) : path;
}

/* In a container, or without a mount: programs of the cgroups that cannot be seen from here run nevertheless. */
static void outside_note(struct env *env, const struct cgroup_dir *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].id == CGROUP_ROOT)
			return;
	report_note(env->report, n ? "programs of cgroups outside of what is mounted here are not listed" :
				     "cgroup v2 is not mounted here: programs of cgroups are not listed");
}

static int cgroup_place_list(struct env *env, struct records *ret, struct err *e)
{
	struct cgroup_reader r = { .env = env, .links = true, .bare = true };
	struct refusal **mark = env->machine->refused_end;
	const struct cgroup_dir *all;
	struct err why = { 0 };
	size_t n, failed = 0;

	if (cgroup_all(env, &all, &n, &why)) {
		if (why.code == -ENOENT) {
			if (!*mark)
				outside_note(env, NULL, 0);
			return 0;
		}
		*e = why;
		return e->code;
	}
	outside_note(env, all, n);
	for (size_t i = 0; i < n; i++) {
		ARENA_SCOPE(env->arena);
		const char *where = where_of(env, all[i].id, all[i].path);
		struct cgroup_prog *progs;
		uint32_t k = 0;
		int err = cgroup_read(&r, all[i].id, all[i].path, &progs, &k, &why);

		if (err == -ENODATA && failed == i)
			return err_set(e, err, "this archive does not have the programs of cgroups");
		if (err == -EPERM && failed == i) {
			*e = why;
			return err;
		}
		if (err && err != -ENOENT) {
			failed++;
			report_unread(env->report, &why);
		}
		err_clear(&why);
		for (uint32_t j = 0; !err && j < k; j++)
			cgroup_prog_add(env, &progs[j], where, ret);
		env_progress(env, "asked cgroups", i);
	}
	return 0;
}

/* A request, and how it is carried out. */
struct work {
	const struct attach_request *q;
	struct cgroup_site site;
	struct sys_attach a;
	uint32_t victim; /* program that will be removed; 0: none */
};

static const char *what_runs(struct env *env, const struct cgroup_site *s)
{
	const struct cgroup_prog *p = &s->progs[0];

	return s->nprogs == 1 ? arena_fmt(env->arena, "program %u", p->id) :
				arena_fmt(env->arena, "%u programs", s->nprogs);
}

static int refuse_words(const struct attach_request *q, struct err *e)
{
	bool link = q->link || q->hold;

	if (q->has_cookie)
		return err_set(e, -EOPNOTSUPP, "programs of cgroups do not have cookies");
	if (link && q->override)
		return err_usage(e,
				 "a link to a cgroup always allows others: 'override' is for programs without a link");
	if (link && q->overwrite) {
		err_set(e, -EOPNOTSUPP, "a new link to a cgroup cannot replace a program");
		return err_hint(e, "'link update' replaces the program of a link");
	}
	if (!link && !q->multi && (q->position || q->preorder))
		return err_usage(e, "a run order needs 'multi': without it the hook has one program only");
	if (q->overwrite && q->position)
		return err_usage(e, "'replace' keeps the run order of the replaced program: no other can be given");
	return 0;
}

/* The kernel would only return EINVAL. */
static int check_type(struct env *env, const struct attach_request *q, const struct hook *h, struct err *e)
{
	struct abi_prog_info info;
	const char *have, *want = names_of(&names_prog_type, h->progs[0]);
	int err = prog_info(env->machine, env->arena, q->prog_id, &info, e);

	if (err || hook_takes(h, info.type))
		return err;
	have = names_of(&names_prog_type, info.type);
	return err_set(e, -EINVAL, "program %u has type %s, and %s needs %s", q->prog_id,
		       have ? have : "program of a newer type", q->what, want);
}

/* Selects the program to replace, of several. */
static int victim_of_many(struct work *w, struct err *e)
{
	const struct cgroup_site *s = &w->site;
	uint32_t want = w->q->anchor_prog, n = 0;

	for (uint32_t i = 0; i < s->nprogs; i++) {
		if (s->progs[i].link_id || (want && s->progs[i].id != want))
			continue;
		w->victim = s->progs[i].id;
		n++;
	}
	if (want && !n)
		return err_set(e, -ENOENT, "program %u is not attached without a link at %s %s", want, w->q->where,
			       w->q->what);
	if (n > 1) {
		err_set(e, -ENOTUNIQ, "%s %s runs %u programs", w->q->where, w->q->what, n);
		return err_hint(e, "'replace PROG' selects the program to replace");
	}
	if (!n && s->nprogs) {
		err_set(e, -EEXIST, "the program attached at %s %s has a link", w->q->where, w->q->what);
		return err_hint(e, "'link update' replaces the program of link %u", s->progs[0].link_id);
	}
	return 0;
}

static int plan_single(struct env *env, struct work *w, struct err *e)
{
	const struct attach_request *q = w->q;

	w->a.flags = q->override ? ABI_ATTACH_OVERRIDE : 0;
	if (!w->site.nprogs)
		return 0;
	if (!q->overwrite) {
		err_set(e, -EEXIST, "%s %s runs %s", q->where, q->what, what_runs(env, &w->site));
		return err_hint(
			e, "'overwrite' replaces it, 'multi' attaches it in addition to those attached with 'multi'");
	}
	if (w->site.nprogs == 1)
		w->victim = w->site.progs[0].id;
	return place_check_replaced(q, w->victim, e);
}

static int plan_multi(struct work *w, struct err *e)
{
	const struct attach_request *q = w->q;

	if (!q->link && !q->hold)
		w->a.flags = ABI_ATTACH_MULTI;
	if (q->preorder)
		w->a.flags |= ABI_ATTACH_PREORDER;
	if (q->position == POSITION_FIRST || q->position == POSITION_BEFORE)
		w->a.flags |= ABI_ATTACH_BEFORE;
	if (q->position == POSITION_LAST || q->position == POSITION_AFTER)
		w->a.flags |= ABI_ATTACH_AFTER;
	if (q->position == POSITION_BEFORE || q->position == POSITION_AFTER) {
		w->a.flags |= ABI_ATTACH_ID | (q->anchor_link ? ABI_ATTACH_LINK : 0);
		w->a.relative = q->anchor_link ? q->anchor_link : q->anchor_prog;
	}
	for (uint32_t i = 0; !q->link && !q->hold && i < w->site.nprogs; i++)
		if (w->site.progs[i].id == q->prog_id && !w->site.progs[i].link_id)
			return err_set(e, -EEXIST, "%s %s already runs program %u", q->where, q->what, q->prog_id);
	return q->overwrite ? victim_of_many(w, e) : 0;
}

/* All programs of a hook must have been attached in the same mode. */
static int explain_mode(struct env *env, const struct work *w, struct err *e)
{
	static const char *const modes[] = { "without 'multi' and 'override'", "with 'override'", "with 'multi'" };
	uint32_t mode = w->site.nprogs ? w->site.progs[0].flags & 3 : 0;
	uint32_t want = w->q->link || w->q->hold ? ABI_ATTACH_MULTI : w->a.flags & 3;

	if (w->site.nprogs && mode < ARRAY_SIZE(modes) && mode != want) {
		err_set(e, -EPERM, "%s %s: %s attached %s, which cannot be combined", w->q->where, w->q->what,
			what_runs(env, &w->site), modes[mode]);
		return mode == ABI_ATTACH_MULTI ? err_hint(e, "use 'multi'") : err_hint(e, "detach it first");
	}
	err_set(e, -EPERM, "%s %s does not accept program %u: Operation not permitted", w->q->where, w->q->what,
		w->q->prog_id);
	return err_hint(e, "an ancestor may have a program that was attached without 'multi' and 'override'");
}

static int explain(struct env *env, const struct work *w, int err, struct err *e)
{
	bool young =
		w->a.revision || w->a.flags & ~(uint32_t)(ABI_ATTACH_OVERRIDE | ABI_ATTACH_MULTI | ABI_ATTACH_REPLACE);

	if (err == -EPERM)
		return explain_mode(env, w, e);
	err_sys(e, err, "%s %s does not accept program %u", w->q->where, w->q->what, w->q->prog_id);
	place_explain(env, cgroup_hook_find(w->q->what, false), e);
	if (err == -ESTALE)
		return err_hint(e, "the programs there have changed: 'cgroup show' in JSON has the revision");
	if (err == -E2BIG && !young)
		return err_hint(e, "a hook of a cgroup runs at most 64 programs, including those of ancestors");
	if ((err == -EINVAL || err == -E2BIG) && young)
		return err_hint(e, "run order and revision of cgroups need Linux 6.17, 'preorder' needs 6.15");
	if (err == -EINVAL)
		return err_hint(
			e, "the program may have been loaded for another attach type, or the kernel lacks this one");
	return err;
}

static int attach_once(struct env *env, struct work *w, int cgroup, struct attach_result *ret, struct err *e)
{
	CLEAN_FD victim = -1;
	CLEAN_FD link = -1;
	int err;

	w->a.target = (uint32_t)cgroup;
	if (w->q->link || w->q->hold) {
		link = sys_attach_link(&w->a);
		return link < 0 ? link : place_finish_link(env, w->q, link, ret, e);
	}
	if (w->victim && w->a.flags & ABI_ATTACH_MULTI) {
		victim = source_open(env->machine->src, OBJECT_PROG, w->victim, false);
		if (victim < 0)
			return victim == -ENOENT ? -ESTALE : victim;
		w->a.flags |= ABI_ATTACH_REPLACE;
		w->a.replace_fd = victim;
	}
	err = sys_attach(&w->a);
	if (!err)
		ret->replaced_prog = w->victim;
	return err;
}

static int plan(struct env *env, const struct attach_request *q, const struct hook *h, struct work *w, struct err *e)
{
	int err = cgroup_site_read(env, q->where, h, &w->site, e);

	w->q = q;
	w->a = (struct sys_attach){ .attach_type = (uint32_t)h->type, .prog_fd = q->prog_fd, .revision = q->revision };
	w->victim = 0;
	if (!err)
		err = q->multi || q->link || q->hold ? plan_multi(w, e) : plan_single(env, w, e);
	return err;
}

/*
 * The replaced program is reported, so the hook must not change between reading and replacing: if the kernel has
 * revisions, it checks that, and the attempt is repeated.
 */
static int cgroup_place_attach(struct env *env, const struct attach_request *q, struct attach_result *ret,
			       struct err *e)
{
	const struct hook *h = cgroup_hook_find(q->what, false);
	CLEAN_FD cgroup = -1;
	struct work w;
	int err = h ? refuse_words(q, e) : -ENOENT;

	if (!err)
		err = check_type(env, q, h, e);
	for (int i = 0; !err && i < TRIES; i++) {
		err = plan(env, q, h, &w, e);
		if (err)
			return err;
		if (q->dry_run) {
			ret->replaced_prog = w.victim;
			return 0;
		}
		if (cgroup < 0)
			cgroup = cgroup_open_at(w.site.path, w.site.id);
		if (cgroup < 0)
			return err_sys(e, cgroup, "cannot open cgroup %s", w.site.path);
		if (w.victim && !q->revision)
			w.a.revision = w.site.progs[0].revision;
		err = attach_once(env, &w, cgroup, ret, e);
		if (!err || e->code)
			return err;
		if (err == -ESTALE && !q->revision && i + 1 < TRIES)
			err = 0;
	}
	return err && h && !e->code ? explain(env, &w, err, e) : err;
}

static int detach_link(struct env *env, uint32_t id, bool dry_run, struct err *e)
{
	CLEAN_FD fd = source_open(env->machine->src, OBJECT_LINK, id, true);
	int err = fd < 0 || dry_run ? fd : sys_link_cut(fd);

	return err < 0 ? err_sys(e, err, "link %u cannot be detached", id) : 0;
}

/* At a hook without 'multi' the kernel detaches any program: check first that it is the given one. */
static int detach(struct env *env, const struct attachment *a, bool dry_run, struct err *e)
{
	const struct hook *h = cgroup_hook_find(a->what, false);
	struct sys_attach d = { 0 };
	struct cgroup_site s;
	CLEAN_FD cgroup = -1;
	CLEAN_FD prog = -1;
	uint32_t link = 0;
	bool there = false;
	int err = h ? cgroup_site_read(env, a->where, h, &s, e) : -ENOENT;

	if (err || a->link_id)
		return err ? err : detach_link(env, a->link_id, dry_run, e);
	for (uint32_t i = 0; i < s.nprogs; i++) {
		there = there || (s.progs[i].id == a->prog_id && !s.progs[i].link_id);
		if (s.progs[i].id == a->prog_id)
			link = s.progs[i].link_id;
	}
	if (!there) {
		err_set(e, -ENOENT, "%s %s does not run program %u%s", a->where, a->what, a->prog_id,
			link ? " without a link" : "");
		return link ? err_hint(e, "'link detach id %u' detaches it", link) : e->code;
	}
	cgroup = cgroup_open_at(s.path, s.id);
	prog = source_open(env->machine->src, OBJECT_PROG, a->prog_id, false);
	if (cgroup < 0 || prog < 0)
		return err_sys(e, cgroup < 0 ? cgroup : prog, "program %u cannot be detached from %s", a->prog_id,
			       a->where);
	d = (struct sys_attach){ .target = (uint32_t)cgroup, .attach_type = (uint32_t)h->type, .prog_fd = prog };
	err = dry_run ? 0 : sys_detach(&d);
	return err ? err_sys(e, err, "program %u cannot be detached from %s %s", a->prog_id, a->where, a->what) : 0;
}

/* "web.service" */
static bool is_unit(const char *where)
{
	const char *suffix = strrchr(where, '.');

	return suffix && (!strcmp(suffix, ".service") || !strcmp(suffix, ".slice") || !strcmp(suffix, ".scope"));
}

static unsigned hooks_at(struct env *env, const char *where)
{
	return (strchr("./", where[0]) || is_unit(where)) && !strchr(where, ':') ? HOOK_BIT(HOOK_CGROUP) : 0;
}

static const char *place_word(struct env *env, const char *where, const char *what)
{
	const struct cgroup_dir *all;
	struct err why = { 0 };
	const char *path;
	uint64_t id;
	size_t n;

	if (cgroup_find(env, where, &id, &path, &why) || cgroup_all(env, &all, &n, &why))
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (all[i].id == id)
			return where_of(env, id, all[i].path);
	return NULL;
}

static void cgroup_place_offer(struct env *env, uint32_t prog_type, const char *typed, arg_offer *offer, void *ctx)
{
	cgroup_offer(env, NULL, typed, offer, ctx);
}

const struct place place_cgroup = {
	.name = "cgroup",
	.help = "hooks of cgroups",
	.hooks = HOOK_BIT(HOOK_CGROUP),
	.hooks_at = hooks_at,
	.named = place_word,
	.offer = cgroup_place_offer,
	.list = cgroup_place_list,
	.attach = cgroup_place_attach,
	.detach = detach,
};
