/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/assumed.h"

#include "types/btf.h"
#include "types/map_types.h"
#include "types/types_ref.h"
#include "kernel/abi.h"

#define NAME_KEPT 15u /* characters of a map's name that the kernel keeps */
enum { KEY, VALUE, PARTS };
static const char *const part_words[PARTS] = { "key", "value" };

int assumed_find(struct env *env, const struct btf_types *t, const char *name, const char *what, uint32_t *size,
		 uint32_t *ret, struct err *e)
{
	const uint32_t *ids;
	uint64_t bytes;
	size_t n;
	int err = btf_types_find(env, t, name, &ids, &n, e);

	if (err)
		return err;
	if (btf_size(t, ids[0], &bytes) || !bytes || bytes > UINT32_MAX)
		return err_usage(e, "%ss cannot be of type '%.64s'", what, name);
	if (*size && *size != bytes)
		return err_usage(e, "a %s of %u bytes cannot be of type '%.64s', which has %llu", what, *size, name,
				 llu(bytes));
	*size = (uint32_t)bytes;
	*ret = ids[0];
	return 0;
}

static int named_find(struct env *env, const struct btf_types *t, const char *const *names, uint32_t *sizes,
		      uint32_t *ids, struct err *e)
{
	for (unsigned i = 0; i < PARTS; i++) {
		int err = !names[i] ? 0 :
			  sizes[i]  ? assumed_find(env, t, names[i], part_words[i], &sizes[i], &ids[i], e) :
				      err_usage(e, "its elements have no %s", part_words[i]);

		if (err)
			return err;
	}
	return 0;
}

static bool type_fits(const struct btf_types *t, uint32_t id, uint32_t size)
{
	uint64_t bytes;

	return !id || (!btf_size(t, id, &bytes) && bytes == size);
}

/* Names that are equal as far as the kernel keeps them may be of several maps: their sizes decide. */
static int declared_find(struct env *env, const struct btf_types *t, const struct abi_map_info *info,
			 const struct types_ref *from, uint32_t *ids, struct err *e)
{
	const char *name = arena_str(env->keep, info->name, sizeof(info->name));
	const struct map_types *m, *found = NULL;
	size_t n, named = 0;

	btf_maps_find(t, env->keep, &m, &n);
	for (size_t i = 0; *name && i < n; i++) {
		const bool same = !strcmp(m[i].name, name);

		if (!same && (strlen(name) < NAME_KEPT || !str_starts(m[i].name, name)))
			continue;
		named++;
		if (!type_fits(t, m[i].key, info->key_size) || !type_fits(t, m[i].value, info->value_size))
			continue;
		if (found && !same && (found->key != m[i].key || found->value != m[i].value)) {
			err_set(e, -EINVAL, "both %.64s and %.64s are declared there", found->name, m[i].name);
			return err_hint(e, "name its types with key_type and value_type");
		}
		found = &m[i];
		if (same)
			break;
	}
	if (!found) {
		if (named)
			err_set(e, -EINVAL,
				"'%s' is declared with types of other sizes: here keys have %u and values %u bytes",
				name, info->key_size, info->value_size);
		else
			err_set(e, -ENOENT, "%s has no types of a map '%s'",
				from->by == TYPES_FILE ? from->path : "the source of types", name);
		return err_hint(e, "name its types with key_type and value_type");
	}
	ids[KEY] = found->key;
	ids[VALUE] = found->value;
	return 0;
}

int assumed_form(struct env *env, const struct abi_map_info *info, const struct assumed_opts *o, enum value_form form,
		 struct elem_form *ret, struct arena *a, struct err *e)
{
	const char *const names[PARTS] = { o->key, o->value };
	const struct value_plan *own_key = ret->key, *own_value = ret->value;
	uint32_t sizes[PARTS] = { info->key_size, info->value_size }, ids[PARTS] = { 0 };
	const struct btf_types *t;
	int err;

	if (!assumed_are_asked(o))
		return 0;
	err = btf_types_get(env, &o->from, &t, e);
	if (!err && btf_is_big(t) != ret->big)
		err = err_set(e, -EINVAL, "the types have the other byte order");
	if (!err)
		err = o->key || o->value ? named_find(env, t, names, sizes, ids, e) :
					   declared_find(env, t, info, &o->from, ids, e);
	if (err)
		return err;
	elem_form_types(ret, t, ids[KEY], ids[VALUE], form, env->machine, a);
	ret->keys = true;
	ret->key = ids[KEY] ? ret->key : own_key;
	ret->value = ids[VALUE] ? ret->value : own_value;
	return 0;
}
