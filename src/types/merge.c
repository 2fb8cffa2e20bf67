/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/merge.h"

#include <bpf/btf.h>

#include "base/base.h"
#include "types/library.h"
#include "types/nesting.h"
#include "types/types.h"
#include "kernel/abi.h"

/* Ids and string offsets that are not the base's increase by those of the previous parts. */
struct shift {
	uint32_t first_id, ids, first_str, strs;
};

static void shift_id(const struct shift *s, uint32_t *id)
{
	if (*id >= s->first_id)
		*id += s->ids;
}

static void shift_name(const struct shift *s, uint32_t *off)
{
	if (*off >= s->first_str)
		*off += s->strs;
}

static void shift_parts(const struct shift *s, struct btf_type *type)
{
	unsigned n = btf_vlen_of(type), kind = btf_kind_of(type);
	struct btf_member *m = (struct btf_member *)(type + 1);
	struct btf_enum *e = (struct btf_enum *)(type + 1);
	struct btf_enum64 *e64 = (struct btf_enum64 *)(type + 1);
	struct btf_param *p = (struct btf_param *)(type + 1);
	struct btf_var_secinfo *v = (struct btf_var_secinfo *)(type + 1);

	for (unsigned i = 0; i < n; i++) {
		if (kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION) {
			shift_name(s, &m[i].name_off);
			shift_id(s, &m[i].type);
		} else if (kind == BTF_KIND_FUNC_PROTO) {
			shift_name(s, &p[i].name_off);
			shift_id(s, &p[i].type);
		} else if (kind == BTF_KIND_ENUM) {
			shift_name(s, &e[i].name_off);
		} else if (kind == BTF_KIND_ENUM64) {
			shift_name(s, &e64[i].name_off);
		} else if (kind == BTF_KIND_DATASEC) {
			shift_id(s, &v[i].type);
		}
	}
}

static void shift_type(const struct shift *s, struct btf_type *type)
{
	struct btf_array *array = (struct btf_array *)(type + 1);

	shift_name(s, &type->name_off);
	switch (btf_kind_of(type)) {
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_FWD:
		return;
	case BTF_KIND_ARRAY:
		shift_id(s, &array->type);
		shift_id(s, &array->index_type);
		return;
	case BTF_KIND_FUNC_PROTO:
		shift_id(s, &type->type);
		shift_parts(s, type);
		return;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_DATASEC:
		shift_parts(s, type);
		return;
	default:
		shift_id(s, &type->type);
		return;
	}
}

/* Appends a part to one type section and one string section. */
static int append(struct str *types, struct str *strs, const struct btf_types *base, const struct btf_types *part,
		  uint32_t *ids, struct err *e)
{
	struct shift s = { base->count, *ids, base->str_end, (uint32_t)strs->n };
	size_t at = types->n;
	uint32_t sum;

	if (btf_known(part, e))
		return -EOPNOTSUPP;
	if (__builtin_add_overflow(part->count, *ids, &sum) ||
	    __builtin_add_overflow(part->str_end, (uint32_t)strs->n, &sum) ||
	    types->n + part->types_len > UINT32_MAX / 2)
		return err_set(e, -EOVERFLOW, "BTF is too large to be merged");
	str_add(types, part->types, part->types_len);
	str_add(strs, part->strs, part->str_end - part->str_start);
	for (uint32_t i = 0; i < part->count - part->start; i++)
		shift_type(&s, (struct btf_type *)(types->p + at + part->off[i]));
	*ids += part->count - part->start;
	return 0;
}

static int dedup(struct btf_types **ret, const struct btf_types *base, const struct btf_types *all, struct err *e)
{
	LIBRARY lib = { 0 };
	const void *p;
	__u32 n;
	int err = nesting_check(all, e);

	if (!err)
		err = library_load(&lib, all, e);
	if (err)
		return err;
	err = btf__dedup(lib.btf, NULL);
	if (err)
		return err_sys(e, err, "BTF cannot be merged");
	p = btf__raw_data(lib.btf, &n);
	if (!p)
		arena_die(n);
	return btf_parse(ret, p, n, base, e);
}

int btf_merge(struct btf_types **ret, const struct btf_types *base, struct btf_types *const *parts, size_t n,
	      struct err *e)
{
	__attribute__((cleanup(btf_release))) struct btf_types *all = NULL;
	struct abi_btf_header h = { .magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(h) };
	STR types = { 0 }, strs = { 0 }, bytes = { 0 };
	uint32_t ids = 0;

	for (size_t i = 0; i < n; i++)
		if (append(&types, &strs, base, parts[i], &ids, e))
			return e->code;
	h.type_len = h.str_off = (uint32_t)types.n;
	h.str_len = (uint32_t)strs.n;
	str_add(&bytes, &h, sizeof(h));
	if (types.n)
		str_add(&bytes, types.p, types.n);
	if (strs.n)
		str_add(&bytes, strs.p, strs.n);
	if (btf_parse(&all, bytes.p, bytes.n, base, e))
		return e->code;
	return dedup(ret, base, all, e);
}
