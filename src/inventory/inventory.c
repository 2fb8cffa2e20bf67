/* SPDX-License-Identifier: BSD-2-Clause */
#include "inventory/inventory.h"

#include "cli/env.h"
#include "cli/select.h"
#include "record/edge.h"
#include "record/field.h"
#include "source/facts.h"

_Static_assert((int)EDGE_PROG == OBJECT_PROG && (int)EDGE_MAP == OBJECT_MAP && (int)EDGE_LINK == OBJECT_LINK &&
		       (int)EDGE_BTF == OBJECT_BTF,
	       "a reference to an object has the number of its kind");

static void item_read(struct env *env, const struct kind *k, uint32_t id, struct inventory *ret)
{
	ARENA_SCOPE(env->arena);
	struct item it = { .kind = k, .id = id };
	void *rec = arena_alloc(env->keep, k->schema->rec_size);
	struct err why = { 0 };
	int err = k->label(env, env->keep, id, &it.label, &why);

	err = err ? err : k->read(env, env->keep, id, ret->need[k->object], rec, &why);
	if (err == -ENOENT)
		return;
	if (err)
		report_unread(env->report, &why);
	else
		it.rec = rec;
	ret->unread[k->object] |= err != 0;
	ret->refused[k->object] |= err && err != -ENODATA;
	ret->v = arena_more(env->keep, ret->v, ret->n, &ret->cap, sizeof(it));
	ret->v[ret->n++] = it;
	env_progress(env, "read", ret->n);
}

static void pinned_read(struct env *env, struct inventory *ret)
{
	const struct pin *pin;
	size_t n;

	if (facts_all_pins(env->machine, &pin, &n))
		return;
	for (size_t i = 0; i < n; i++)
		if (!i || pin[i].kind != pin[i - 1].kind || pin[i].id != pin[i - 1].id)
			item_read(env, kind_of(pin[i].kind), pin[i].id, ret);
}

int inventory_read(struct env *env, bool pinned, struct inventory *ret, struct err *e)
{
	struct err first = { 0 };
	bool any = false;

	machine_once(env->machine);
	for (size_t i = 0; kinds[i]; i++) {
		struct err why = { 0 };
		const uint32_t *ids;
		size_t n;

		if (select_all(env, kinds[i], &ids, &n, &why)) {
			report_add_unlisted(env->report, kinds[i]->noun, why.code);
			ret->unlisted[kinds[i]->object] = true;
			first = first.code ? first : why;
			continue;
		}
		any = true;
		for (size_t j = 0; j < n; j++)
			item_read(env, kinds[i], ids[j], ret);
	}
	if (!any && pinned)
		pinned_read(env, ret);
	if (!any && !ret->n)
		*e = first;
	return e->code;
}
