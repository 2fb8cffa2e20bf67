/* SPDX-License-Identifier: BSD-2-Clause */

#include "types/btf.h"
#include "object/core.h"

#define DEPTH_MAX 32u

struct candidates {
	uint32_t *id;
	size_t n;
};

static unsigned kind_at(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *type = btf_type(t, id);

	return type ? btf_kind_of(type) : BTF_KIND_UNKN;
}

static bool is_composite(unsigned kind)
{
	return kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION;
}
static bool is_enum(unsigned kind)
{
	return kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64;
}
static bool same_kind(unsigned a, unsigned b)
{
	return a == b || (is_enum(a) && is_enum(b));
}

/* 4 for "sock___v2": up to the last "___" inside the name without another underscore next to it. */
size_t core_essential(const char *name)
{
	size_t n = 0;

	for (const char *p = name; (p = strstr(p, "___")); p++)
		if (p > name && p[-1] != '_' && p[3] && p[3] != '_')
			n = (size_t)(p - name);
	return n ? n : strlen(name);
}

static bool same_name(const char *a, const char *b)
{
	size_t n = core_essential(a);

	return core_essential(b) == n && !memcmp(a, b, n);
}

void core_target_init(struct core_target *t, const struct btf_types *types, const struct btf_types *local,
		      struct arena *a)
{
	*t = (struct core_target){ .types = types, .local = local, .arena = a };
	hash_init(&t->candidates, a);
}

static const struct candidates *candidates(struct core_target *t, uint32_t local)
{
	struct candidates *c = hash_get(&t->candidates, local);
	const char *name = btf_name(t->local, local);
	unsigned kind = kind_at(t->local, local);
	size_t n = 0;

	if (c)
		return c;
	c = arena_alloc(t->arena, sizeof(*c));
	*hash_put(&t->candidates, local) = c;
	/* Count first, because few of many types match. */
	for (int pass = 0; *name && pass < 2; pass++, n = c->n) {
		c->id = pass ? arena_array(t->arena, n, sizeof(*c->id)) : NULL;
		c->n = 0;
		for (uint32_t id = 1; id < btf_count(t->types); id++)
			if (same_kind(kind_at(t->types, id), kind) && same_name(name, btf_name(t->types, id))) {
				if (pass)
					c->id[c->n] = id;
				c->n++;
			}
	}
	return c;
}

static bool plain_ints(const struct core_target *t, uint32_t local, uint32_t id)
{
	const uint32_t *a = (const uint32_t *)(btf_type(t->local, local) + 1),
		       *b = (const uint32_t *)(btf_type(t->types, id) + 1);

	return !BTF_INT_OFFSET(*a) && !BTF_INT_OFFSET(*b);
}

/* Can a member of one type be read as the other type? */
static bool readable(const struct core_target *t, uint32_t local, uint32_t id)
{
	for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
		const char *a, *b;
		unsigned kind, kind_there;

		local = btf_resolve(t->local, local);
		id = btf_resolve(t->types, id);
		a = btf_name(t->local, local);
		b = btf_name(t->types, id);
		kind = kind_at(t->local, local);
		kind_there = kind_at(t->types, id);
		if (is_composite(kind) && is_composite(kind_there))
			return true;
		if (!same_kind(kind, kind_there))
			return false;
		switch (kind) {
		case BTF_KIND_PTR:
		case BTF_KIND_FLOAT:
			return true;
		case BTF_KIND_FWD:
		case BTF_KIND_ENUM:
		case BTF_KIND_ENUM64:
			return !*a || !*b || same_name(a, b);
		case BTF_KIND_INT:
			return plain_ints(t, local, id);
		case BTF_KIND_ARRAY:
			local = btf_array_of(btf_type(t->local, local))->type;
			id = btf_array_of(btf_type(t->types, id))->type;
			break;
		default:
			return false;
		}
	}
	return false;
}

/* Find a member by name, also in unnamed structs, among at most *left members. *ret_type: its type. */
static bool core_member_find(const struct btf_types *t, uint32_t id, const char *name, uint32_t *left,
			     struct core_found *f, uint32_t *ret_type)
{
	const struct btf_type *type;

