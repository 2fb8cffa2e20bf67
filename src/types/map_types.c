/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/map_types.h"

#include "types/btf.h"

struct maps_found {
	const struct btf_types *t;
	struct arena *arena;
	struct map_types *maps;
	size_t n, cap;
};

uint32_t btf_pointed_to(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *type = btf_resolved(t, id);

	return type && btf_kind_of(type) == BTF_KIND_PTR ? type->type : 0;
}

/* @pointers: the members point to the types, and are not of them. */
static void map_found(struct maps_found *f, const char *name, const struct btf_type *def, bool pointers)
{
	struct map_types m = { .name = name };

	for (unsigned i = 0; i < btf_vlen_of(def); i++) {
		const struct btf_member *member = &btf_members_of(def)[i];
		const char *part = btf_str(f->t, member->name_off);
		const uint32_t id = pointers ? btf_pointed_to(f->t, member->type) : member->type;

		if (!strcmp(part, "key"))
			m.key = id;
		else if (!strcmp(part, "value"))
			m.value = id;
	}
	if (!m.key && !m.value)
		return;
	ARENA_MORE(f->arena, f->maps, f->n, f->cap);
	f->maps[f->n++] = m;
}

static void definitions_find(struct maps_found *f)
{
	const uint32_t id = btf_find(f->t, ".maps", BTF_KIND_DATASEC);
	const struct btf_type *sec = id ? btf_type(f->t, id) : NULL;

	for (unsigned i = 0; sec && i < btf_vlen_of(sec); i++) {
		const struct btf_type *var = btf_resolved(f->t, btf_vars_of(sec)[i].type);
		const struct btf_type *def =
			var && btf_kind_of(var) == BTF_KIND_VAR ? btf_resolved(f->t, var->type) : NULL;

		if (def && btf_kind_of(def) == BTF_KIND_STRUCT)
			map_found(f, btf_str(f->t, var->name_off), def, true);
	}
}

static void markers_find(struct maps_found *f)
{
	static const char prefix[] = "____btf_map_";

	for (uint32_t id = 1; id < btf_count(f->t); id++) {
		const struct btf_type *type = btf_type(f->t, id);

		if (btf_kind_of(type) == BTF_KIND_STRUCT && str_starts(btf_str(f->t, type->name_off), prefix))
			map_found(f, btf_str(f->t, type->name_off) + strlen(prefix), type, false);
	}
}

void btf_maps_find(const struct btf_types *t, struct arena *a, const struct map_types **ret, size_t *ret_n)
{
	struct maps_found f = { .t = t, .arena = a };

	definitions_find(&f);
	markers_find(&f);
	*ret = f.maps;
	*ret_n = f.n;
}
