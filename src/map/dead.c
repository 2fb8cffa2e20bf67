/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/dead.h"

#include "cli/env.h"
#include "map/elem/walk.h"
#include "map/map.h"
#include "map/types.h"

struct count {
	struct dead dead;
	uint64_t n;
};

static bool dead_count(void *ctx, const unsigned char *key, int err)
{
	struct count *c = ctx;

	c->n += dead_is(&c->dead, key, err);
	return true;
}

enum avail map_dead_count(struct env *env, const struct abi_map_info *info, uint64_t *ret)
{
	ARENA_SCOPE(env->arena);
	struct count c = { 0 };
	struct err why = { 0 };
	struct walk w;
	int err;

	*ret = 0;
	if (!info->key_size || !map_type_can(info->type, VERB_EXPORT))
		return AVAIL_NO;
	walk_init(&w, env, info);
	if (walk_has_types(info))
		walk_types(&w, VALUE_FORMATTED, env->arena);
	err = dead_init(&c.dead, env, info, &w.form, false, &why);
	if (err == -EINVAL)
		return AVAIL_NO;
	if (!err)
		err = walk_begin(&w, &why);
	if (!err)
		err = walk_each(&w, dead_count, &c, &why);
	*ret = c.n;
	if (!err || err == -ENOENT)
		return err ? AVAIL_NO : AVAIL_YES;
	report_unread(env->report, &why);
	return AVAIL_UNKNOWN;
}