	id = btf_resolve(t, id);
	type = btf_type(t, id);
	if (!type || !is_composite(btf_kind_of(type)) || f->n == CORE_STEPS_MAX)
		return false;
	for (uint32_t i = 0; i < btf_vlen_of(type) && *left; i++) {
		const struct btf_member *m = btf_members_of(type) + i;
		const char *is = btf_str(t, m->name_off);

		--*left;
		f->steps[f->n++] = (struct core_step){ id, i };
		if (!*is ? core_member_find(t, m->type, name, left, f, ret_type) : !strcmp(is, name)) {
			if (*is)
				*ret_type = m->type;
			return true;
		}
		f->n--;
	}
	return false;
}

static uint64_t bits_of(const struct btf_types *t, uint32_t id)
{
	uint64_t size;

	return btf_size(t, id, &size) ? 0 : size * 8;
}

static uint32_t member_bits(const struct btf_type *type, uint32_t i)
{
	uint32_t off = btf_members_of(type)[i].offset;

	return BTF_INFO_KFLAG(type->info) ? BTF_MEMBER_BIT_OFFSET(off) : off;
}

/* One step in both types: *local and *id become the types it leads to. */
static bool candidate_step(const struct core_target *t, uint32_t *local, uint32_t *id, uint32_t index,
			   struct core_found *f)
{
	const struct btf_type *type = btf_resolved(t->local, *local);
	const struct btf_type *there = btf_resolved(t->types, *id);
	const struct btf_member *m;
	const char *name;
	uint32_t left = CORE_MEMBERS_MAX;
	unsigned first;

	if (!type || !there)
		return false;
	if (btf_kind_of(type) == BTF_KIND_ARRAY) {
		/* An array without a length has every index. */
		if (btf_kind_of(there) != BTF_KIND_ARRAY ||
		    (index >= btf_array_of(there)->nelems && btf_array_of(there)->nelems))
			return false;
		*local = btf_array_of(type)->type;
		*id = btf_array_of(there)->type;
		f->bits += index * bits_of(t->types, *id);
		return true;
	}
	if (!is_composite(btf_kind_of(type)) || index >= btf_vlen_of(type))
		return false;
	m = btf_members_of(type) + index;
	*local = m->type;
	name = btf_str(t->local, m->name_off);
	if (!*name)
		return true;
	first = f->n;
	if (!core_member_find(t->types, *id, name, &left, f, id) || !readable(t, *local, *id))
		return false;
	for (unsigned i = first; i < f->n; i++)
		f->bits += member_bits(btf_type(t->types, f->steps[i].type), f->steps[i].member);
	return true;
}

static bool field_find(const struct core_target *t, const struct core_reloc *r, uint32_t id, struct core_found *ret)
{
	uint32_t access[CORE_STEPS_MAX], local = r->type;
	unsigned n = core_access(r->access, access);

	*ret = (struct core_found){ .type = id };
	if (!n)
		return false;
	/* The first number is an index from the address in the pointer. */
	ret->bits = access[0] ? access[0] * bits_of(t->types, id) : 0;
	for (unsigned i = 1; i < n; i++) {
		ret->from_local = local;
		ret->from = id;
		ret->index = access[i];
		if (!candidate_step(t, &local, &id, access[i], ret))
			return false;
	}
	ret->value = bits_of(t->types, id);
	return true;
}

static bool same_types(const struct core_target *t, uint32_t local, uint32_t id, unsigned depth);

static bool same_protos(const struct core_target *t, const struct btf_type *a, const struct btf_type *b, unsigned depth)
{
	if (btf_vlen_of(a) != btf_vlen_of(b))
		return false;
	for (unsigned i = 0; i < btf_vlen_of(a); i++)
		if (!same_types(t, btf_params_of(a)[i].type, btf_params_of(b)[i].type, depth))
			return false;
	return same_types(t, a->type, b->type, depth);
}

