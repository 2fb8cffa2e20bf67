/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/declare.h"
#include "types/layout.h"

#include "types/btf.h"

#define MEMBER_BITS_MAX (1ull << 43) /* far beyond every offset, and small enough not to overflow */

/* End of the members so far, in bits. */
struct reach {
	uint64_t last;		 /* the end of the used bits */
	uint64_t unit_end, unit; /* end and size of the unit of the previous bit field; unit 0: the previous member was
				    not a bit field */
};

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}
static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static bool is_composite(const struct btf_type *type)
{
	unsigned kind = type ? btf_kind_of(type) : BTF_KIND_UNKN;

	return kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION;
}

/* Reads member @i of a type, without the hole before it; returns the bit where it begins. */
static uint64_t layout_member_read(const struct btf_types *t, const struct btf_type *type, unsigned i,
				   struct layout_member *ret)
{
	const struct btf_member *m = &btf_members_of(type)[i];
	bool kflag = BTF_INFO_KFLAG(type->info);
	uint64_t at = kflag ? BTF_MEMBER_BIT_OFFSET(m->offset) : m->offset, size = 0, unit;
	const struct btf_type *is = btf_resolved(t, m->type);
	uint32_t bits = kflag ? BTF_MEMBER_BITFIELD_SIZE(m->offset) : 0, word;

	btf_size(t, m->type, &size);
	/* Before kind_flag, a bit field had its own integer type. */
	if (!kflag && is && btf_kind_of(is) == BTF_KIND_INT) {
		memcpy(&word, is + 1, sizeof(word));
		if (BTF_INT_BITS(word) < size * 8) {
			bits = BTF_INT_BITS(word);
			at += BTF_INT_OFFSET(word);
		}
	}
	unit = bits ? at / max_u64(min_u64(size, 16) * 8, 8) * max_u64(min_u64(size, 16) * 8, 8) : at;
	*ret = (struct layout_member){
		.name = btf_str(t, m->name_off),
		.type_id = m->type,
		.parent = LAYOUT_TOP,
		.offset = unit / 8,
		.size = size,
		.bits = bits,
		.bit_offset = (uint32_t)(at - unit / 8 * 8),
	};
	return at;
}

/* Finds the unused space between the members so far and this one, then counts this one. */
static void reach_member(struct reach *r, uint64_t at, struct layout_member *m)
{
	uint64_t bits = m->bits ? m->bits : min_u64(m->size, MEMBER_BITS_MAX / 8) * 8;
	uint64_t unit = min_u64(m->size, 16) * 8, unit_at = m->offset * 8, end = at + bits;

	if (at < r->last)
		m->overlap = (r->last - at + 7) / 8;
	if (r->unit && at > r->last) {
		uint64_t to = max_u64(min_u64(at, r->unit_end), r->last);

		m->bit_hole = (uint32_t)(to - r->last);
		r->last = to;
	}
	if (m->bits && unit_at > r->last) {
		m->hole = unit_at / 8 - r->last / 8;
		r->last = unit_at;
	}
	if (at > r->last && m->bits)
		m->bit_hole += (uint32_t)(at - r->last);
	else if (at > r->last)
		m->hole = at / 8 - r->last / 8;
	if (!m->bits) {
		r->unit = 0;
	} else if (!r->unit || end > r->unit_end || unit > r->unit) {
		r->unit = max_u64(unit, 8);
		r->unit_end = unit_at + r->unit;
		/* A packed bit field may end in the next unit. */
		if (r->unit_end < end)
			r->unit_end += r->unit;
	}
	r->last = max_u64(r->last, end);
}

static void member_padding_set(const struct reach *r, struct layout *l)
{
	uint64_t size = l->size * 8, last = r->last;

	if (r->unit && min_u64(size, r->unit_end) > last) {
		l->bit_padding = min_u64(size, r->unit_end) - last;
		last += l->bit_padding;
	}
	if (size > last)
		l->padding = l->size - last / 8;
}

/* The struct that is the type of a member; 0: another type. */
static uint32_t struct_of_type(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *type = btf_resolved(t, id);

	return type && btf_kind_of(type) == BTF_KIND_STRUCT ? btf_resolve(t, id) : 0;
}

void layouts_init(struct layouts *ls, const struct btf_types *t, struct arena *a)
{
	ls->t = t;
	ls->left = LAYOUT_ALL;
	hash_init(&ls->paddings, a);
}

/* Padding at the end of struct @id; computed once, because a hostile struct may be a member of many. */
static uint64_t own_padding(struct layouts *ls, uint32_t id)
{
	const struct btf_type *type = btf_type(ls->t, id);
	struct layout l = { .size = type->size };
	unsigned i, n = btf_vlen_of(type);
	void *known = hash_get(&ls->paddings, id);
	struct layout_member m;
	struct reach r = { 0 };

	if (known)
		return (uintptr_t)known - 1;
	for (i = 0; i < n; i++)
		reach_member(&r, layout_member_read(ls->t, type, i, &m), &m);
	member_padding_set(&r, &l);
	*hash_put(&ls->paddings, id) = (void *)(uintptr_t)(l.padding + 1);
	return l.padding;
}

