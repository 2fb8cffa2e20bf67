/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/env.h"
#include "cli/records.h"
#include "link/link.h"

/*
 * Links that the other places have not listed: of types that they do not handle or that are newer than this program,
 * and links that they could not reach.
 */

static const char *const *words_keep(struct env *env, const char *const *words, uint32_t n)
{
	const char **ret = n ? arena_array(env->keep, n, sizeof(*ret)) : NULL;

	for (uint32_t i = 0; i < n; i++)
		ret[i] = place_one_word(env, words[i]);
	return ret;
}

bool link_attachment(struct env *env, const struct link_rec *r, struct attachment *ret)
{
	if (r->gone)
		return false;
	*ret = r->at;
	ret->where = place_one_word(env, r->at.where ? r->at.where : arena_fmt(env->arena, "link:%u", r->info.id));
	ret->what = place_one_word(env, r->at.what);
	ret->detail = r->at.detail ? arena_str(env->keep, r->at.detail, SIZE_MAX) : NULL;
	ret->funcs = words_keep(env, r->at.funcs, r->at.nfuncs);
	ret->func_places = words_keep(env, r->at.func_places, r->at.nfuncs);
	return true;
}

static void links_collect(struct env *env, const struct records *recs, struct hash *ret)
{
	hash_init(ret, env->keep);
	for (size_t i = 0; i < recs->n; i++) {
		uint32_t id = attachment_at(recs, i)->link_id;

		if (id)
			*hash_put(ret, id) = ret;
	}
}

static void one_link(struct env *env, uint32_t id, struct records *ret)
{
	struct link_rec *r = arena_alloc(env->arena, sizeof(*r));
	struct attachment a;
	struct err why = { 0 };
	int err = link_read(env, env->arena, id, NEED_TARGET | NEED_SYMBOLS, r, &why);

	if (err == -ENOENT)
		return;
	if (err)
		report_unread(env->report, &why);
	else if (link_attachment(env, r, &a))
		*attachment_add(ret, env) = a;
}

static int place_link_list(struct env *env, struct records *ret, struct err *e)
{
	const struct link_brief *all;
	struct hash listed;
	size_t n;
	int err = link_all(env, &all, &n, e);

	if (err)
		return err;
	links_collect(env, ret, &listed);
	for (size_t i = 0; i < n; i++) {
		ARENA_SCOPE(env->arena);

		if (hash_get(&listed, all[i].id))
			continue;
		one_link(env, all[i].id, ret);
		env_progress(env, "read", ret->n);
	}
	return 0;
}

const struct place place_link = {
	.name = "link",
	.help = "links of all other types",
	.list = place_link_list,
};
