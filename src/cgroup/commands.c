/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "cgroup/cgroup.h"
#include "cgroup/commands.h"
#include "cgroup/read.h"

void cgroup_offer(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	size_t n, len, typed_len = strlen(typed);
	const struct cgroup_dir *all;
	const char *last = "";
	struct err none = { 0 };

	(void)before;
	if (cgroup_all(env, &all, &n, &none))
		return;
	for (size_t i = 0; i < n; i++) {
		if (!str_starts(all[i].path, typed))
			continue;
		/* What is below comes behind it, with it as its beginning. */
		len = strlen(last);
		if (len && !strncmp(all[i].path, last, len) && all[i].path[len] == '/' && len >= typed_len)
			continue;
		offer(ctx, all[i].path, NULL);
		last = all[i].path;
	}
}

const struct command *const cgroup_commands[] = {
	&cgroup_show, &cgroup_list, &cgroup_tree_command, &cgroup_attach, &cgroup_detach, NULL,
};
