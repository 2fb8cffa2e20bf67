/* SPDX-License-Identifier: BSD-2-Clause */
#include "perf/read.h"

#include "cli/env.h"
#include "link/link.h"
#include "record/field.h"
#include "source/source.h"
#include "host/task_fds.h"
#include "kernel/hooks.h"

/* The type of a link's event by the type that is reported for the descriptor. */
static const uint32_t perf_types[] = {
	[TASK_FD_RAW_TRACEPOINT] = HOOK_RAW_TRACEPOINT,
	[TASK_FD_TRACEPOINT] = ABI_PERF_TRACEPOINT,
	[TASK_FD_KPROBE] = ABI_PERF_KPROBE,
	[TASK_FD_KRETPROBE] = ABI_PERF_KRETPROBE,
	[TASK_FD_UPROBE] = ABI_PERF_UPROBE,
	[TASK_FD_URETPROBE] = ABI_PERF_URETPROBE,
};

static void place_tracepoint(struct perf_rec *r, const char *name)
{
	r->tracepoint = r->where = name;
}

static void place_kprobe(struct env *env, struct perf_rec *r, const char *func)
{
	if (func && *func) {
		r->func = func;
		r->has_offset = AVAIL_YES;
		r->where = r->offset ? arena_fmt(env->keep, "%s+%#llx", func, llu(r->offset)) : func;
	} else {
		r->has_addr = AVAIL_YES;
		r->where = arena_fmt(env->keep, "%#llx", llu(r->addr));
	}
}

static void place_uprobe(struct env *env, struct perf_rec *r, const char *file)
{
	r->filename = file;
	r->has_offset = AVAIL_YES;
	r->where = arena_fmt(env->keep, "%s:%#llx", file, llu(r->offset));
}

/* @type: ABI_PERF_*, or HOOK_RAW_TRACEPOINT */
static void event_place(struct env *env, struct perf_rec *r, uint32_t type, const char *name)
{
	name = name ? name : "";
	r->type = hook_of(HOOK_EVENT, type)->word;
	if (type == ABI_PERF_KPROBE || type == ABI_PERF_KRETPROBE)
		place_kprobe(env, r, name);
	else if (type == ABI_PERF_UPROBE || type == ABI_PERF_URETPROBE)
		place_uprobe(env, r, name);
	else
		place_tracepoint(r, name);
}

static void place_other(struct perf_rec *r, const char *type, const char *where)
{
	r->type = type;
	r->where = where ? where : "?";
}

static void fd_rec(struct env *env, const struct task_fd *t, struct perf_rec *r)
{
	*r = (struct perf_rec){
		.pid = t->pid,
		.fd = t->fd,
		.prog_id = t->prog_id,
		.offset = t->offset,
		.addr = t->addr,
		.comm = t->comm,
		.has_pid = AVAIL_YES,
		.has_fd = AVAIL_YES,
		.has_prog = t->err ? AVAIL_NO : AVAIL_YES,
		.silent = t->err != 0,
	};
	if (t->err) {
		place_other(r, hook_of(HOOK_EVENT, ABI_PERF_EVENT)->word, NULL);
	} else if (t->type < ARRAY_SIZE(perf_types)) {
		event_place(env, r, perf_types[t->type], t->name);
	} else {
		place_tracepoint(r, t->name);
		r->type = arena_fmt(env->keep, "unknown(%u)", t->type);
	}
}

static int read_fds(struct env *env, struct perf_set *ret, struct err *e)
{
	struct perf_rec **by_nr;
	const struct task_fd *t;
	struct blob b;
	size_t n;
	int err = ask(env->machine, env->keep, &b, Q_TASK_FDS);

	if (err)
		return err_sys(e, err, "cannot list the perf events of processes");
	if (task_fds_parse(b.p, b.n, env->keep, &t, &n))
		note_refused(env->machine, -EBADMSG, Q_TASK_FDS);
	ret->fds = arena_array(env->keep, n, sizeof(*ret->fds));
	by_nr = arena_array(env->keep, n, sizeof(*by_nr));
	for (size_t i = 0; i < n; i++) {
		if (t[i].fd != TASK_FD_NONE) {
			by_nr[i] = &ret->fds[ret->nfds++];
			fd_rec(env, &t[i], by_nr[i]);
			by_nr[i]->first = t[i].file < i ? by_nr[t[i].file] : NULL;
			continue;
		}
		note_unseen(env->machine, t[i].err, Q_TASK_FDS);
	}
	return 0;
}

