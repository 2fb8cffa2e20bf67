/* SPDX-License-Identifier: BSD-2-Clause */
#include "cgroup/hook.h"

#include <string.h>

#include "base/str.h"
#include "cli/env.h"
#include "host/cgroups.h"
#include "kernel/names.h"

const char *cgroup_hook_name(const struct cgroup_hook *h)
{
	return names_of(&names_attach_type, h->attach_type);
}

const struct cgroup_hook *cgroup_hook_find(const char *word, bool alias)
{
	for (size_t i = 0; i < ncgroup_hooks; i++)
		if (!strcmp(word, cgroup_hook_name(&cgroup_hooks[i])))
			return &cgroup_hooks[i];
	for (size_t i = 0; alias && *word && i < ncgroup_hooks; i++)
		if (cgroup_hooks[i].alias && str_starts(cgroup_hooks[i].alias, word))
			return &cgroup_hooks[i];
	return NULL;
}

int cgroup_site_read(struct env *env, const char *where, const struct cgroup_hook *h, struct cgroup_site *ret, struct err *e)
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
		if (all[i].attach_type == h->attach_type)
			ret->progs[ret->nprogs++] = all[i];
	return 0;
}
