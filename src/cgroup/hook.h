/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cgroup/read.h"

struct hook;
/* One hook of one cgroup of the running machine, for `attach` and `detach`. */

/* A hook of cgroups by its word; with @alias, also by bpftool's short word or a prefix. NULL: none. */
const struct hook *cgroup_hook_find(const char *word, bool alias);

/* The hook and the programs attached there now. */
struct cgroup_site {
	const struct hook *hook;
	uint64_t id;
	const char *path;
	struct cgroup_prog *progs;
	uint32_t nprogs;
};
int cgroup_site_read(struct env *env, const char *where, const struct hook *h, struct cgroup_site *ret, struct err *e);
