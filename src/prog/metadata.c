/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/prog.h"

#include "types/btf.h"
#include "types/value/value.h"
#include "cli/env.h"
#include "source/elems.h"
#include "source/info.h"

#define PREFIX "bpf_metadata_"
#define MAP_TYPE_ARRAY 2

/* Facts about a map, kept for the rest of the command. */
struct known_map {
	bool rodata;
	int err;
	struct prog_metadata *vars;
	uint32_t n;
};

static bool is_metadata(const struct btf_types *t, uint32_t var)
{
	const struct btf_type *type = btf_type(t, var);

	return type && btf_kind_of(type) == BTF_KIND_VAR && str_starts(btf_name(t, var), PREFIX);
}

static uint32_t vars_count(const struct btf_types *t, const struct btf_type *section)
{
	const struct btf_var_secinfo *vars = btf_vars_of(section);
	uint32_t n = 0;

	for (unsigned i = 0; i < btf_vlen_of(section); i++)
		n += is_metadata(t, vars[i].type);
	return n;
}

static void vars_read(struct env *env, const struct btf_types *t, const struct btf_type *section,
		      const unsigned char *value, size_t size, struct known_map *m)
{
	enum value_form form = value_form_of(env);
	const struct btf_var_secinfo *vars = btf_vars_of(section);
	ARENA scratch = arena_new();

	for (unsigned i = 0; i < btf_vlen_of(section); i++) {
		struct prog_metadata *v = &m->vars[m->n];
		const struct value_plan *plan;

		if (!is_metadata(t, vars[i].type) || vars[i].offset > size)
			continue;
		v->name = arena_fmt(env->keep, "%s", btf_name(t, vars[i].type) + strlen(PREFIX));
		plan = value_plan(t, btf_type(t, vars[i].type)->type, form, scratch);
		v->value = value_line(value_plan_unique(plan, scratch), value + vars[i].offset, size - vars[i].offset,
				      env->keep);
		m->n++;
	}
}

static int values_read(struct env *env, struct arena *a, uint32_t id, const struct abi_map_info *info,
		       struct known_map *m)
{
	const struct btf_type *section;
	const struct btf_types *t;
	struct elems batch = { .cursor = "" };
	uint32_t n;
	int err = btf_get(env->machine, info->btf_id, &t, NULL);

	if (err)
		return err;
	section = btf_type(t, info->btf_value_type_id);
	if (!section || btf_kind_of(section) != BTF_KIND_DATASEC)
		return 0;
	n = vars_count(t, section);
	if (!n)
		return 0;
	err = elems_get(env->machine, a, id, info->key_size, info->value_size, &batch);
	if (err)
		return err;
	if (!batch.head.count)
		return 0;
	err = elems_err(batch.elems);
	if (err)
		return err < 0 ? err : -EBADMSG;
	m->vars = arena_array(env->keep, n, sizeof(*m->vars));
	vars_read(env, t, section, elems_key(batch.elems) + info->key_size, info->value_size, m);
	return 0;
}

static void map_look(struct env *env, struct arena *a, uint32_t id, struct known_map *m)
{
	struct abi_map_info info;
	uint32_t len;

	m->err = info_get(env->machine, a, OBJECT_MAP, id, &info, sizeof(info), &len);
	if (m->err == -ENOENT)
		m->err = 0;
	else if (!m->err)
		m->rodata = info.type == MAP_TYPE_ARRAY && info.key_size == 4 && info.max_entries == 1 && info.btf_id &&
			    info.btf_value_type_id &&
			    memmem(info.name, sizeof(info.name), ".rodata", strlen(".rodata"));
	if (m->rodata)
		m->err = values_read(env, a, id, &info, m);
}

static struct known_map *map_known(struct env *env, uint32_t id)
{
	struct hash *h = env->memo[OBJECT_PROG];
	struct known_map *m;

	if (!h) {
		h = arena_alloc(env->keep, sizeof(*h));
		hash_init(h, env->keep);
		env->memo[OBJECT_PROG] = h;
	}
	m = hash_get(h, id);
	if (m)
		return m;
	m = arena_alloc(env->keep, sizeof(*m));
	map_look(env, env->arena, id, m);
	*hash_put(h, id) = m;
	return m;
}

int prog_metadata_read(struct env *env, const uint32_t *map_ids, uint32_t n, const struct prog_metadata **ret,
		       uint32_t *ret_n)
{
	int err = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct known_map *m = map_known(env, map_ids[i]);

		if (m->err && !err)
			err = m->err;
		if (!m->rodata)
			continue;
		if (m->err)
			return m->err;
		*ret = m->vars;
		*ret_n = m->n;
		return 0;
	}
	if (err)
		return err;
	*ret = NULL;
	*ret_n = 0;
	return 0;
}