static void member_count(struct layout *l, const struct layout_member *m)
{
	if (m->bits)
		l->sum_bits += m->bits;
	else
		l->sum_members += m->size;
	l->holes += m->hole != 0;
	l->sum_holes += m->hole;
	l->bit_holes += m->bit_hole != 0;
	l->sum_bit_holes += m->bit_hole;
	l->paddings += m->padding != 0;
	l->sum_paddings += m->padding;
}

struct member_list {
	struct layouts *ls;
	struct arena *a; /* NULL: only count */
	struct layout_member *m;
	uint32_t n;
	size_t cap;
	uint32_t due; /* members not listed yet, of the types that were begun */
};

static uint32_t list_add(struct member_list *l, const struct layout_member *m)
{
	ARENA_MORE(l->a, l->m, l->n, l->cap);
	l->m[l->n] = *m;
	return l->n++;
}

/* The anonymous struct or union that is the type of a member, or of its elements; 0: a named or another type. */
static uint32_t anonymous_of(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *type;
	unsigned i;

	for (i = 0; i < LAYOUT_DEPTH; i++) {
		type = btf_type(t, id);
		switch (type ? btf_kind_of(type) : BTF_KIND_UNKN) {
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_TYPE_TAG:
			id = type->type;
			continue;
		case BTF_KIND_ARRAY:
			id = btf_array_of(type)->type;
			continue;
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
			return *btf_str(t, type->name_off) ? 0 : id;
		default:
			return 0;
		}
	}
	return 0;
}

/* Lists the members of @type, which is at @base bytes; @sum (may be NULL) counts them. */
static void members_walk(struct member_list *l, const struct btf_type *type, uint64_t base, uint32_t parent,
			 uint32_t depth, struct layout *sum)
{
	bool is_struct = btf_kind_of(type) == BTF_KIND_STRUCT;
	unsigned i, n = btf_vlen_of(type);
	struct reach r = { 0 };
	uint32_t inner, at, more;

	l->due += n;
	for (i = 0; i < n; i++) {
		struct layout_member m;
		uint64_t bit = layout_member_read(l->ls->t, type, i, &m);

		if (is_struct)
			reach_member(&r, bit, &m);
		inner = struct_of_type(l->ls->t, m.type_id);
		m.padding = inner ? own_padding(l->ls, inner) : 0;
		if (sum)
			member_count(sum, &m);
		if (!l->a)
			continue;
		m.offset += base;
		m.parent = parent;
		m.depth = depth;
		inner = depth + 1 < LAYOUT_DEPTH ? anonymous_of(l->ls->t, m.type_id) : 0;
		more = inner ? btf_vlen_of(btf_type(l->ls->t, inner)) : 0;
		m.open = inner && l->n + l->due + more <= LAYOUT_MEMBERS && more <= l->ls->left;
		l->ls->left -= m.open ? more : 0;
		at = list_add(l, &m);
		l->due--;
		if (m.open)
			members_walk(l, btf_type(l->ls->t, inner), m.offset, at, depth + 1, NULL);
	}
	if (sum && is_struct)
		member_padding_set(&r, sum);
	if (sum && r.last > sum->size * 8)
		sum->excess = (r.last + 7) / 8 - sum->size;
}

int layout_read(struct layouts *ls, uint32_t id, struct arena *a, struct layout *ret)
{
	uint32_t resolved = btf_resolve(ls->t, id);
	const struct btf_type *type = btf_type(ls->t, resolved);
	struct member_list list = { .ls = ls, .a = a };
	struct layout l = { .id = resolved };

	if (!is_composite(type))
		return -EINVAL;
	l.kind = btf_kind_of(type) == BTF_KIND_STRUCT ? "struct" : "union";
	l.name = btf_str(ls->t, type->name_off);
	l.size = type->size;
	l.nmembers = btf_vlen_of(type);
	l.cachelines = (uint32_t)((l.size + CACHELINE - 1) / CACHELINE);
	members_walk(&list, type, 0, LAYOUT_TOP, 0, &l);
	l.members = list.m;
	l.listed = list.n;
	*ret = l;
	return 0;
}

int layout_sum(struct layouts *ls, uint32_t id, struct layout *ret)
{
	return layout_read(ls, id, NULL, ret);
}

const char *layout_path(const struct layout *l, uint32_t member, struct arena *a)
{
	const char *path = l->members[member].name;
	uint32_t up = l->members[member].parent;

	for (; up != LAYOUT_TOP; up = l->members[up].parent)
		if (*l->members[up].name)
			path = *path ? arena_fmt(a, "%s.%s", l->members[up].name, path) : l->members[up].name;
	return path;
}

void layout_words(const struct btf_types *t, struct layout *l, struct arena *a)
{
	for (uint32_t i = 0; i < l->listed; i++) {
		struct layout_member *m = &l->members[i];
		const char *up = m->parent == LAYOUT_TOP ? "" : l->members[m->parent].path;

		m->type = btf_type_text(t, m->type_id, a);
		m->path = !*up ? m->name : *m->name ? arena_fmt(a, "%s.%s", up, m->name) : up;
	}
}

uint32_t layout_struct(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *type = btf_type(t, id);

	if (is_composite(type))
		return *btf_str(t, type->name_off) ? id : 0;
	if (!type || btf_kind_of(type) != BTF_KIND_TYPEDEF)
		return 0;
	id = btf_resolve(t, type->type);
	type = btf_type(t, id);
	return is_composite(type) && !*btf_str(t, type->name_off) ? id : 0;
}
