/* SPDX-License-Identifier: BSD-2-Clause */
#include "events/followed.h"

#include "kernel/perf/sideband.h"

void followed_init(struct followed *t, struct arena *a)
{
	*t = (struct followed){ .all = true };
	hash_init(&t->member, a);
}

void followed_add(struct followed *t, uint32_t pid)
{
	t->all = false;
	*hash_put(&t->member, pid) = t;
}

void followed_note(struct followed *t, const struct sideband_record *r)
{
	if (t->all || (r->kind != SIDEBAND_FORK && r->kind != SIDEBAND_EXIT) || r->task.pid != r->task.tid)
		return;
	if (r->kind == SIDEBAND_FORK && followed_has(t, r->task.parent_pid))
		followed_add(t, r->task.pid);
	else if (r->kind == SIDEBAND_EXIT && followed_has(t, r->task.pid))
		*hash_put(&t->member, r->task.pid) = NULL;
}

bool followed_has(const struct followed *t, uint32_t pid)
{
	return t->all || (pid && hash_get(&t->member, pid));
}
