/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/change.h"
#include "cli/command.h"
#include "cli/records.h"
#include "cli/select.h"
#include "link/link.h"
#include "struct_ops/register.h"
#include "struct_ops/ops.h"
#include "struct_ops/struct_ops.h"
#include "kernel/elem.h"

struct unregister_opts {
	struct object_ref map;
	bool dry_run;
};
static const struct arg unregister_args[] = {
	OPERAND(NULL, ARG_OBJECT, struct unregister_opts, map, "a map, or all maps of a name"),
	ARG("--dry-run", ARG_FLAG, struct unregister_opts, dry_run,
	    "report what would be unregistered, and change nothing"),
};

int ops_value_delete(struct env *env, const struct ops_rec *r, bool dry_run, struct err *e)
{
	const uint32_t key = 0;
	CLEAN_FD fd = source_open(env->machine->src, OBJECT_MAP, r->info.id, true);
	int err = fd < 0 ? fd : 0;

	if (!err && (!r->state || strcmp(r->state, "inuse") != 0) && r->has_value == AVAIL_YES)
		return err_set(e, -ENOENT, "%s %s id %u is not registered: it is %s", r->type, r->name, r->info.id,
			       r->state);
	if (!err && !dry_run)
		err = elem_delete(fd, &key);
	return err ? err_sys(e, err, "can't unload %s %s id %u", r->type ? r->type : "struct_ops", r->name,
			     r->info.id) :
		     0;
}

static void change_add(struct env *env, struct records *ret, const struct ops_rec *r, const struct change_rec *link,
		       bool dry_run)
{
	struct change_rec *c = records_add(ret, env);

	*c = (struct change_rec){
		.sentence = SENTENCE_STRUCT_OPS,
		.action = dry_run ? "Would unregister" : "Unregistered",
		.map_id = r->info.id,
		.dry_run = dry_run,
		.struct_ops = r->type ? arena_str(env->keep, r->type, SIZE_MAX) : NULL,
		.name = arena_str(env->keep, r->name, SIZE_MAX),
	};
	if (!link)
		return;
	c->link_id = link->link_id;
	c->pins = link->pins;
	c->npins = link->npins;
}

/* Detach each link that registers the map, and remove its pins. */
static int links_take_off(struct env *env, const struct ops_rec *r, bool dry_run, struct records *ret, struct err *e)
{
	uint32_t i;

	if (!r->nlinks)
		return err_set(e, -ENOENT, "%s %s id %u is not registered: it has no link",
			       r->type ? r->type : "struct_ops", r->name, r->info.id);
	for (i = 0; i < r->nlinks; i++) {
		struct change_rec c;
		int err = link_take_off(env, r->links[i], dry_run, &c, e);

		if (err)
			return err;
		change_add(env, ret, r, &c, dry_run);
	}
	return 0;
}

static int one(struct env *env, uint32_t id, bool dry_run, struct records *ret, struct err *e)
{
	struct ops_rec *r = arena_alloc(env->arena, sizeof(*r));
	int err = ops_read(env, env->arena, id, NEED_TARGET, r, e);

	if (err)
		return err;
	if (r->by_link)
		return links_take_off(env, r, dry_run, ret, e);
	err = ops_value_delete(env, r, dry_run, e);
	if (!err)
		change_add(env, ret, r, NULL, dry_run);
	return err;
}

static int unregister_run(struct env *env, const void *opts, struct err *e)
{
	const struct unregister_opts *o = opts;
	struct records done = { .s = &change_schema };
	struct err first = { 0 };
	const uint32_t *ids;
	size_t i, n;
	int err = select_objects(env, env->keep, &kind_struct_ops, &o->map, &ids, &n, e);

	if (err)
		return err;
	for (i = 0; i < n; i++) {
		struct err why = { 0 };

		err = one(env, ids[i], o->dry_run, &done, &why);
		if (err && !first.code)
			first = why;
		/* Of several maps with the name, those that are not registered are not meant. */
		if (err && err != -ENOENT && n > 1)
			report_unread(env->report, &why);
	}
	if (!done.n) {
		*e = first;
		return e->code;
	}
	change_print_all(env, (const struct change_rec *)done.rec, done.n);
	return 0;
}

const struct command ops_unregister = {
	.name = "unregister",
	.summary = "unregister a table of operations",
	.help = "If the map was registered without a link, its value is deleted. If links register it, the links are "
		"detached and their pins removed. The kernel may continue to use the table for its current users.",
	.schema = &change_schema,
	ARGS(unregister_args, struct unregister_opts),
	.flags = CMD_WRITE | CMD_DESTROY,
	.run = unregister_run,
};
