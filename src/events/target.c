/* SPDX-License-Identifier: BSD-2-Clause */
#include "events/target.h"

#include "kernel/sideband.h"

void target_init(struct target *t, struct arena *a)
{
	*t = (struct target){ .all = true };
	hash_init(&t->member, a);
}

void target_add(struct target *t, uint32_t pid)
{
	t->all = false;
	*hash_put(&t->member, pid) = t;
}

void target_hear(struct target *t, const struct sideband_record *r)
{
	if (t->all || (r->kind != SIDEBAND_FORK && r->kind != SIDEBAND_EXIT) || r->task.pid != r->task.tid)
		return;
	if (r->kind == SIDEBAND_FORK && target_has(t, r->task.parent_pid))
		target_add(t, r->task.pid);
	else if (r->kind == SIDEBAND_EXIT && target_has(t, r->task.pid))
		*hash_put(&t->member, r->task.pid) = NULL;
}

bool target_has(const struct target *t, uint32_t pid)
{
	return t->all || (pid && hash_get(&t->member, pid));
}
