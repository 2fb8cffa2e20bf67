/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/kind.h"

#include "cli/env.h"
#include "record/edge.h"
#include "record/field.h"

const struct kind *kind_of(enum object_kind object)
{
	size_t i = 0;

	while (kinds[i] && kinds[i]->object != object)
		i++;
	return kinds[i];
}

struct object_label kind_label(struct env *env, const struct kind *k, uint32_t id)
{
	struct hash *labels = env->memo[MEMO_LABELS];
	const uint64_t key = (uint64_t)(uintptr_t)k << 32 | id;
	struct object_label *ret = labels ? hash_get(labels, key) : NULL, l = { "", "", "" };
	struct err why = { 0 };
	ARENA_SCOPE(env->arena);
	int err;

	if (ret)
		return *ret;
	err = k->label(env, env->arena, id, &l, &why);
	if (!env->memo[MEMO_LABELS])
		hash_init(env->memo[MEMO_LABELS] = arena_alloc(env->keep, sizeof(*labels)), env->keep);
	ret = *hash_put(env->memo[MEMO_LABELS], key) = arena_alloc(env->keep, sizeof(*ret));
	ret->type = arena_str(env->keep, l.type, SIZE_MAX);
	ret->name = arena_str(env->keep, l.name, SIZE_MAX);
	ret->tag = arena_str(env->keep, l.tag, SIZE_MAX);
	ret->avail = !err ? AVAIL_YES : err == -ENOENT ? AVAIL_NO : AVAIL_UNKNOWN;
	return *ret;
}

unsigned kind_need(const struct kind *k, uint32_t without)
{
	unsigned need = schema_need(k->schema, without);
	size_t i;

	for (i = 0; k->parts && k->parts[i]; i++)
		need |= schema_need(k->parts[i], without);
	return need;
}

unsigned kind_edge_need(const struct kind *k, unsigned skip)
{
	unsigned need = edge_need(k->schema, skip);

	for (size_t i = 0; k->parts && k->parts[i]; i++)
		need |= edge_need(k->parts[i], skip);
	return need;
}
