/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/near.h"

#include "types/btf.h"
#include "types/types_ref.h"
#include "types/value/value.h"
#include "cli/select.h"
#include "source/info.h"

static bool uses(struct env *env, uint32_t prog, const struct abi_prog_info *info, uint32_t map)
{
	const uint32_t *maps;
	uint32_t n, i;

	if (prog_maps(env->machine, env->arena, prog, info, &maps, &n))
		return false;
	for (i = 0; i < n && maps[i] != map; i++)
		;
	return i < n;
}

static bool has_type(struct env *env, uint32_t btf, const char *name, const struct btf_types **ret,
		     const uint32_t **ids)
{
	struct err why = { 0 };
	size_t n;

	return btf && !btf_get(env->machine, btf, ret, &why) && !btf_types_find(env, *ret, name, ids, &n, &why);
}

/* In the BTF of the map, or of the first program that uses it and has the type. */
static int type_near(struct env *env, uint32_t map, uint32_t map_btf, const char *name, const struct btf_types **ret,
		     const uint32_t **ids, struct err *e)
{
	const uint32_t *progs;
	size_t n, i;
	int err;

	if (has_type(env, map_btf, name, ret, ids))
		return 0;
	err = select_all(env, &kind_prog, &progs, &n, e);
	for (i = 0; !err && i < n; i++) {
		ARENA_SCOPE(env->arena);
		struct abi_prog_info p;
		bool is_user = !prog_info(env->machine, env->arena, progs[i], &p, NULL) && uses(env, progs[i], &p, map);

		if (is_user && has_type(env, p.btf_id, name, ret, ids))
			return 0;
	}
	if (err)
		return err;
	err_set(e, -ENOENT, "no program that uses map %u has a type '%s'", map, name);
	return err_hint(e, "give the source of the type: from prog PROG, or from file PATH");
}

int map_type_plan(struct env *env, uint32_t map, uint32_t map_btf, const char *type, const struct types_ref *from,
		  const struct value_plan **ret, uint64_t *ret_size, struct err *e)
{
	const struct btf_types *t;
	const uint32_t *ids;
	int err = 0;
	size_t n;

	if (!type)
		return from->by == TYPES_NONE ? 0 :
						err_usage(e, "'from' is a source of types: name the type with 'type'");
	if (from->by == TYPES_NONE)
		err = type_near(env, map, map_btf, type, &t, &ids, e);
	else if (!(err = btf_types_get(env, from, &t, e)))
		err = btf_types_find(env, t, type, &ids, &n, e);
	if (err)
		return err;
	if (btf_size(t, ids[0], ret_size) || !*ret_size)
		return err_set(e, -EINVAL, "type '%s' cannot be printed: it has no size", type);
	*ret = value_plan(t, ids[0], value_form_of(env), env->keep);
	return 0;
}
