/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CGROUP_HOOK_H
#define CGROUP_HOOK_H

#include <stdbool.h>
#include <stdint.h>
#include "cgroup/read.h"

struct env; struct err; struct cgroup_hook;
/* Changing what runs at one hook of one cgroup. Live only. */

/* A hook by the name of its attach type, or with @alias by bpftool's short word for it or what it begins with. NULL: none. */
const struct cgroup_hook *cgroup_hook_find(const char *word, bool alias);
const char *cgroup_hook_name(const struct cgroup_hook *h);

/* What runs there now. */
struct cgroup_site {
	const struct cgroup_hook *hook;
	uint64_t id;
	const char *path;
	struct cgroup_prog *progs;
	uint32_t nprogs;
};
int cgroup_site_read(struct env *env, const char *where, const struct cgroup_hook *h, struct cgroup_site *ret, struct err *e);

#endif
