/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/nesting.h"

#include "types/types.h"

#define TOTAL (1ull << 28) /* limit of the sum of all sizes: some seconds */
#define PADDED (1u << 14)  /* bytes times members from which pads are counted: fewer do not matter */

/* They have no parts, and are half of a kernel's types. */
#define LEAVES (1u << BTF_KIND_INT | 1u << BTF_KIND_FLOAT | 1u << BTF_KIND_FWD | 1u << BTF_KIND_FUNC)

/* For each type, and for each type after a pointer, where named structs end the recursion. */
struct nesting_node {
	uint32_t state : 2, height : 10, size : 20;
};
enum { UNSEEN, OPEN, DONE };
struct nesting {
	const struct btf_types *t;
	struct nesting_node *node;
	struct err *e;
};

static int nesting_visit(struct nesting *n, uint32_t id, bool by_pointer, unsigned depth, struct nesting_node *parent);

static int nesting_add(struct nesting *n, uint32_t id, uint64_t size, struct nesting_node *ret)
{
	if (size >= NESTING_SIZE - 1 - ret->size)
		return err_set(n->e, -E2BIG, "BTF type %u has more than %u members, including nested types", id,
			       NESTING_SIZE);
	ret->size += (uint32_t)size;
	return 0;
}

static uint64_t member_end(const struct btf_types *t, const struct btf_type *type, const struct btf_member *m)
{
	bool flag = BTF_INFO_KFLAG(type->info);
	uint64_t size, at = flag ? BTF_MEMBER_BIT_OFFSET(m->offset) : m->offset;

	if (flag && BTF_MEMBER_BITFIELD_SIZE(m->offset))
		return at + BTF_MEMBER_BITFIELD_SIZE(m->offset);
	return btf_size(t, m->type, &size) || size > UINT32_MAX ? UINT64_MAX : at + size * 8;
}

/* Gaps between members are written in pieces of 64 bits. */
static uint64_t pads(const struct btf_types *t, const struct btf_type *type)
{
	const struct btf_member *m = btf_members_of(type);
	uint64_t at, end = 0, gaps = 0;

	for (unsigned i = 0; i < btf_vlen_of(type); i++) {
		at = BTF_INFO_KFLAG(type->info) ? BTF_MEMBER_BIT_OFFSET(m[i].offset) : m[i].offset;
		if (at > end)
			gaps += at - end;
		end = member_end(t, type, &m[i]);
	}
	if ((uint64_t)type->size * 8 > end)
		gaps += (uint64_t)type->size * 8 - end;
	return gaps / 64;
}

/* Cycles are already excluded. A size of 0 is refused, because the writer divides by alignments. */
static bool has_size(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *type;

	while ((type = type_at(t, id))) {
		switch (btf_kind_of(type)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			id = type->type;
			break;
		case BTF_KIND_ARRAY:
			id = btf_array_of(type)->type;
			break;
		case BTF_KIND_INT:
		case BTF_KIND_FLOAT:
		case BTF_KIND_ENUM:
		case BTF_KIND_ENUM64:
			return type->size;
		case BTF_KIND_PTR:
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
			return true;
		default:
			return false;
		}
	}
	return false;
}

static int visit_struct(struct nesting *n, uint32_t id, const struct btf_type *type, unsigned depth,
			struct nesting_node *ret)
{
	const struct btf_member *m = btf_members_of(type);
	uint64_t bits = (uint64_t)type->size * 8;
	int err = 0;

	for (unsigned i = 0; !err && i < btf_vlen_of(type); i++) {
		err = nesting_visit(n, m[i].type, false, depth, ret);
		if (!err && !has_size(n->t, m[i].type))
			err = err_set(n->e, -EINVAL, "BTF type %u: member %u has no size", id, i);
		if (!err && member_end(n->t, type, &m[i]) > bits)
			err = err_set(n->e, -EINVAL, "BTF type %u: member %u exceeds the type", id, i);
	}
	if (!err && bits / 8 * (btf_vlen_of(type) + 1u) >= PADDED)
		err = nesting_add(n, id, pads(n->t, type), ret);
	return err;
}

static int visit_parts(struct nesting *n, uint32_t id, const struct btf_type *type, bool by_pointer, unsigned depth,
		       struct nesting_node *ret)
{
	int err = 0;

	switch (btf_kind_of(type)) {
	case BTF_KIND_PTR:
		return nesting_visit(n, type->type, true, depth, ret);
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return nesting_visit(n, type->type, by_pointer, depth, ret);
	case BTF_KIND_ARRAY:
		return nesting_visit(n, btf_array_of(type)->type, false, depth, ret);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return visit_struct(n, id, type, depth, ret);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return nesting_add(n, id, btf_vlen_of(type), ret);
	case BTF_KIND_FUNC_PROTO:
		err = nesting_visit(n, type->type, by_pointer, depth, ret);
		for (unsigned i = 0; !err && i < btf_vlen_of(type); i++)
			err = nesting_visit(n, btf_params_of(type)[i].type, by_pointer, depth, ret);
		return err;
	default:
		return 0;
	}
}

static int nesting_visit(struct nesting *n, uint32_t id, bool by_pointer, unsigned depth, struct nesting_node *parent)
{
	const struct btf_type *type = type_at(n->t, id);
	struct nesting_node *node = &n->node[(size_t)id * 2 + by_pointer],
			    mine = { .state = DONE, .height = 1, .size = 1 };
	unsigned kind = type ? btf_kind_of(type) : BTF_KIND_UNKN;
	int err = 0;

	if (LEAVES >> kind & 1 && depth < NESTING_DEPTH)
		return nesting_add(n, id, 1, parent);
	if (!type || (by_pointer && type->name_off && (kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION)))
		return nesting_add(n, id, 1, parent);
	if (node->state == OPEN)
		return err_set(n->e, -ELOOP, "BTF type %u contains itself", id);
	if (node->state == UNSEEN && depth < NESTING_DEPTH) {
		node->state = OPEN;
		err = visit_parts(n, id, type, by_pointer, depth + 1, &mine);
		*node = mine;
	}
	if (err)
		return err;
	if (depth >= NESTING_DEPTH || node->height >= NESTING_DEPTH)
		return err_set(n->e, -E2BIG, "BTF type %u: more than %u nested types", id, NESTING_DEPTH);
	if (parent->height <= node->height)
		parent->height = node->height + 1u;
	return nesting_add(n, id, node->size, parent);
}

int nesting_check(const struct btf_types *t, struct err *e)
{
	struct nesting n = { .t = t, .e = e };
	CLEAN_PTR struct nesting_node *node = calloc((size_t)t->count * 2, sizeof(*node));
	uint64_t total = 0;

	/* Types may refer to types that were lost. */
	if (btf_whole(t, e))
		return -EOPNOTSUPP;
	if (!node)
		arena_die((size_t)t->count * 2 * sizeof(*node));
	n.node = node;
	for (uint32_t id = 1; id < t->count; id++) {
		struct nesting_node top = { 0 };
		int err = nesting_visit(&n, id, false, 0, &top);

		if (err)
			return err;
		total += top.size;
	}
	return total > TOTAL ? err_set(e, -E2BIG, "BTF types have %llu members, including nested types", llu(total)) :
			       0;
}
