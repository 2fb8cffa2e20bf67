/* SPDX-License-Identifier: BSD-2-Clause */

#include "types/value/plan.h"
#include "source/keys.h"

/* How many members have the name by now. */
static uintptr_t name_count(struct keys *names, const char *name)
{
	void **slot = keys_put(names, name);

	if (!slot) /* an attack on the hash */
		return 1;
	*slot = (void *)((uintptr_t)*slot + 1);
	return (uintptr_t)*slot;
}

static void members_rename(const struct value_plan *p, struct step *step, uint32_t i, struct arena *a)
{
	ARENA scratch = arena_new();
	struct keys names;

	keys_init(&names, scratch);
	for (uint32_t j = i + 1; j < step[i].end - 1; j = step_next(p, j)) {
		const int len = (int)step[j].name_len;
		const char *name = step[j].name;
		uintptr_t n = name ? name_count(&names, name) : 1;

		if (n == 1)
			continue;
		do {
			step[j].name = arena_fmt(a, "%.*s#%ju\"", len - 1, name, (uintmax_t)n++);
			step[j].name_len = (uint32_t)strlen(step[j].name);
		} while (name_count(&names, step[j].name) > 1);
	}
}

struct value_plan *value_plan_unique(const struct value_plan *p, struct arena *a)
{
	struct value_plan *ret = arena_dup(a, p, sizeof(*p));
	struct step *step = arena_dup(a, p->step, p->n * sizeof(*p->step));

	for (uint32_t i = 0; i < p->n; i++)
		if (step_op(&p->step[i]) == STEP_OBJECT)
			members_rename(p, step, i, a);
	ret->step = step;
	return ret;
}
