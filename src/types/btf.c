/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/types.h"

#define MAX_CHAIN 256 /* chained typedefs and qualifiers, more than any compiler makes */
#define MAX_DIMENSIONS 64

uint32_t btf_count(const struct btf_types *t)
{
	return t->count;
}
bool btf_is_big(const struct btf_types *t)
{
	return t->big;
}
uint32_t btf_pointer_size(const struct btf_types *t)
{
	return t->ptr_size;
}
void btf_pointers_set(struct btf_types *t, uint32_t bytes)
{
	t->ptr_size = bytes;
	t->ptr_by_members = false;
}
bool btf_guesses_pointers(const struct btf_types *t)
{
	return t->ptr_by_members;
}
uint32_t btf_start(const struct btf_types *t)
{
	return t->start;
}

static int unknown_kind(const struct btf_types *t, uint32_t id, const struct btf_type *type, const char *effect,
			struct err *e)
{
	const char *name = str_at(t, type->name_off), *quote = *name ? "'" : "";

	return err_set(e, -EOPNOTSUPP, "BTF type %u%s%s%s%s has the unknown kind %u%s", id, *name ? " " : "", quote,
		       name, quote, ABI_BTF_KIND(type->info), effect);
}

int btf_whole(const struct btf_types *t, struct err *e)
{
	return t->cut ? unknown_kind(t, t->count, (const void *)(t->types + t->types_len),
				     " and no size in a layout section; it and all types after it cannot be used", e) :
			0;
}

int btf_check_known(const struct btf_types *t, struct err *e)
{
	if (btf_whole(t, e))
		return -EOPNOTSUPP;
	return t->unknown ? unknown_kind(t, t->unknown, type_at(t, t->unknown), "", e) : 0;
}

const struct btf_type *btf_type(const struct btf_types *t, uint32_t id)
{
	return type_at(t, id);
}
const char *btf_str(const struct btf_types *t, uint32_t off)
{
	return str_at(t, off);
}

const char *btf_name(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *type = type_at(t, id);

	return type ? btf_str(t, type->name_off) : "";
}

uint32_t btf_resolve(const struct btf_types *t, uint32_t id)
{
	unsigned i;

	for (i = 0; i < MAX_CHAIN; i++) {
		const struct btf_type *type = type_at(t, id);

		if (!type)
			return 0;
		switch (btf_kind_of(type)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
		case BTF_KIND_DECL_TAG:
			id = type->type;
			break;
		default:
			return id;
		}
	}
	return 0;
}

int btf_size(const struct btf_types *t, uint32_t id, uint64_t *ret)
{
	uint64_t times = 1, size;
	unsigned i;

	for (i = 0; i < MAX_DIMENSIONS; i++) {
		const struct btf_type *type = type_at(t, btf_resolve(t, id));

		switch (type ? btf_kind_of(type) : BTF_KIND_UNKN) {
		case BTF_KIND_ARRAY:
			if (__builtin_mul_overflow(times, (uint64_t)btf_array_of(type)->nelems, &times))
				return -EINVAL;
			id = btf_array_of(type)->type;
			continue;
		case BTF_KIND_VAR:
			id = type->type;
			continue;
		case BTF_KIND_PTR:
			size = t->ptr_size;
			break;
		case BTF_KIND_INT:
		case BTF_KIND_FLOAT:
		case BTF_KIND_ENUM:
		case BTF_KIND_ENUM64:
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
		case BTF_KIND_DATASEC:
			size = type->size;
			break;
		default:
			return -EINVAL;
		}
		if (__builtin_mul_overflow(times, size, &times))
			return -EINVAL;
		*ret = times;
		return 0;
	}
	return -EINVAL;
}

uint32_t btf_find(const struct btf_types *t, const char *name, unsigned kind)
{
	const struct btf_type *type;
	uint32_t id;

	for (id = 1; id < t->count; id++) {
		type = type_at(t, id);
		if (btf_kind_of(type) == kind && !strcmp(btf_str(t, type->name_off), name))
			return id;
	}
	return 0;
}

static int64_t enum64_value(const struct btf_enum64 *e)
{
	return (int64_t)((uint64_t)e->val_hi32 << 32 | e->val_lo32);
}

const char *btf_enum_name(const struct btf_types *t, uint32_t id, int64_t value)
{
	const struct btf_type *type = type_at(t, btf_resolve(t, id));
	unsigned i, n, kind;

	kind = type ? btf_kind_of(type) : BTF_KIND_UNKN;
	n = type ? btf_vlen_of(type) : 0;
	for (i = 0; kind == BTF_KIND_ENUM && i < n; i++) {
		const struct btf_enum *e = btf_enums_of(type) + i;

		/* Unsigned enumerators are also stored in an int. */
		if (e->val == value || (uint32_t)e->val == (uint64_t)value)
			return btf_str(t, e->name_off);
	}
	for (i = 0; kind == BTF_KIND_ENUM64 && i < n; i++)
		if (enum64_value(btf_enums64_of(type) + i) == value)
			return btf_str(t, btf_enums64_of(type)[i].name_off);
	return NULL;
}
