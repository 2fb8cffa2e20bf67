/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/change.h"
#include "cli/command.h"
#include "cli/place.h"
#include "cli/select.h"
#include "host/pins.h"
#include "source/source.h"
#include "struct_ops/ops.h"
#include "struct_ops/register.h"
#include "struct_ops/struct_ops.h"

struct ops_attach_opts {
	struct object_ref map;
	const char *link;
	bool hold, dry_run;
};
static const struct arg attach_args[] = {
	OPERAND(NULL, ARG_OBJECT, struct ops_attach_opts, map, "the map, which is for links and has its value"),
	ARG("hold", ARG_FLAG, struct ops_attach_opts, hold, "by a link that is held until this command is interrupted",
	    .rejects = "--link"),
	ARG("--link", ARG_PATH, struct ops_attach_opts, link, "by a link that is pinned at this path",
	    .metavar = "PATH"),
	ARG("--dry-run", ARG_FLAG, struct ops_attach_opts, dry_run, "print what would be done, and change nothing"),
};

/* For these maps the kernel only says EINVAL. */
static int map_check(const struct ops_rec *r, struct err *e)
{
	if (!r->by_link)
		err_set(e, -EINVAL,
			"map %u (%s) was created without BPF_F_LINK: writing its value registers it, not a link",
			r->info.id, r->name);
	else if (r->state && strcmp(r->state, "ready") != 0)
		err_set(e, -EINVAL, "map %u (%s) has no value yet, which its loader writes: its state is %s",
			r->info.id, r->name, r->state);
	return e->code ?
		       err_hint(e, "`bpflens struct_ops register OBJ` loads an object file and registers its tables") :
		       0;
}

static int request_check(struct env *env, const struct ops_attach_opts *o, struct err *e)
{
	if (o->link)
		return pins_may_pin(o->link, env->opts->nomount, e);
	if (o->hold || o->dry_run)
		return 0;
	err_set(e, -EOPNOTSUPP, "a struct_ops map stays registered only as long as its link exists");
	return err_hint(e, "'hold' keeps the link until the command is interrupted, '--link PATH' pins it");
}

/* A link that registers the map. */
static int map_attach(struct env *env, const struct ops_rec *r, const struct attach_request *q,
		      struct attach_result *ret, struct err *e)
{
	CLEAN_FD map = source_open(env->machine->src, OBJECT_MAP, r->info.id, false), link = -1;

	if (map < 0)
		return err_sys(e, map, "cannot open map %u", r->info.id);
	link = ops_link_create(map);
	return link < 0 ? ops_explain(link, r->name, e) : place_finish_link(env, q, link, ret, e);
}

static int attach_run(struct env *env, const void *opts, struct err *e)
{
	const struct ops_attach_opts *o = opts;
	const struct attach_request q = { .link = o->link, .hold = o->hold };
	struct attach_result made = { .hold_fd = -1 };
	struct ops_rec *r = arena_alloc(env->keep, sizeof(*r));
	uint32_t id;
	int err = select_one(env, &kind_struct_ops, &o->map, &id, e);

	err = err ? err : ops_read(env, env->keep, id, 0, r, e);
	err = err ? err : map_check(r, e);
	err = err ? err : request_check(env, o, e);
	if (!err && !o->dry_run)
		err = map_attach(env, r, &q, &made, e);
	if (err)
		return err;
	change_print(env, &(struct change_rec){
				  .sentence = SENTENCE_STRUCT_OPS,
				  .action = o->dry_run ? "Would register" : "Registered",
				  .struct_ops = r->type,
				  .name = r->name,
				  .map_id = id,
				  .link_id = made.link_id,
				  .pins = o->link ? &o->link : NULL,
				  .npins = o->link ? 1 : 0,
				  .dry_run = o->dry_run,
			  });
	return place_hold(env, &made, false, e);
}

const struct command ops_attach = {
	.name = "attach",
	.summary = "register a table of operations that is loaded, by a link",
	.help = "The map may be that of another process, or pinned, for example because its link was detached. It must have been created for links (section "
		".struct_ops.link), and have its value. `unregister` is the opposite.",
	.schema = &change_schema,
	ARGS(attach_args, struct ops_attach_opts),
	.flags = CMD_WRITE | CMD_DESTROY | CMD_OURS,
	.run = attach_run,
};
