/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/order.h"

#include "base/bytes.h"
#include "types/types.h"

#define MAX_CHAIN 256

/*
 * Types of the same name are in the order of a number made of their structure, so that the one that has the name in C,
 * and the one that gets a suffix, are the same as with bpftool, and do not depend on ids. What is in it was found by
 * comparing headers.
 */
static uint64_t mix(uint64_t h, uint64_t v)
{
	return h * 31 + v;
}

/* A name that is missing changes nothing. */
static uint64_t mix_name(uint64_t h, const struct btf_types *t, uint32_t off)
{
	uint64_t v = 0;

	if (!off)
		return h;
	for (const char *s = str_at(t, off); *s; s++)
		v = mix(v, (uint64_t)(int64_t)(signed char)*s);
	return mix(h, v);
}

static uint64_t shape(const struct btf_types *t, uint32_t id, bool members, unsigned depth);

static uint64_t members_mix(uint64_t h, const struct btf_types *t, const struct btf_type *type, unsigned depth)
{
	const struct btf_member *m = btf_members_of(type);

	for (unsigned i = 0; i < btf_vlen_of(type); i++) {
		h = mix_name(h, t, m[i].name_off);
		h = mix(h, shape(t, m[i].type, false, depth));
	}
	return h;
}

static uint64_t enumerators_mix(uint64_t h, const struct btf_types *t, const struct btf_type *type)
{
	for (unsigned i = 0; i < btf_vlen_of(type); i++)
		h = mix_name(h, t,
			     btf_kind_of(type) == BTF_KIND_ENUM ? btf_enums_of(type)[i].name_off :
								  btf_enums64_of(type)[i].name_off);
	return h;
}

/* Is it a typedef, qualifier, pointer or array? Sets the type that it refers to. */
static bool refers(const struct btf_type *type, uint32_t *ret)
{
	switch (btf_kind_of(type)) {
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_PTR:
	case BTF_KIND_TYPE_TAG:
		*ret = type->type;
		return true;
	case BTF_KIND_ARRAY:
		*ret = btf_array_of(type)->type;
		return true;
	default:
		return false;
	}
}

static uint64_t shape(const struct btf_types *t, uint32_t id, bool members, unsigned depth)
{
	const struct btf_type *type = depth < MAX_CHAIN ? type_at(t, id) : NULL;
	uint32_t to;
	uint64_t h;

	if (!type)
		return 0;
	h = mix_name(0, t, type->name_off);
	switch (btf_kind_of(type)) {
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return enumerators_mix(h, t, type);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return members ? members_mix(h, t, type, depth + 1) : h;
	case BTF_KIND_DECL_TAG:
		return mix(h, shape(t, type->type, members, depth + 1));
	default:
		if (btf_kind_of(type) == BTF_KIND_ARRAY)
			h = mix(h, btf_array_of(type)->nelems);
		return refers(type, &to) ? mix(h, shape(t, to, members, depth + 1)) : h;
	}
}

enum rank { RANK_UNNAMED_ENUM, RANK_ENUM, RANK_NUMBER, RANK_COMPOSITE, RANK_PROTO, RANK_REST };
struct order_entry {
	uint8_t rank;
	uint32_t id;
	uint64_t begin; /* the first letters of the name, compared as a number */
	uint64_t shape; /* only if names are equal */
	const char *name, *own;
};

static int by_rank_and_name(const void *pa, const void *pb)
{
	const struct order_entry *a = pa, *b = pb;

	return NUM_CMP(a->rank, b->rank)	   ?:
		       NUM_CMP(a->begin, b->begin) ?:
		       strcmp(a->name, b->name)	   ?:
		       strcmp(a->own, b->own)	   ?:
		       NUM_CMP(a->shape, b->shape) ?:
						     NUM_CMP(a->id, b->id);
}

static bool same_names(const struct order_entry *a, const struct order_entry *b)
{
	return a->rank == b->rank && a->begin == b->begin && !strcmp(a->name, b->name) && !strcmp(a->own, b->own);
}

/* Most names are unique, so the shapes are computed for the others only. */
static void equals_sort(const struct btf_types *t, struct order_entry *list, size_t n)
{
	for (size_t end, i = 0; i < n; i = end) {
		for (end = i + 1; end < n && same_names(&list[i], &list[end]); end++)
			;
		if (end == i + 1)
			continue;
		for (size_t k = i; k < end; k++)
			list[k].shape = shape(t, list[k].id, true, 0);
		qsort(list + i, end - i, sizeof(*list), by_rank_and_name);
	}
}

/* Skips typedefs, qualifiers, pointers and arrays. */
static const struct btf_type *referred(const struct btf_types *t, const struct btf_type *type)
{
	uint32_t to;

	for (unsigned i = 0; i < MAX_CHAIN; i++) {
		if (!type || !refers(type, &to))
			return type;
		type = type_at(t, to);
	}
	return NULL;
}

static enum rank rank_of(const struct btf_type *type, bool named)
{
	switch (type ? btf_kind_of(type) : BTF_KIND_UNKN) {
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return named ? RANK_ENUM : RANK_UNNAMED_ENUM;
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
		return RANK_NUMBER;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return RANK_COMPOSITE;
	case BTF_KIND_FUNC_PROTO:
		return named ? RANK_PROTO : RANK_REST;
	default:
		return RANK_REST;
	}
}

/*
 * Unnamed types are written where they are used; only enumerators are visible outside. Prototypes and tags are not
 * written, but the types that they need are.
 */
static bool is_defined(const struct btf_type *type)
{
	switch (btf_kind_of(type)) {
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_FUNC_PROTO:
		return true;
	case BTF_KIND_UNKN:
	case BTF_KIND_FUNC:
	case BTF_KIND_VAR:
	case BTF_KIND_DATASEC:
	case BTF_KIND_DECL_TAG:
		return false;
	default:
		return type->name_off;
	}
}

static uint64_t begin_of(const char *name)
{
	char begin[sizeof(uint64_t)] = { 0 };

	memcpy(begin, name, strnlen(name, sizeof(begin)));
	return load_uint(begin, sizeof(begin), true);
}

static void entry_fill(const struct btf_types *t, uint32_t id, const struct btf_type *type, struct order_entry *ret)
{
	const struct btf_type *other = referred(t, type);
	uint32_t name = other ? other->name_off : 0;

	if (other == type && !name && btf_vlen_of(type) && btf_kind_of(type) != BTF_KIND_FUNC_PROTO)
		name = btf_kind_of(type) == BTF_KIND_ENUM ? btf_enums_of(type)->name_off :
							    btf_enums64_of(type)->name_off;
	ret->id = id;
	ret->rank = (uint8_t)rank_of(other, type->name_off);
	ret->name = str_at(t, name);
	ret->own = str_at(t, type->name_off);
	ret->begin = begin_of(ret->name);
}

const uint32_t *order_by_name(const struct btf_types *t, struct arena *a, size_t *ret_n)
{
	uint32_t id, *ids;
	struct order_entry *list;
	size_t n = 0, i = 0;

	for (id = t->start; id < t->count; id++)
		n += is_defined(type_at(t, id));
	list = arena_array(a, n, sizeof(*list));
	ids = arena_array(a, n, sizeof(*ids));
	for (id = t->start; id < t->count; id++)
		if (is_defined(type_at(t, id)))
			entry_fill(t, id, type_at(t, id), &list[i++]);
	qsort(list, n, sizeof(*list), by_rank_and_name);
	equals_sort(t, list, n);
	for (i = 0; i < n; i++)
		ids[i] = list[i].id;
	*ret_n = n;
	return ids;
}
