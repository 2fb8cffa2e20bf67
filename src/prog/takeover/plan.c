/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/libbpf.h>

#include "cli/env.h"
#include "host/pins.h"
#include "kernel/abi.h"
#include "kernel/bpf.h"
#include "kernel/hooks.h"
#include "link/link.h"
#include "net/net.h"
#include "prog/takeover/takeover.h"
#include "source/facts.h"

#define LOAD_ELSEWHERE "load the file at another path"
#define NOTHING_CHANGED "nothing was changed: detach it there first, or " LOAD_ELSEWHERE

static struct move *move_add(struct takeover *r, enum move_kind kind, struct swap *s)
{
	ARENA_MORE(r->env->keep, r->moves, r->nmoves, r->moves_room);
	r->moves[r->nmoves] = (struct move){ .kind = kind, .swap = s, .link_fd = -1 };
	return &r->moves[r->nmoves++];
}

static int cannot(const struct swap *s, const struct attachment *a, const char *why, struct err *e)
{
	err_set(e, -EOPNOTSUPP, "cannot replace program %u (%s) at %s %s: %s", s->id[0], s->name, a->where, a->what,
		why);
	return err_hint(e, NOTHING_CHANGED);
}

/* A place refuses the new program. */
static int refused(const struct swap *s, struct err *e)
{
	err_in(e, "cannot replace program %u (%s)", s->id[0], s->name);
	return err_hint(e, NOTHING_CHANGED);
}

/* All pins of an object but those that an interrupted command left. *ret_n: how many. */
static int pins_plan(struct takeover *r, enum object_kind kind, struct swap *s, uint32_t *ret_n, struct err *e)
{
	const int err = facts_pins_error(r->env->machine);
	const struct pin_unread *unread;
	const char *const *pins;
	uint32_t n;

	if (err)
		return err_sys(e, err, "cannot list pins");
	if (facts_unread_pins(r->env->machine, &unread))
		return err_sys(e, unread->err, "cannot find the pins of the old programs, because %s cannot be read",
			       unread->path);
	pins = facts_pins(r->env->machine, kind, s->id[0], &n);
	*ret_n = 0;
	for (; n; pins++, n--) {
		struct move *m;

		if (pins_is_new(*pins))
			continue;
		m = move_add(r, MOVE_PIN, s);
		m->path = *pins;
		++*ret_n;
	}
	return 0;
}

static bool is_last(const struct takeover *r, const struct move *m)
{
	for (size_t i = 0; i < r->nprogs; i++)
		if ((m->kind == MOVE_LINK && r->progs[i].link_id == m->at.link_id) ||
		    (m->kind == MOVE_PIN && !strcmp(r->progs[i].path, m->path)))
			return true;
	return false;
}

/* A link that the kernel cannot update is created anew. Its process would keep the old one, too. */
static int new_link_plan(struct takeover *r, struct swap *s, const struct attachment *a, const struct place *p, int fd,
			 struct err *e)
{
	struct swap *link = arena_alloc(r->env->keep, sizeof(*link));
	const struct move m = { .kind = MOVE_NEW_LINK, .swap = s, .link = link, .at = *a, .place = p, .link_fd = -1 };
	uint32_t pins;
	int err;

	*link = (struct swap){ .name = s->name, .id = { a->link_id }, .fd = { fd, -1 } };
	if (link_stays_held(r->env, a->link_id))
		return cannot(s, a, "a process holds the link, which the kernel cannot update", e);
	err = takeover_attach(r, &m, 1, true, NULL, e);
	if (err)
		return refused(s, e);
	err = pins_plan(r, OBJECT_LINK, link, &pins, e);
	if (!err && pins)
		*move_add(r, MOVE_NEW_LINK, s) = m;
	/* An interrupted command left one at PATH~, which is about to be replaced. */
	return err || pins || s->interrupted ?
		       err :
		       cannot(s, a, "nothing visible holds the link, which the kernel cannot update", e);
}

static int link_plan(struct takeover *r, struct swap *s, const struct attachment *a, const struct place *p,
		     struct err *e)
{
	const struct link_kind *k;
	struct abi_link_info info = { 0 };
	uint32_t len = sizeof(info);
	struct move *m;
	int fd, err;

	for (size_t i = 0; i < r->nmoves; i++)
		if (r->moves[i].at.link_id == a->link_id)
			return p != &place_net || !strcmp(r->moves[i].at.where, a->where) ?
				       0 :
				       cannot(s, a, "the kernel does not report the link's network namespace", e);
	fd = takeover_keep_fd(r, source_open(r->env->machine->src, OBJECT_LINK, a->link_id, true));
	err = fd < 0 ? fd : sys_object_info(fd, &info, &len);
	if (err)
		return err_sys(e, err, "cannot open link %u", a->link_id);
	if (info.type == ABI_LINK_PERF_EVENT && !info.perf_event.type)
		return cannot(s, a, "the kernel cannot update the link, nor report its event (since Linux 6.6)", e);
	k = link_kind_of(&info);
	if (!k || !k->updates)
		return new_link_plan(r, s, a, p, fd, e);
	m = move_add(r, MOVE_LINK, s);
	m->at = *a;
	m->link_fd = fd;
	m->last = is_last(r, m);
	if (m->last)
		move_add(r, MOVE_MARK, s)->path = s->path;
	return 0;
}

