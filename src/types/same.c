/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/same.h"

#include "types/btf.h"

#define DEPTH_MOST 64

/* Two types, and how deep they are nested. */
struct pair {
	const struct btf_types *a, *b;
	unsigned depth;
};
static bool types_are_same(const struct pair *p, uint32_t a_id, uint32_t b_id);

static bool members_are_same(const struct pair *p, const struct btf_type *a, const struct btf_type *b)
{
	const struct btf_member *x = btf_members_of(a), *y = btf_members_of(b);

	for (unsigned i = 0; i < btf_vlen_of(a); i++)
		if (x[i].offset != y[i].offset ||
		    strcmp(btf_str(p->a, x[i].name_off), btf_str(p->b, y[i].name_off)) != 0 ||
		    !types_are_same(p, x[i].type, y[i].type))
			return false;
	return true;
}

static bool variables_are_same(const struct pair *p, const struct btf_type *a, const struct btf_type *b)
{
	const struct btf_var_secinfo *x = btf_vars_of(a), *y = btf_vars_of(b);

	for (unsigned i = 0; i < btf_vlen_of(a); i++) {
		const struct btf_type *v = btf_type(p->a, x[i].type), *w = btf_type(p->b, y[i].type);

		if (!v || !w || x[i].offset != y[i].offset || x[i].size != y[i].size ||
		    strcmp(btf_name(p->a, x[i].type), btf_name(p->b, y[i].type)) != 0 ||
		    !types_are_same(p, v->type, w->type))
			return false;
	}
	return true;
}

static bool types_are_same(const struct pair *above, uint32_t a_id, uint32_t b_id)
{
	const struct pair p = { above->a, above->b, above->depth + 1 };
	const struct btf_type *a = btf_resolved(p.a, a_id), *b = btf_resolved(p.b, b_id);
	const bool sized = a && b && a->size == b->size;

	if (!a || !b || btf_kind_of(a) != btf_kind_of(b) || p.depth > DEPTH_MOST)
		return !a && !b;
	switch (btf_kind_of(a)) {
	case BTF_KIND_INT:
		return sized && !memcmp(a + 1, b + 1, sizeof(uint32_t));
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_FLOAT:
		return sized;
	case BTF_KIND_ARRAY:
		return btf_array_of(a)->nelems == btf_array_of(b)->nelems &&
		       types_are_same(&p, btf_array_of(a)->type, btf_array_of(b)->type);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return sized && a->info == b->info && members_are_same(&p, a, b);
	case BTF_KIND_DATASEC:
		return btf_vlen_of(a) == btf_vlen_of(b) && variables_are_same(&p, a, b);
	default:
		return true;
	}
}

bool btf_is_same(const struct btf_types *a, uint32_t a_id, const struct btf_types *b, uint32_t b_id)
{
	const struct pair p = { a, b, 0 };

	return types_are_same(&p, a_id, b_id);
}
