/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/env.h"
#include "iter/list.h"
#include "link/link.h"

static const char *iter_keep(struct env *env, const char *s)
{
	return s ? arena_str(env->keep, s, SIZE_MAX) : NULL;
}

/* -ENOENT: the link no longer exists. */
static int one_read(struct env *env, uint32_t id, unsigned need, struct iter_link_rec *ret, struct err *e)
{
	struct link_rec *r = arena_alloc(env->arena, sizeof(*r));
	int err = link_read(env, env->arena, id, need, r, e);

	if (err)
		return err;
	*ret = (struct iter_link_rec){
		.id = id,
		.prog_id = r->info.prog_id,
		.map_id = r->at.map_id,
		.prog = iter_keep(env, r->prog_name),
		.has_prog = r->has_prog,
		.target = r->text ? iter_keep(env, r->text) : "?",
		.walks = iter_keep(env, r->at.detail),
		.has_pins = r->owners.has_pins,
		.pinned = r->owners.pins,
		.npinned = r->owners.npins,
		.cgroup_id = r->at.cgroup_id,
	};
	return 0;
}

int iter_links(struct env *env, unsigned need, const struct iter_link_rec **ret, uint32_t *ret_n, struct err *e)
{
	struct iter_link_rec *list;
	const struct link_brief *l;
	size_t i, n;
	uint32_t found = 0;
	int err = link_all(env, &l, &n, e);

	if (err)
		return err;
	list = arena_array(env->keep, n, sizeof(*list));
	for (i = 0; i < n; i++) {
		ARENA_SCOPE(env->arena);
		struct err why = { 0 };

		if (!l[i].err && l[i].info.type != ABI_LINK_ITER)
			continue;
		err = one_read(env, l[i].id, need, &list[found], &why);
		if (!err)
			found++;
		else if (err != -ENOENT)
			report_unread(env->report, &why);
	}
	*ret = list;
	*ret_n = found;
	return 0;
}