static int attachment_plan(struct takeover *r, const struct place *p, const struct attachment *a, struct err *e)
{
	struct swap *s = takeover_prog_find(r, a->prog_id), *under = takeover_prog_find(r, a->target_prog);
	struct move m = { .kind = MOVE_PLACE, .swap = s, .at = *a, .place = p, .link_fd = -1 };

	if (!s && under && a->target_prog)
		return cannot(under, a, arena_fmt(r->env->arena, "program %u runs under it", a->prog_id), e);
	if (!s || !a->prog_id)
		return 0;
	if (a->link_id)
		return link_plan(r, s, a, p, e);
	if (a->pid)
		return cannot(s, a, arena_fmt(r->env->arena, "process %u holds it", a->pid), e);
	if (!p->attach)
		return cannot(s, a, "bpflens cannot attach programs there", e);
	if (takeover_attach(r, &m, 1, true, NULL, e))
		return refused(s, e);
	*move_add(r, MOVE_PLACE, s) = m;
	return 0;
}

/* Without an answer, is an attachment only listed by fewer names? link_plan() notes a link on devices of several
 * namespaces. */
static bool is_about_names(enum question q)
{
	return q == Q_LINK_NETNS || q == Q_FUNC || q == Q_KSYM || q == Q_KALLSYMS || q == Q_CALL_BASE ||
	       q == Q_TRACEPOINTS || q == Q_BTF_DATA || q == Q_BTF_NAME || (q >= Q_BUF && q <= Q_BUF_LAST) ||
	       (q >= Q_FDINFO && q <= Q_FDINFO_LAST);
}

/* Is there an old program that sockmaps can run? */
static bool has_of_sockets(const struct takeover *r)
{
	for (size_t i = 0; i < r->nprogs; i++)
		if (hook_any_takes(HOOK_BIT(HOOK_SOCKETS), bpf_program__type(r->load->progs[r->progs[i].prog].prog)))
			return true;
	return false;
}

static bool is_needless(const struct takeover *r, const struct refusal *f)
{
	return f->unseen || is_about_names(f->first.q) || (f->first.q == Q_MAP_PROGS && !has_of_sockets(r));
}

/* @unread: objects that could not be read before. */
static int all_read_check(const struct takeover *r, size_t unread, struct err *e)
{
	const struct refusal *f = r->env->machine->refused;

	if (r->env->report->unread != unread)
		return err_set(e, r->env->report->unread_code, "cannot find where the old programs run: %.300s",
			       r->env->report->unread_why);
	while (f && is_needless(r, f))
		f = f->next;
	if (!f)
		return 0;
	err_sys(e, f->why, "cannot find where the old programs run: cannot read %s",
		question_what(&f->first, r->env->arena));
	if (f->first.q == Q_MAP_PROGS && f->why == -EOPNOTSUPP)
		err_hint(
			e,
			"nothing was changed: the kernel reports the programs of sockmaps since Linux 5.18; before, " LOAD_ELSEWHERE);
	return e->code;
}

static int attachments_plan(struct takeover *r, struct err *e)
{
	struct records all = { .s = &attachment_schema };
	const size_t unread = r->env->report->unread;

	for (const struct place *const *p = places; *p; p++) {
		size_t i = all.n;
		int err = (*p)->list(r->env, &all, e);

		if (err)
			return err_in(e, "cannot find where the old programs run");
		err = all_read_check(r, unread, e);
		for (; i < all.n && !err; i++)
			err = attachment_plan(r, *p, attachment_at(&all, i), e);
		if (err)
			return err;
	}
	machine_forget(r->env->machine);
	return 0;
}

/* A pinned link that is attached nowhere would be left with the old program. */
static int gone_check(const struct takeover *r, struct err *e)
{
	for (size_t i = 0; i < r->nprogs; i++) {
		const struct swap *s = &r->progs[i];
		bool found = !s->link_id || s->interrupted;

		for (size_t k = 0; k < r->nmoves; k++)
			found |= r->moves[k].at.link_id == s->link_id;
		if (found)
			continue;
		err_set(e, -ENOLINK, "cannot replace %s: link %u is attached nowhere", s->path, s->link_id);
		return err_hint_word(e, "`unpin ", s->path, "`, and load it anew");
	}
	return 0;
}

/* The descriptors and ids of what was loaded. */
static int new_read(struct takeover *r, struct err *e)
{
	int err = 0;

	for (size_t i = 0; i < r->nprogs && !err; i++) {
		struct swap *s = &r->progs[i];

		s->fd[1] = r->load->progs[s->prog].fd;
		err = sys_object_id(s->fd[1], &s->id[1]);
	}
	for (size_t i = 0; i < r->nmaps && !err; i++) {
		struct swap *s = &r->maps[i];

		s->fd[1] = r->load->maps[s->map].fd;
		err = s->why ? sys_object_id(s->fd[1], &s->id[1]) : 0;
	}
	return err ? err_sys(e, err, "cannot read the ids of what was loaded") : 0;
}

int takeover_plan(struct takeover *r, struct err *e)
{
	uint32_t n;
	int err = r->nprogs ? new_read(r, e) : 0;

	if (!err && r->nprogs)
		err = attachments_plan(r, e);
	if (!err)
		err = gone_check(r, e);
	for (size_t i = 0; i < r->nprogs && !err; i++)
		err = pins_plan(r, OBJECT_PROG, &r->progs[i], &n, e);
	for (size_t i = 0; i < r->nmaps && !err; i++)
		err = r->maps[i].why ? pins_plan(r, OBJECT_MAP, &r->maps[i], &n, e) : 0;
	for (size_t i = 0; i < r->nmoves; i++)
		if (r->moves[i].kind == MOVE_PIN)
			r->moves[i].last = is_last(r, &r->moves[i]);
	return err;
}