/* libbpf's rule for "the type exists": below it, names and members are not compared. */
static bool same_types(const struct core_target *t, uint32_t local, uint32_t id, unsigned depth)
{
	const struct btf_type *a, *b;

	local = btf_resolve(t->local, local);
	id = btf_resolve(t->types, id);
	a = btf_type(t->local, local);
	b = btf_type(t->types, id);
	if (!a || !b)
		return !a && !b;
	if (depth == DEPTH_MAX || !same_kind(btf_kind_of(a), btf_kind_of(b)))
		return false;
	switch (btf_kind_of(a)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_FWD:
	case BTF_KIND_FLOAT:
		return true;
	case BTF_KIND_INT:
		return plain_ints(t, local, id);
	case BTF_KIND_PTR:
		return same_types(t, a->type, b->type, depth + 1);
	case BTF_KIND_ARRAY:
		return same_types(t, btf_array_of(a)->type, btf_array_of(b)->type, depth + 1);
	case BTF_KIND_FUNC_PROTO:
		return same_protos(t, a, b, depth + 1);
	default:
		return false;
	}
}

static const char *enumerator(const struct btf_types *t, const struct btf_type *type, uint32_t i)
{
	return btf_str(t, btf_kind_of(type) == BTF_KIND_ENUM ? btf_enums_of(type)[i].name_off :
							       btf_enums64_of(type)[i].name_off);
}

const char *core_enumerator(const struct btf_types *local, const struct core_reloc *r)
{
	const struct btf_type *type = btf_resolved(local, r->type);
	uint32_t access[CORE_STEPS_MAX];

	if (core_access(r->access, access) != 1 || !type || !is_enum(btf_kind_of(type)) || *access >= btf_vlen_of(type))
		return NULL;
	return enumerator(local, type, *access);
}

static uint64_t enum_value(const struct btf_type *type, uint32_t i)
{
	const struct btf_enum64 *e = &btf_enums64_of(type)[i];

	return btf_kind_of(type) == BTF_KIND_ENUM ? (uint32_t)btf_enums_of(type)[i].val :
						    (uint64_t)e->val_hi32 << 32 | e->val_lo32;
}

static bool enumerator_find(const struct core_target *t, const struct core_reloc *r, uint32_t id, uint64_t *ret)
{
	const struct btf_type *b = btf_resolved(t->types, id);
	const char *name = core_enumerator(t->local, r);

	if (!name || !b || !is_enum(btf_kind_of(b)))
		return false;
	for (uint32_t i = 0; i < btf_vlen_of(b); i++)
		if (same_name(name, enumerator(t->types, b, i))) {
			*ret = r->kind == CORE_ENUMVAL_VALUE ? enum_value(b, i) : 0;
			return true;
		}
	return false;
}

bool core_leads(struct core_target *t, const struct core_reloc *r, uint32_t id, struct core_found *ret)
{
	if (r->kind <= CORE_RSHIFT)
		return field_find(t, r, id, ret);
	*ret = (struct core_found){ .type = id };
	switch (r->kind) {
	case CORE_TYPE_ID_TARGET:
	case CORE_TYPE_EXISTS:
	case CORE_TYPE_SIZE:
		ret->value = r->kind == CORE_TYPE_ID_TARGET ? id :
			     r->kind == CORE_TYPE_SIZE	    ? bits_of(t->types, id) :
							      0;
		return same_types(t, r->type, id, 0);
	case CORE_ENUMVAL_EXISTS:
	case CORE_ENUMVAL_VALUE:
		return enumerator_find(t, r, id, &ret->value);
	default:
		return r->kind == CORE_TYPE_MATCHES;
	}
}

const uint32_t *core_candidates(struct core_target *t, uint32_t local, size_t *ret_n)
{
	const struct candidates *c = candidates(t, local);

	*ret_n = c->n;
	return c->id;
}

bool core_find(struct core_target *t, const struct core_reloc *r, uint32_t after, struct core_found *ret)
{
	const struct candidates *c = candidates(t, r->type);

	for (size_t i = 0; i < c->n; i++)
		if (c->id[i] > after && core_leads(t, r, c->id[i], ret))
			return true;
	return false;
}

bool core_is_ambiguous(struct core_target *t, const struct core_reloc *r)
{
	/* An offset does not depend on the size. */
	const bool values = r->kind != CORE_BYTE_OFF && r->kind != CORE_FIELD_EXISTS;
	struct core_found first, other;

	if (!core_find(t, r, 0, &first))
		return false;
	for (uint32_t after = first.type; core_find(t, r, after, &other); after = other.type)
		if (other.bits != first.bits || (values && other.value != first.value))
			return true;
	return false;
}
