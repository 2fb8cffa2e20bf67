/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/c/writer.h"

#include "types/types.h"

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define BITS 8u

void c_line(struct c_writer *w, unsigned deeper)
{
	static const char tabs[] = "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t";
	size_t len, n = w->indent + deeper;

	out_char(w->d.out, '\n');
	for (; n; n -= len) {
		len = n < sizeof(tabs) - 1 ? n : sizeof(tabs) - 1;
		out_bytes(w->d.out, tabs, len);
	}
}

static uint64_t up(uint64_t v, uint64_t step)
{
	return (v + step - 1) / step * step;
}

/* Skips types that have the alignment of the type they refer to. */
static const struct btf_type *element(const struct btf_types *t, uint32_t *id)
{
	const struct btf_type *type;

	while ((type = type_at(t, *id))) {
		switch (btf_kind_of(type)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			*id = type->type;
			break;
		case BTF_KIND_ARRAY:
			*id = btf_array_of(type)->type;
			break;
		default:
			return type;
		}
	}
	return NULL;
}

/*
 * The largest alignment of the members; 1 if the offset of a member is not a multiple of its alignment, or the size not
 * of the largest.
 */
static uint32_t members_align(struct c_writer *w, const struct btf_type *type)
{
	const struct btf_member *m = btf_members_of(type);
	uint32_t align, largest = 1;

	for (unsigned i = 0; i < btf_vlen_of(type); i++) {
		align = c_align(w, m[i].type);
		largest = MAX(largest, align);
		if (!(BTF_INFO_KFLAG(type->info) && BTF_MEMBER_BITFIELD_SIZE(m[i].offset)) &&
		    m[i].offset % (BITS * align))
			return 1;
	}
	return type->size % largest ? 1 : largest;
}

uint32_t c_align(struct c_writer *w, uint32_t id)
{
	const struct btf_type *type = element(w->d.t, &id);

	switch (type ? btf_kind_of(type) : BTF_KIND_UNKN) {
	case BTF_KIND_PTR:
		return w->d.t->ptr_size;
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return MAX(1u, MIN(type->size, w->d.t->ptr_size));
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		if (!w->type[id].align)
			w->type[id].align = (uint8_t)members_align(w, type);
		return w->type[id].align;
	default:
		return 1;
	}
}

bool c_struct_is_packed(struct c_writer *w, uint32_t id)
{
	const struct btf_type *type = type_at(w->d.t, id);
	const struct btf_member *m = btf_members_of(type);

	/* Packed structs have alignment 1, and so have structs whose members all have alignment 1. */
	if (btf_kind_of(type) != BTF_KIND_STRUCT || c_align(w, id) > 1)
		return false;
	for (unsigned i = 0; i < btf_vlen_of(type); i++)
		if (c_align(w, m[i].type) > 1)
			return true;
	return false;
}

static void bits_put(struct c_writer *w, const char *type, uint64_t bits)
{
	c_line(w, 1);
	out_str(w->d.out, type);
	out_str(w->d.out, ": ");
	out_dec(w->d.out, bits);
	out_char(w->d.out, ';');
}

void c_gap(struct c_writer *w, uint64_t at, uint64_t to, uint32_t align, bool in_bits)
{
	const struct {
		const char *name;
		uint32_t bits;
	} units[] = {
		{ "char", 8 },
		{ "short", 16 },
		{ "int", 32 },
		{ "long", w->d.t->ptr_size * BITS },
	};
	unsigned u = 3;
	uint64_t begin;

	if (at >= to)
		return;
	/* The largest unit that still has a boundary in the gap. */
	while (u && up(at, units[u].bits) > to)
		u--;
	begin = up(at, units[u].bits);
	if (begin > at && begin <= to) {
		/*
		 * Does the compiler reach that boundary by itself: for the next member, or for a unit that does not fit
		 * before it?
		 */
		bool by_itself = begin == to ? up(at, align * BITS) == to : to - begin > begin - at;

		if (in_bits || !by_itself)
			bits_put(w, units[u].name, in_bits ? begin - at : 0);
		at = begin;
	}
	for (; to - at >= units[u].bits; at += units[u].bits)
		bits_put(w, units[u].name, units[u].bits);
	if (at == to)
		return;
	for (u = 0; units[u].bits < to - at; u++)
		;
	bits_put(w, units[u].name, to - at);
}
