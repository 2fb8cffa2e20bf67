/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/pointers.h"

#include "base/base.h"
#include "types/types.h"

#define SMALL 4u
#define LARGE 8u

/* 0: there is none. */
static uint32_t long_size(const struct btf_types *t)
{
	static const char *const longs[] = { "long int", "long unsigned int", "long", "unsigned long" };

	for (uint32_t id = t->start; id < t->count; id++) {
		const struct btf_type *type = type_at(t, id);

		for (size_t i = 0; btf_kind_of(type) == BTF_KIND_INT && i < ARRAY_SIZE(longs); i++)
			if ((type->size == SMALL || type->size == LARGE) &&
			    !strcmp(str_at(t, type->name_off), longs[i]))
				return type->size;
	}
	return 0;
}

static uint64_t bits_at(const struct btf_type *type, unsigned i)
{
	uint32_t at = btf_members_of(type)[i].offset;

	return BTF_INFO_KFLAG(type->info) ? BTF_MEMBER_BIT_OFFSET(at) : at;
}

/* Are the members that are pointers, or arrays of them, before the next member and the end, with this size? */
static bool members_fit(const struct btf_types *t, const struct btf_type *type)
{
	const bool is_struct = btf_kind_of(type) == BTF_KIND_STRUCT;
	uint64_t end = (uint64_t)type->size * 8, size;

	for (unsigned i = btf_vlen_of(type); i-- > 0;) {
		uint64_t at = bits_at(type, i);

		if (!btf_size(t, btf_members_of(type)[i].type, &size) && (at > end || size > (end - at) / 8))
			return false;
		end = is_struct ? at : end;
	}
	return true;
}

static bool all_fit(const struct btf_types *t)
{
	for (uint32_t id = t->start; id < t->count; id++) {
		const struct btf_type *type = type_at(t, id);
		const unsigned kind = btf_kind_of(type);

		if ((kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION) && !members_fit(t, type))
			return false;
	}
	return true;
}

void pointers_measure(struct btf_types *t)
{
	t->ptr_size = t->base ? t->base->ptr_size : long_size(t);
	if (t->ptr_size)
		return;
	t->ptr_size = LARGE;
	if (all_fit(t))
		return;
	t->ptr_size = SMALL;
	t->ptr_by_members = all_fit(t);
	t->ptr_size = t->ptr_by_members ? SMALL : LARGE;
}
