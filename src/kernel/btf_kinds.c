/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/btf_kinds.h"

#include "base/bytes.h"

#define COMPOSITE .known = true, .each = sizeof(struct btf_member), .named = true, .id = sizeof(uint32_t)
#define NUMBERS .known = true, .part = "enumerator", .named = true, .id = -1
#define REFERENCE .known = true, .refers = true

static const struct btf_kind_row rows[] = {
	[BTF_KIND_INT] = { .known = true, .fixed = sizeof(uint32_t) },
	[BTF_KIND_PTR] = { REFERENCE },
	[BTF_KIND_ARRAY] = { .known = true, .fixed = sizeof(struct btf_array), .ids = 2 },
	[BTF_KIND_STRUCT] = { COMPOSITE, .part = "member" },
	[BTF_KIND_UNION] = { COMPOSITE, .part = "member" },
	[BTF_KIND_ENUM] = { NUMBERS, .each = sizeof(struct btf_enum) },
	[BTF_KIND_FWD] = { .known = true },
	[BTF_KIND_TYPEDEF] = { REFERENCE },
	[BTF_KIND_VOLATILE] = { REFERENCE },
	[BTF_KIND_CONST] = { REFERENCE },
	[BTF_KIND_RESTRICT] = { REFERENCE },
	[BTF_KIND_FUNC] = { REFERENCE },
	[BTF_KIND_FUNC_PROTO] = { REFERENCE, .each = sizeof(struct btf_param), .part = "parameter", .named = true,
				  .id = sizeof(uint32_t) },
	[BTF_KIND_VAR] = { REFERENCE, .fixed = sizeof(struct btf_var) },
	[BTF_KIND_DATASEC] = { .known = true, .each = sizeof(struct btf_var_secinfo), .part = "variable" },
	[BTF_KIND_FLOAT] = { .known = true },
	[BTF_KIND_DECL_TAG] = { REFERENCE, .fixed = sizeof(struct btf_decl_tag) },
	[BTF_KIND_TYPE_TAG] = { REFERENCE },
	[BTF_KIND_ENUM64] = { NUMBERS, .each = sizeof(struct btf_enum64) },
};

const struct btf_kind_row *btf_kind_row(unsigned kind)
{
	return &rows[kind < ARRAY_SIZE(rows) ? kind : BTF_KIND_UNKN];
}

int btf_layouts_find(const void *p, size_t n, bool other_order, struct btf_layouts *ret)
{
	struct abi_btf_header h;
	uint32_t at[2]; /* btf_header.layout_off, layout_len */
	size_t body;

	*ret = (struct btf_layouts){ 0 };
	memcpy(&h, p, sizeof(h));
	if (other_order)
		words_swap(&h.hdr_len, sizeof(h.hdr_len));
	if (h.hdr_len < sizeof(h) + sizeof(at))
		return 0;
	memcpy(at, (const char *)p + sizeof(h), sizeof(at));
	if (other_order)
		words_swap(at, sizeof(at));
	body = n - h.hdr_len;
	if (at[0] > body || at[1] > body - at[0])
		return -EBADMSG;
	ret->p = (const void *)((const char *)p + h.hdr_len + at[0]);
	ret->n = at[1] / sizeof(*ret->p);
	return 0;
}

size_t btf_type_bytes(const struct btf_type *t, const struct btf_layouts *l)
{
	unsigned kind = ABI_BTF_KIND(t->info);
	const struct btf_kind_row *row = btf_kind_row(kind);
	size_t vlen = ABI_BTF_VLEN(t->info);

	if (row->known)
		return sizeof(*t) + row->fixed + row->each * vlen;
	if (kind == BTF_KIND_UNKN || kind >= l->n)
		return 0;
	return sizeof(*t) + l->p[kind].info_sz + l->p[kind].elem_sz * vlen;
}
