/* SPDX-License-Identifier: BSD-2-Clause */
#include "cgroup/hook.h"

#include "cli/env.h"
#include "kernel/hooks.h"

const struct hook *cgroup_hook_find(const char *word, bool alias)
{
	const struct hook *h = hook_find(word, HOOK_BIT(HOOK_CGROUP));

	if (h || !alias || !*word)
		return h;
	while ((h = hook_next(h, HOOK_BIT(HOOK_CGROUP))))
		if (h->alias && str_starts(h->alias, word))
			return h;
	return hook_named(word, HOOK_BIT(HOOK_CGROUP));
}

int cgroup_site_read(struct env *env, const char *where, const struct hook *h, struct cgroup_site *ret, struct err *e)
{
	struct cgroup_reader r = { .env = env, .links = true, .bare = true };
	struct cgroup_prog *all;
	uint32_t n;
	int err = cgroup_find(env, where, &ret->id, &ret->path, e);

	if (!err)
		err = cgroup_read(&r, ret->id, ret->path, &all, &n, e);
	if (err)
		return err;
	ret->hook = h;
	ret->progs = all;
	ret->nprogs = 0;
	for (uint32_t i = 0; i < n; i++)
		if (all[i].attach_type == (uint32_t)h->type)
			ret->progs[ret->nprogs++] = all[i];
	return 0;
}