static void perf_link_rec(struct env *env, const struct link_rec *l, struct perf_rec *r)
{
	uint32_t type = l->info.perf_event.type;

	if (type == ABI_PERF_EVENT) {
		place_other(r, hook_of(HOOK_EVENT, ABI_PERF_EVENT)->word, l->attach_to);
		r->event = l->attach_to;
		r->cookie = l->info.perf_event.event.cookie;
		return;
	}
	if (!hook_of(HOOK_EVENT, type)) { /* before Linux 6.6 the event is unknown */
		place_other(r, l->type, NULL);
		return;
	}
	if (type == ABI_PERF_TRACEPOINT) {
		r->cookie = l->info.perf_event.tracepoint.cookie;
	} else if (type == ABI_PERF_UPROBE || type == ABI_PERF_URETPROBE) {
		r->cookie = l->info.perf_event.uprobe.cookie;
		r->offset = l->info.perf_event.uprobe.offset;
	} else {
		r->cookie = l->info.perf_event.kprobe.cookie;
		r->offset = l->info.perf_event.kprobe.offset;
		r->addr = l->info.perf_event.kprobe.addr;
	}
	event_place(env, r, type, l->text);
}

static void link_rec(struct env *env, const struct link_rec *l, struct perf_rec *r)
{
	*r = (struct perf_rec){ .prog_id = l->info.prog_id, .link_id = l->info.id, .has_prog = AVAIL_YES, .link = l };
	if (l->info.type == ABI_LINK_PERF_EVENT) {
		perf_link_rec(env, l, r);
	} else if (l->info.type == ABI_LINK_RAW_TRACEPOINT) {
		r->cookie = l->info.raw_tracepoint.cookie;
		event_place(env, r, HOOK_RAW_TRACEPOINT, l->text);
	} else {
		place_other(r, l->at.what, l->attach_to);
		r->functions = l->attach_to;
		if (l->info.type == ABI_LINK_UPROBE_MULTI && l->text &&
		    l->nfuncs) { /* only the first function is shown */
			r->filename = l->text;
			r->offset = l->funcs[0].addr;
			r->where = arena_fmt(env->keep, "%s:%#llx", l->text, llu(r->offset));
		}
	}
}

/* NULL: the link has another type, is gone, or cannot be read. */
static const struct link_rec *read_link(struct env *env, const struct link_brief *b, uint32_t types)
{
	struct link_rec *l = NULL;
	struct err why = { 0 };
	int err = b->err;

	if (!err && (b->info.type >= 32 || !(types & 1u << b->info.type)))
		return NULL;
	if (!err) {
		l = arena_alloc(env->keep, sizeof(*l));
		err = kind_link.read(env, env->keep, b->id, NEED_SYMBOLS | NEED_TARGET, l, &why);
	}
	if (!err)
		return l;
	err_sys(&why, err, "link %u cannot be read", b->id);
	if (err != -ENOENT)
		report_unread(env->report, &why);
	return NULL;
}

static int read_links(struct env *env, uint32_t types, struct perf_set *ret, struct err *e)
{
	const struct link_brief *all;
	size_t n;
	int err = link_all(env, &all, &n, e);

	if (err)
		return err;
	ret->links = arena_array(env->keep, n, sizeof(*ret->links));
	for (size_t i = 0; i < n; i++) {
		const struct link_rec *l = read_link(env, &all[i], types);

		if (l)
			link_rec(env, l, &ret->links[ret->nlinks++]);
		env_progress(env, "read", i);
	}
	return 0;
}

int perf_read(struct env *env, uint32_t link_types, struct perf_set *ret, struct err *e)
{
	struct err why = { 0 };
	int err;

	*ret = (struct perf_set){ 0 };
	err = read_fds(env, ret, e);
	if (read_links(env, link_types, ret, &why))
		report_add_unlisted(env->report, kind_link.noun, why.code);
	perf_match(env, ret);
	perf_guess(env, ret);
	return err;
}
