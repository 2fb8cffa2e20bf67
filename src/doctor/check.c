/* SPDX-License-Identifier: BSD-2-Clause */
#include "doctor/check.h"

#include "cli/env.h"
#include "cli/records.h"

void check_add(struct doctor *d, struct check_rec rec)
{
	*(struct check_rec *)records_add(d->checks, d->env) = rec;
}

const char *check_access(const struct doctor *d, const char *name)
{
	const size_t n = strlen(name);

	for (const char *p = d->access; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (!str_starts(p, name) || p[n] != ' ')
			continue;
		p += n + 1;
		return *p == '-' ? NULL : arena_str(d->env->keep, p, strcspn(p, "\n"));
	}
	return NULL;
}
