/* SPDX-License-Identifier: BSD-2-Clause */
#include "doctor/check.h"

#include "cli/env.h"
#include "cli/records.h"
#include "source/facts.h"

void check_add(struct doctor *d, struct check_rec rec)
{
	*(struct check_rec *)records_add(d->checks, d->env) = rec;
}

const char *check_access(const struct doctor *d, const char *name)
{
	return facts_access(d->access, name, d->env->keep);
}
