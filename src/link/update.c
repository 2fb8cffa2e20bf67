/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/change.h"
#include "cli/command.h"
#include "cli/place.h"
#include "cli/select.h"
#include "link/change.h"
#include "link/link.h"
#include "kernel/link.h"

struct update_opts {
	struct object_ref link, prog, map, old, old_map;
	bool dry_run;
};

/* The new or old program, or the map of a struct_ops link. */
struct update_part {
	int fd; /* -1: none */
	uint32_t id;
	struct object_label label;
};

static int part_open(struct env *env, const struct kind *k, const struct object_ref *ref, struct update_part *ret,
		     struct err *e)
{
	ret->fd = select_open(env, k, ref, &ret->id, e);
	return ret->fd < 0 ? ret->fd : k->label(env, env->arena, ret->id, &ret->label, e);
}

static void part_close(struct update_part *p)
{
	clean_fd(&p->fd);
}
#define PART(p) __attribute__((cleanup(part_close))) struct update_part p = { .fd = -1 }

static int explain(const struct link_rec *r, const struct update_part *fresh, int err, bool old, struct err *e)
{
	bool ops = r->info.type == ABI_LINK_STRUCT_OPS;

	if (err == -EINVAL && r->kind && !r->kind->updates)
		err = -EOPNOTSUPP;
	switch (err) {
	case -EOPNOTSUPP:
		return err_set(e, err, "link %u: the program of %s links cannot be replaced", r->info.id, r->type);
	case -EPERM:
		if (old) {
			err_set(e, err, "link %u does not run the %s that is to be replaced", r->info.id,
				ops ? "map" : "program");
			return err_hint(e, "'link show id %u' shows which one it runs", r->info.id);
		}
		break;
	case -ENOLINK:
		return err_set(e, err, "link %u is no longer attached", r->info.id);
	case -EINVAL:
		if (!ops && r->prog_type && fresh->label.type && strcmp(r->prog_type, fresh->label.type))
			return err_set(e, err, "link %u runs programs of type %s, program %u has type %s", r->info.id,
				       r->prog_type, fresh->id, fresh->label.type);
		break;
	}
	return err_sys(e, err, "link %u cannot run %s %u", r->info.id, ops ? "map" : "program", fresh->id);
}

/* Check as far as possible without changing the link. */
static int update_check(const struct link_rec *r, const struct update_part *fresh, const struct update_part *old,
			uint32_t now, struct err *e)
{
	if (r->kind && !r->kind->updates)
		return explain(r, fresh, -EOPNOTSUPP, false, e);
	if (old->fd >= 0 && old->id != now)
		return explain(r, fresh, -EPERM, true, e);
	if (r->info.type != ABI_LINK_STRUCT_OPS && r->prog_type && fresh->label.type &&
	    strcmp(r->prog_type, fresh->label.type))
		return explain(r, fresh, -EINVAL, false, e);
	return 0;
}

static int update_opts_check(const struct link_rec *r, const struct update_opts *o, struct err *e)
{
	bool ops = r->info.type == ABI_LINK_STRUCT_OPS;

	if (ops && (o->prog.by || o->old.by))
		return err_usage(e, "link %u is a struct_ops link: name its new map with `map MAP`", r->info.id);
	if (!ops && (o->map.by || o->old_map.by))
		return err_usage(e, "link %u runs a program, not a map", r->info.id);
	return 0;
}

static void update_report(struct env *env, const struct link_rec *r, const struct update_part *fresh, uint32_t now,
			  bool dry_run)
{
	bool ops = r->info.type == ABI_LINK_STRUCT_OPS;
	struct change_rec c = {
		.action = dry_run ? "would update to" : "updated to",
		.link_id = r->info.id,
		.prog_id = ops ? 0 : fresh->id,
		.map_id = ops ? fresh->id : 0,
		.name = *fresh->label.name ? fresh->label.name : NULL,
		.replaced = now,
		.dry_run = dry_run,
	};
	struct attachment a;

	if (link_attachment(env, r, &a)) {
		c.where = a.where;
		c.what = a.what;
	}
	change_print(env, &c);
}

static int run_update(struct env *env, const void *opts, struct err *e)
{
	const struct update_opts *o = opts;
	struct link_rec *r = arena_alloc(env->keep, sizeof(*r));
	bool ops = o->map.by;
	const struct kind *k = ops ? &kind_map : &kind_prog;
	const struct object_ref *was = ops ? &o->old_map : &o->old;
	uint32_t now, id = 0;
	CLEAN_FD fd = select_open(env, &kind_link, &o->link, &id, e);
	PART(fresh);
	PART(old);
	int err = fd < 0 ? fd : link_read(env, env->arena, id, NEED_TARGET | NEED_SYMBOLS | NEED_PROG, r, e);

	if (!err)
		err = update_opts_check(r, o, e);
	if (!err)
		err = part_open(env, k, ops ? &o->map : &o->prog, &fresh, e);
	if (!err && was->by)
		err = part_open(env, k, was, &old, e);
	if (err)
		return err;
	now = ops ? r->info.struct_ops.map_id : r->info.prog_id;
	err = o->dry_run ? update_check(r, &fresh, &old, now, e) : sys_link_swap(fd, fresh.fd, old.fd);
	if (err)
		return explain(r, &fresh, err, was->by, e);
	update_report(env, r, &fresh, now, o->dry_run);
	return 0;
}

static const struct arg update_args[] = {
	OPERAND("LINK", ARG_OBJECT, struct update_opts, link, "which link"),
	ARG("PROG", ARG_OBJECT, struct update_opts, prog, "the program that it runs from now on",
	    .flags = ARG_POSITIONAL | ARG_CHOICE, .kind = &kind_prog),
	ARG("map", ARG_OBJECT, struct update_opts, map, "of a struct_ops link: the map with the operations",
	    .flags = ARG_CHOICE, .kind = &kind_map),
	ARG("old", ARG_OBJECT, struct update_opts, old, "only if it runs this one now", .kind = &kind_prog),
	ARG("old_map", ARG_OBJECT, struct update_opts, old_map, "only if it is this one now", .kind = &kind_map),
	ARG("--dry-run", ARG_FLAG, struct update_opts, dry_run, "print what would be replaced, and change nothing"),
};

const struct command link_update = {
	.name = "update",
	.summary = "replace the program of a link",
	.help = "The program is replaced atomically: no packet or call is missed. The program of links to tracepoints, functions and perf events cannot be replaced.",
	.schema = &change_schema,
	.flags = CMD_WRITE | CMD_DESTROY | CMD_OURS,
	ARGS(update_args, struct update_opts),
	.run = run_update,
};
