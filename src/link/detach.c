/* SPDX-License-Identifier: BSD-2-Clause */
#include <time.h>
#include "cli/change.h"
#include "cli/command.h"
#include "cli/place.h"
#include "cli/select.h"
#include "link/link.h"
#include "source/facts.h"
#include "kernel/link.h"
#include "host/pins.h"

#define HOLDER_LOOKS 60
#define NEED_ALL (NEED_TARGET | NEED_SYMBOLS | NEED_PROG | NEED_PINS | NEED_HOLDERS)

/* Fail with a hint that names what keeps the link: "unpin /sys/fs/bpf/x, and end foo(12)". */
static int refuse(const struct link_rec *r, struct err *e)
{
	char functions[32] = "";
	STR who = { 0 };

	if (r->nfuncs > 1)
		snprintf(functions, sizeof(functions), " at %u functions", r->nfuncs);
	str_puts(&who, "");
	for (uint32_t i = 0; i < r->owners.npins && who.n < 120; i++)
		str_fmt(&who, "%s%s", i ? ", " : "unpin ", r->owners.pins[i]);
	for (uint32_t i = 0; i < r->owners.nholders && who.n < 180; i++)
		str_fmt(&who, "%s%s(%u)",
			i     ? ", " :
			who.n ? ", and end " :
				"end ",
			r->owners.holders[i].comm, r->owners.holders[i].pid);
	err_set(e, -EOPNOTSUPP, "link %u%s: %s links cannot be detached, they end with their last descriptor and pin",
		r->info.id, functions, r->type);
	return who.n ? err_hint(e, "%s", who.p) : -EOPNOTSUPP;
}

static struct change_rec change_of(struct env *env, const struct link_rec *r, bool dry_run)
{
	struct change_rec c = {
		.action = dry_run ? "would detach" : "detached",
		.prog_id = r->info.prog_id,
		.link_id = r->info.id,
		.dry_run = dry_run,
	};
	struct attachment a;

	if (r->prog_name && *r->prog_name)
		c.name = arena_str(env->keep, r->prog_name, SIZE_MAX);
	if (link_attachment(env, r, &a)) {
		c.where = a.where;
		c.what = a.what;
		c.nfuncs = a.nfuncs;
		c.map_id = a.prog_id ? 0 : a.map_id;
	}
	return c;
}

/* A kernel newer than our table may support it. */
static int link_cut(const struct link_rec *r, int fd, bool dry_run, struct err *e)
{
	int err = dry_run ? r->kind && r->kind->detaches ? 0 : -EOPNOTSUPP : sys_link_cut(fd);

	if (err == -EOPNOTSUPP)
		return refuse(r, e);
	return err ? err_sys(e, err, "link %u cannot be detached", r->info.id) : 0;
}

bool link_stays_held(struct env *env, uint32_t id)
{
	const struct timespec pause = { 0, 50000000 };
	uint32_t n;

	facts_holders(env->machine, OBJECT_LINK, id, &n);
	for (int i = 0; n && i < HOLDER_LOOKS; i++) {
		nanosleep(&pause, NULL);
		n = facts_holders_again(env->machine, OBJECT_LINK, id);
	}
	return n != 0;
}

int link_take_off(struct env *env, uint32_t id, bool dry_run, struct change_rec *ret, struct err *e)
{
	struct link_rec *r = arena_alloc(env->keep, sizeof(*r));
	struct change_rec c;
	struct err why = { 0 };
	CLEAN_FD fd = -1;
	int err = link_read(env, env->arena, id, NEED_ALL, r, e);

	if (err)
		return err;
	c = change_of(env, r, dry_run);
	fd = source_open(env->machine->src, OBJECT_LINK, id, true);
	if (fd < 0)
		return fd == -ENOENT ? select_no_such(env, &kind_link, id, e) :
				       err_sys(e, fd, "cannot open link %u", id);
	err = link_cut(r, fd, dry_run, &why);
	if (err && (err != -EOPNOTSUPP || !r->owners.npins || link_stays_held(env, id))) {
		*e = why;
		return err;
	}
	for (uint32_t i = 0; i < r->owners.npins && !dry_run; i++) {
		err = pins_unpin(r->owners.pins[i], OBJECT_LINK, e);
		if (err)
			return err;
	}
	c.pins = r->owners.pins;
	c.npins = r->owners.npins;
	*ret = c;
	return 0;
}

/* `link detach`: bpftool's verb, which keeps the link's pins. */
struct detach_opts {
	struct object_ref link;
	bool dry_run;
};

static int link_detach_run(struct env *env, const void *opts, struct err *e)
{
	const struct detach_opts *o = opts;
	struct link_rec *r = arena_alloc(env->keep, sizeof(*r));
	uint32_t id = 0;
	CLEAN_FD fd = select_open(env, &kind_link, &o->link, &id, e);
	struct change_rec c;
	int err = fd < 0 ? fd : link_read(env, env->arena, id, NEED_ALL, r, e);

	if (!err)
		err = link_cut(r, fd, o->dry_run, e);
	if (err || (!o->dry_run && !change_is_reported(env)))
		return err;
	c = change_of(env, r, o->dry_run);
	change_report(env, &c);
	return 0;
}

static const struct arg detach_args[] = {
	OPERAND(NULL, ARG_OBJECT, struct detach_opts, link, "what to detach"),
	ARG("--dry-run", ARG_FLAG, struct detach_opts, dry_run, "print what would be detached, and change nothing"),
};

const struct command link_detach = {
	.name = "detach",
	.summary = "detach a link from the place where its program runs",
	.help = "The link itself stays, without effect, until it has no holder. Links to tracepoints, functions and perf "
		"events, and iterators, cannot be detached: they end with their last descriptor and pin.",
	.schema = &change_schema,
	.flags = CMD_WRITE | CMD_DESTROY,
	ARGS(detach_args, struct detach_opts),
	.run = link_detach_run,
};
