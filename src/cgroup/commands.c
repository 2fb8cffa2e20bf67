/* SPDX-License-Identifier: BSD-2-Clause */

#include "cgroup/cgroup.h"
#include "cgroup/commands.h"
#include "cgroup/read.h"

static const char *dir_name(const struct cgroup_dir *c)
{
	const char *last = strrchr(c->path, '/');

	return last && !c->root ? last + 1 : "";
}

/* Offers the last part of a path, such as the name of a unit, if only one cgroup has it. */
static void offer_units(const struct cgroup_dir *all, size_t n, const char *typed, arg_offer *offer, void *ctx)
{
	for (size_t i = 0; i < n; i++) {
		const char *name = dir_name(&all[i]);
		size_t same = 0;

		if (!*name || !str_starts(name, typed))
			continue;
		for (size_t k = 0; k < n; k++)
			same += !strcmp(dir_name(&all[k]), name);
		if (same == 1)
			offer(ctx, name, all[i].path);
	}
}

void cgroup_offer(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	size_t n, len, typed_len = strlen(typed);
	const struct cgroup_dir *all;
	const char *last = "";
	struct err none = { 0 };

	if (cgroup_all(env, &all, &n, &none))
		return;
	for (size_t i = 0; i < n; i++) {
		if (!str_starts(all[i].path, typed))
			continue;
		/* Paths are sorted: descendants follow, and are offered after the next slash. */
		len = strlen(last);
		if (len && !strncmp(all[i].path, last, len) && all[i].path[len] == '/' && len >= typed_len)
			continue;
		offer(ctx, all[i].path, NULL);
		last = all[i].path;
	}
	if (*typed && !strchr(typed, '/'))
		offer_units(all, n, typed, offer, ctx);
}

const struct command *const cgroup_commands[] = {
	&cgroup_show, &cgroup_list, &cgroup_tree_command, &cgroup_attach, &cgroup_detach, NULL,
};
