/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "cli/env.h"
#include "host/pins.h"
#include "kernel/abi.h"
#include "kernel/bpf.h"
#include "kernel/names.h"
#include "prog/takeover/takeover.h"
#include "source/facts.h"
#include "source/info.h"

int takeover_keep_fd(struct takeover *r, int fd)
{
	if (fd < 0)
		return fd;
	ARRAY_MORE(r->fds, r->nfds, r->fds_room);
	return r->fds[r->nfds++] = fd;
}

void takeover_close(struct takeover *r)
{
	for (size_t i = 0; i < r->nfds; i++)
		close(r->fds[i]);
	free(r->fds);
	*r = (struct takeover){ 0 };
}

struct swap *takeover_prog_find(const struct takeover *r, uint32_t old_id)
{
	for (size_t i = 0; i < r->nprogs; i++)
		if (r->progs[i].id[0] == old_id)
			return &r->progs[i];
	return NULL;
}

uint32_t takeover_old_prog(const struct takeover *r, size_t i)
{
	for (size_t k = 0; k < r->nprogs; k++)
		if (r->progs[k].prog == i && !r->progs[k].interrupted)
			return r->progs[k].id[0];
	return 0;
}

/* The program that is pinned, or runs by the link that is. */
static int pinned_prog(const struct takeover *r, const char *path, struct swap *ret, struct err *e)
{
	struct abi_link_info info = { 0 };
	uint32_t len = sizeof(info);
	enum object_kind kind;
	CLEAN_FD fd = pins_open(path, true, &kind, &ret->id[0]);
	int err;

	if (fd < 0)
		return fd == -ENOENT ? fd : pins_explain(path, fd, e);
	if (kind == OBJECT_PROG) {
		ret->fd[0] = TAKE_FD(fd);
		return 0;
	}
	if (kind != OBJECT_LINK)
		return err_set(e, -EMEDIUMTYPE, "cannot replace %s: it is a pinned map, not a program or link", path);
	err = sys_object_info(fd, &info, &len);
	if (err)
		return err_sys(e, err, "cannot read the info of the link that is pinned at %s", path);
	ret->link_id = info.id;
	ret->id[0] = info.prog_id;
	ret->fd[0] = source_open(r->env->machine->src, OBJECT_PROG, info.prog_id, false);
	return ret->fd[0] < 0 ? err_sys(e, ret->fd[0], "cannot open the program of link %u", info.id) : 0;
}

static int type_check(const struct takeover *r, const struct swap *s, const char *path, struct err *e)
{
	const uint32_t type = bpf_program__type(r->load->progs[s->prog].prog);
	struct abi_prog_info info;
	int err = prog_info(r->env->machine, r->env->arena, s->id[0], &info, e);

	if (err)
		return err;
	if (info.type == BPF_PROG_TYPE_STRUCT_OPS) {
		err_set(e, -EOPNOTSUPP, "cannot replace %s: programs of type struct_ops are replaced with their map",
			path);
		return err_hint(e, "`struct_ops register` a new map, then `link update LINK map MAP`");
	}
	if (info.type == type)
		return 0;
	err_set(e, -EINVAL, "cannot replace %s: program %u is of type %s, the file's is of type %s", path, s->id[0],
		names_of(&names_prog_type, info.type), names_of(&names_prog_type, type));
	return err_hint_word(e, "`unpin ", path, "`, and load it anew");
}

/* As the list of pins has it. */
static const char *absolute(const struct takeover *r, const char *path)
{
	CLEAN_PTR char *real = realpath(path, NULL);

	return real ? arena_str(r->env->keep, real, SIZE_MAX) : path;
}

static int prog_find(struct takeover *r, size_t i, const char *path, bool interrupted, struct err *e)
{
	struct load_prog *p = &r->load->progs[i];
	struct swap s = { .name = bpf_program__name(p->prog), .prog = i, .interrupted = interrupted }, *other;
	int err = pinned_prog(r, path, &s, e);

	if (err)
		return err == -ENOENT && !e->code ? 0 : err;
	takeover_keep_fd(r, s.fd[0]);
	s.path = absolute(r, path);
	other = takeover_prog_find(r, s.id[0]);
	if (other && interrupted)
		return 0;
	if (other)
		return err_set(e, -EINVAL, "cannot replace %s: program %u is also that of %s", path, s.id[0],
			       other->name);
	err = type_check(r, &s, path, e);
	if (err)
		return err;
	if (!interrupted)
		p->taken = true;
	ARENA_MORE(r->env->keep, r->progs, r->nprogs, r->progs_room);
	r->progs[r->nprogs++] = s;
	return 0;
}

/* Programs of an earlier file stay; the user may expect that they go. */
static void left_note(const struct takeover *r)
{
	const char *dir = r->pins->all ? absolute(r, r->pins->path) : "";
	const size_t len = strlen(dir);
	const struct pin *pin;
	size_t n;

	if (!len || facts_all_pins(r->env->machine, &pin, &n))
		return;
	for (; n; pin++, n--) {
		const bool here = pin->kind != OBJECT_MAP && !pin->pid && str_starts(pin->path, dir) &&
				  pin->path[len] == '/' && !strchr(pin->path + len + 1, '/');
		bool known = !here || pins_is_new(pin->path);

		for (size_t i = 0; i < r->load->nprogs && !known; i++)
			known = !strcmp(pin->path + len + 1, bpf_program__name(r->load->progs[i].prog));
		if (!known)
			report_note(r->env->report, "%s stays, because the file has no program of that name",
				    pin->path);
	}
}

int takeover_find(struct takeover *r, struct load *l, const struct load_pins *pins, struct err *e)
{
	const char *first;
	int err = 0;

	r->env = l->env;
	r->load = l;
	r->pins = pins;
	first = l->nprogs ? load_prog_path(l, pins, 0) : NULL;
	if (!first || (pins->all && access(pins->path, F_OK)))
		return 0;
	if (!pins->all && access(first, F_OK))
		return 0;
	if (!r->dry_run) {
		err = takeover_keep_fd(r, pins_lock(first, e));
		if (err < 0)
			return err;
		err = 0;
	}
	for (size_t i = 0; i < l->nprogs && !err; i++) {
		const char *path = load_prog_path(l, pins, i);

		if (path)
			err = prog_find(r, i, path, false, e);
		if (path && !err)
			err = prog_find(r, i, arena_fmt(l->env->keep, "%s" PINS_NEW_SUFFIX, path), true, e);
	}
	if (!err)
		left_note(r);
	return err ? err : takeover_maps_find(r, e);
}
