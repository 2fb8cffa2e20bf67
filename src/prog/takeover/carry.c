/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/libbpf.h>

#include "cli/env.h"
#include "host/pins.h"
#include "host/stop.h"
#include "kernel/abi.h"
#include "kernel/bpf.h"
#include "kernel/hooks.h"
#include "kernel/link.h"
#include "prog/takeover/takeover.h"

#define LAST_PASS 2

/* Functions of tracing programs, and of links that have several, have no words that attach() takes. */
static int attach_by_section(struct takeover *r, const struct move *m, int *ret_link, struct err *e)
{
	const struct bpf_program *p = r->load->progs[m->swap->prog].prog;
	struct bpf_link *link = bpf_program__attach(p);
	const int fd = link ? bpf_link__fd(link) : -1;

	if (!link)
		return err_sys(e, -errno, "cannot attach program %s by its section %s", bpf_program__name(p),
			       bpf_program__section_name(p));
	if (fd >= 0)
		bpf_link__disconnect(link);
	bpf_link__destroy(link);
	*ret_link = fd;
	return fd >= 0 ? 0 : err_set(e, -EOPNOTSUPP, "the link of program %s cannot be pinned", bpf_program__name(p));
}

/* The hook of a link that is created anew; NULL: by the program's section. */
static const struct hook *new_link_hook(const struct move *m, struct err *e)
{
	const struct hook *h = m->place->attach && !m->at.nfuncs ? hook_find(m->at.what, m->place->hooks) : NULL;

	if (h && h->kind == HOOK_EVENT && h->arg == ABI_PERF_EVENT)
		err_set(e, -EOPNOTSUPP, "link %u is to a perf event, whose period the kernel does not report",
			m->at.link_id);
	if (h && h->kind == HOOK_NETFILTER)
		err_set(e, -EOPNOTSUPP, "link %u is to netfilter, which runs one BPF program of each priority",
			m->at.link_id);
	return h;
}

/* Flags that the kernel requires again, as the list has them. */
static bool has_flag(const struct attachment *a, const char *flag)
{
	return a->cgroup_id && a->detail && strstr(a->detail, flag);
}

int takeover_attach(struct takeover *r, const struct move *m, int to, bool dry_run, int *ret_link, struct err *e)
{
	const struct attachment *a = &m->at;
	const bool link = m->kind == MOVE_NEW_LINK;
	const struct attach_request q = {
		.where = a->where,
		.what = a->what,
		.prog_fd = m->swap->fd[to],
		.prog_id = m->swap->id[to],
		.hold = link,
		.overwrite = !link,
		.anchor_prog = link ? 0 : m->swap->id[!to],
		.multi = has_flag(a, "multi"),
		.override = has_flag(a, "override"),
		.preorder = has_flag(a, "preorder"),
		.cookie = a->cookie,
		.has_cookie = a->cookie,
		.dry_run = dry_run,
	};
	struct attach_result result = { .hold_fd = -1 };
	const struct hook *h = link ? new_link_hook(m, e) : NULL;
	int err = e->code;

	if (!err && link && !h)
		return dry_run ? 0 : attach_by_section(r, m, ret_link, e);
	if (!err)
		err = m->place->attach(r->env, &q, &result, e);
	if (err)
		return e->code ? err : err_set(e, err, "nothing can be attached at %s %s", a->where, a->what);
	if (link && !dry_run)
		*ret_link = result.hold_fd;
	return 0;
}

static int link_make(struct takeover *r, const struct move *m, struct err *e)
{
	struct swap *link = m->link;
	int err = takeover_attach(r, m, 1, false, &link->fd[1], e);

	if (err)
		return err;
	err = takeover_keep_fd(r, link->fd[1]) < 0 ? -EBADF : sys_object_id(link->fd[1], &link->id[1]);
	return err ? err_sys(e, err, "cannot read the new link's id") : 0;
}

/* To the new program, or with 0 back to the old one. */
static int move_to(struct takeover *r, const struct move *m, int to, struct err *e)
{
	const struct swap *s = m->swap;
	int err = 0;

	switch (m->kind) {
	case MOVE_LINK:
		err = sys_link_swap(m->link_fd, s->fd[to], s->fd[!to]);
		return err ? err_sys(e, err, "link %u at %s %s does not accept program %u", m->at.link_id, m->at.where,
				     m->at.what, s->id[to]) :
			     0;
	case MOVE_PLACE:
		return takeover_attach(r, m, to, false, NULL, e);
	case MOVE_PIN:
		err = to ? 0 : pins_pin_new(s->fd[0], m->path, e);
		return err ? err : pins_rename_new(m->path, e);
	default:
		return 0;
	}
}

static int prepare(struct takeover *r, struct err *e)
{
	int err = 0;

	for (size_t i = 0; i < r->nmoves && !err; i++)
		if (r->moves[i].kind == MOVE_NEW_LINK)
			err = link_make(r, &r->moves[i], e);
	for (size_t i = 0; i < r->nmoves && !err; i++) {
		struct move *m = &r->moves[i];

		if (m->kind != MOVE_PIN && m->kind != MOVE_MARK)
			continue;
		err = pins_pin_new(m->swap->fd[1], m->path, e);
		m->pinned_new = !err;
	}
	return err;
}

/* Places that show the programs of links look for these by the programs that they had before. */
static int pass_of(const struct move *m)
{
	return m->last ? LAST_PASS : m->kind != MOVE_PLACE;
}

static void undo(struct takeover *r)
{
	for (int pass = LAST_PASS; pass >= 0; pass--)
		for (size_t i = r->nmoves; i--;) {
			const struct move *m = &r->moves[i];
			struct err why = { 0 };

			if (m->done && pass_of(m) == pass && move_to(r, m, 0, &why))
				report_note(r->env->report, "could not be undone: %s", why.msg);
		}
}

int takeover_carry_out(struct takeover *r, struct err *e)
{
	STOP stop = { .fd = -1 };
	int err = r->nmoves ? stop_begin(&stop) : 0;

	if (err)
		return err_sys(e, err, "cannot block signals");
	err = prepare(r, e);
	for (int pass = 0; pass <= LAST_PASS; pass++)
		for (size_t i = 0; i < r->nmoves && !err; i++) {
			struct move *m = &r->moves[i];

			if (pass_of(m) != pass)
				continue;
			err = move_to(r, m, 1, e);
			m->done = !err;
		}
	if (err)
		undo(r);
	else if (r->nmoves)
		machine_forget(r->env->machine); /* what was not answered did not matter */
	for (size_t i = 0; i < r->nmoves; i++)
		if (r->moves[i].pinned_new && (r->moves[i].kind == MOVE_MARK || !r->moves[i].done))
			pins_remove_new(r->moves[i].path);
	return err;
}
