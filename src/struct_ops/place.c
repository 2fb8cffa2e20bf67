/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/place.h"

#include "cli/env.h"
#include "cli/records.h"
#include "cli/select.h"
#include "link/link.h"
#include "record/change.h"
#include "struct_ops/register.h"
#include "struct_ops/ops.h"
#include "kernel/hooks.h"

/* Detach the link, or unregister a map that is registered without a link. */
static int place_detach(struct env *env, const struct attachment *a, bool dry_run, struct err *e)
{
	struct ops_rec *r = arena_alloc(env->arena, sizeof(*r));
	struct change_rec c;
	int err;

	if (a->link_id)
		return link_take_off(env, a->link_id, dry_run, &c, e);
	err = ops_read(env, env->arena, a->map_id, 0, r, e);
	return err ? err : ops_value_delete(env, r, dry_run, e);
}

static void ops_attachment(struct env *env, struct records *ret, const struct ops_rec *r, uint32_t link_id)
{
	struct attachment *a = attachment_add(ret, env);

	*a = (struct attachment){
		.where = arena_fmt(env->keep, "%s:%s", r->type ? r->type : "struct_ops", r->name),
		.what = hook_of(HOOK_STRUCT_OPS, 0)->word,
		.map_id = r->info.id,
		.link_id = link_id,
	};
	/* The name of a place is one word. */
	for (char *p = (char *)a->where; (p = strchr(p, ' '));)
		*p = '_';
}

static int place_list(struct env *env, struct records *ret, struct err *e)
{
	const uint32_t *ids;
	size_t i, n;
	int err = select_all(env, &kind_map, &ids, &n, e);

	for (i = 0; !err && i < n; i++) {
		ARENA_SCOPE(env->arena);
		struct ops_rec *r = arena_alloc(env->arena, sizeof(*r));
		struct err why = { 0 };
		int bad = ops_read(env, env->arena, ids[i], NEED_TARGET, r, &why);

		for (uint32_t k = 0; !bad && k < r->nlinks; k++)
			ops_attachment(env, ret, r, r->links[k]);
		if (!bad && !r->by_link && r->state && !strcmp(r->state, "inuse"))
			ops_attachment(env, ret, r, 0);
		if (bad && bad != -ENOENT)
			report_unread(env->report, &why);
	}
	return err;
}

const struct place place_struct_ops = {
	.name = "struct_ops",
	.help = "tables of operations",
	.list = place_list, /* no attach(): that is `struct_ops register` and `struct_ops attach`, because a program
			       alone is not a table */
	.detach = place_detach,
};
