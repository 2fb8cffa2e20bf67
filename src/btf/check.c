/* SPDX-License-Identifier: BSD-2-Clause */
#include "btf/types.h"

#include <byteswap.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/bytes.h"
#include "base/clean.h"
#include "base/err.h"
#include "kernel/abi.h"

/* Size of the data after struct btf_type: a fixed part, and a part for each of vlen. -1: no such kind. */
static const struct {
	int8_t fixed, each;
} kind_len[] = {
	[BTF_KIND_UNKN] = { -1, 0 },
	[BTF_KIND_INT] = { sizeof(uint32_t), 0 },
	[BTF_KIND_ARRAY] = { sizeof(struct btf_array), 0 },
	[BTF_KIND_STRUCT] = { 0, sizeof(struct btf_member) },
	[BTF_KIND_UNION] = { 0, sizeof(struct btf_member) },
	[BTF_KIND_ENUM] = { 0, sizeof(struct btf_enum) },
	[BTF_KIND_FUNC_PROTO] = { 0, sizeof(struct btf_param) },
	[BTF_KIND_VAR] = { sizeof(struct btf_var), 0 },
	[BTF_KIND_DATASEC] = { 0, sizeof(struct btf_var_secinfo) },
	[BTF_KIND_DECL_TAG] = { sizeof(struct btf_decl_tag), 0 },
	[BTF_KIND_ENUM64] = { 0, sizeof(struct btf_enum64) },
};

/* Size of the whole type, or 0 for an unknown kind. */
static size_t type_len(const struct btf_type *t)
{
	unsigned kind = btf_kind_of(t);

	if (kind >= ARRAY_SIZE(kind_len) || kind_len[kind].fixed < 0)
		return 0;
	return sizeof(*t) + (size_t)kind_len[kind].fixed + (size_t)kind_len[kind].each * btf_vlen_of(t);
}

static bool name_ok(const struct btf_types *t, uint32_t off)
{
	return off < t->str_end;
}

/* A truncated BTF may refer to types that it lost, which are void; the kernel checked these ids. */
static bool id_ok(const struct btf_types *t, uint32_t id)
{
	return id < t->count || t->cut;
}

/* One loop for each kind, because they run for every member of the kernel's own BTF. */
static bool members_ok(const struct btf_types *t, const struct btf_type *type)
{
	const struct btf_member *m = btf_members_of(type);
	unsigned i, n = btf_vlen_of(type);

	for (i = 0; i < n; i++)
		if (!name_ok(t, m[i].name_off) || !id_ok(t, m[i].type))
			return false;
	return true;
}

static bool params_ok(const struct btf_types *t, const struct btf_type *type)
{
	const struct btf_param *p = btf_params_of(type);
	unsigned i, n = btf_vlen_of(type);

	for (i = 0; i < n; i++)
		if (!name_ok(t, p[i].name_off) || !id_ok(t, p[i].type))
			return false;
	return id_ok(t, type->type);
}

static bool enums_ok(const struct btf_types *t, const struct btf_type *type)
{
	unsigned i, n = btf_vlen_of(type);

	for (i = 0; i < n; i++) {
		uint32_t name = btf_kind_of(type) == BTF_KIND_ENUM ? btf_enums_of(type)[i].name_off :
								     btf_enums64_of(type)[i].name_off;
		if (!name_ok(t, name))
			return false;
	}
	return true;
}

static bool vars_ok(const struct btf_types *t, const struct btf_type *type)
{
	const struct btf_var_secinfo *v = btf_vars_of(type);
	unsigned i, n = btf_vlen_of(type);

	for (i = 0; i < n; i++)
		if (!id_ok(t, v[i].type))
			return false;
	return true;
}

static bool type_ok(const struct btf_types *t, const struct btf_type *type)
{
	if (!name_ok(t, type->name_off))
		return false;
	switch (btf_kind_of(type)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return members_ok(t, type);
	case BTF_KIND_FUNC_PROTO:
		return params_ok(t, type);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return enums_ok(t, type);
	case BTF_KIND_DATASEC:
		return vars_ok(t, type);
	case BTF_KIND_ARRAY:
		return id_ok(t, btf_array_of(type)->type) && id_ok(t, btf_array_of(type)->index_type);
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_FWD:
		return true;
	default:
		return id_ok(t, type->type);
	}
}

/*
 * Reads the positions of the sections, relative to the header's end. Members after the known ones (hdr_len) are
 * skipped.
 */
static int header_check(const void *p, size_t n, const struct btf_types *base, struct abi_btf_header *h, struct err *e)
{
	size_t body;

	if (n < sizeof(*h))
		return err_set(e, -EBADMSG, "BTF of %zu bytes is too short for its header", n);
	memcpy(h, p, sizeof(*h));
	if (h->magic == bswap_16(BTF_MAGIC))
		words_swap(&h->hdr_len, sizeof(*h) - offsetof(struct abi_btf_header, hdr_len));
	else if (h->magic != BTF_MAGIC)
		return err_set(e, -EBADMSG, "not BTF: it begins with 0x%04x, not 0x%04x",
			       (unsigned)load_uint(p, sizeof(h->magic), false), BTF_MAGIC);
	if (h->version != BTF_VERSION)
		return err_set(e, -EBADMSG, "BTF has version %u; only version %u is supported", h->version,
			       BTF_VERSION);
	if (h->hdr_len < sizeof(*h) || h->hdr_len > n)
		return err_set(e, -EBADMSG, "BTF header has an invalid length of %u bytes", h->hdr_len);
	body = n - h->hdr_len;
	if (h->type_off > body || h->type_len > body - h->type_off)
		return err_set(e, -EBADMSG, "BTF type section exceeds the data");
	if (h->str_off > body || h->str_len > body - h->str_off)
		return err_set(e, -EBADMSG, "BTF string section exceeds the data");
	if (!h->str_len && !base)
		return err_set(e, -EBADMSG, "BTF has no strings");
	return 0;
}

static int strings_check(struct btf_types *t, const char *p, uint32_t n, struct err *e)
{
	if (n && p[n - 1])
		return err_set(e, -EBADMSG, "BTF string section is not terminated");
	if (n && !t->base && p[0])
		return err_set(e, -EBADMSG, "BTF string section does not begin with the empty string");
	if (__builtin_add_overflow(t->str_start, n, &t->str_end))
		return err_set(e, -EBADMSG, "BTF has too many strings");
	return 0;
}

/* Finds the start of each type; stops at an unknown kind. */
static int types_index(struct btf_types *t, uint32_t n, struct err *e)
{
	size_t at = 0, len, max = n / sizeof(struct btf_type);
	uint32_t id = t->start;

	t->off = malloc((max + 1) * sizeof(*t->off));
	if (!t->off)
		arena_die(n);
	for (; at < n; at += len, id++) {
		const struct btf_type *type = (const void *)(t->types + at);

		if (n - at < sizeof(*type))
			return err_set(e, -EBADMSG, "BTF type %u is truncated", id);
		len = type_len(type);
		t->cut = !len;
		if (t->cut && btf_kind_of(type) == BTF_KIND_UNKN)
			return err_set(e, -EBADMSG, "BTF type %u is of kind 0", id);
		if (t->cut)
			break;
		if (len > n - at || id == UINT32_MAX - 1)
			return err_set(e, -EBADMSG, "BTF type %u is truncated", id);
		t->off[id - t->start] = (uint32_t)at;
	}
	t->types_len = (uint32_t)at;
	t->count = id;
	t->off = array_resize(t->off, (size_t)(id - t->start) + 1, sizeof(*t->off));
	return 0;
}

static int types_check(const struct btf_types *t, struct err *e)
{
	uint32_t i;

	for (i = 0; i < t->count - t->start; i++)
		if (!type_ok(t, (const void *)(t->types + t->off[i])))
			return err_set(e, -EBADMSG, "BTF type %u refers to a type or name that does not exist",
				       t->start + i);
	return 0;
}

/* The size of a long, because BTF does not contain the size of pointers. */
static uint32_t ptr_size(const struct btf_types *t)
{
	static const char *const longs[] = { "long int", "long unsigned int", "long", "unsigned long" };

	for (uint32_t id = t->start; !t->base && id < t->count; id++) {
		const struct btf_type *type = type_at(t, id);

		for (size_t i = 0; btf_kind_of(type) == BTF_KIND_INT && i < ARRAY_SIZE(longs); i++)
			if ((type->size == 4 || type->size == 8) && !strcmp(str_at(t, type->name_off), longs[i]))
				return type->size;
	}
	return t->base ? t->base->ptr_size : sizeof(uint64_t);
}

bool btf_is_split(const void *p, size_t n)
{
	struct abi_btf_header h;
	struct err why = { 0 };

	return !header_check(p, n, NULL, &h, &why) && h.str_len && ((const char *)p)[h.hdr_len + h.str_off];
}

const void *btf_bytes(const struct btf_types *t, struct arena *a, size_t *ret_n)
{
	struct abi_btf_header h = { .magic = BTF_MAGIC,
				    .version = BTF_VERSION,
				    .hdr_len = sizeof(h),
				    .type_len = t->types_len,
				    .str_off = t->types_len,
				    .str_len = t->str_end - t->str_start };
	char *p = arena_alloc(a, sizeof(h) + h.type_len + h.str_len);

	memcpy(p, &h, sizeof(h));
	memcpy(p + sizeof(h), t->types, h.type_len);
	memcpy(p + sizeof(h) + h.type_len, t->strs, h.str_len);
	*ret_n = sizeof(h) + h.type_len + h.str_len;
	return p;
}

void btf_release(struct btf_types **t)
{
	if (!*t)
		return;
	free((*t)->copy);
	free((*t)->off);
	arena_free((*t)->mem);
	free(*t);
	*t = NULL;
}

/* Copies types and strings into one block, aligned, in the byte order of this machine. */
static void sections_copy(struct btf_types *t, const struct abi_btf_header *h, const char *body)
{
	char *copy = malloc((size_t)h->type_len + h->str_len + 1);

	if (!copy)
		arena_die((size_t)h->type_len + h->str_len);
	memcpy(copy, body + h->type_off, h->type_len);
	memcpy(copy + h->type_len, body + h->str_off, h->str_len);
	if (h->magic != BTF_MAGIC)
		words_swap(copy, h->type_len);
	t->copy = copy;
	t->types = (const unsigned char *)copy;
	t->strs = copy + h->type_len;
}

static int parse(struct btf_types **ret, struct arena **mem, const void *p, size_t n, const struct btf_types *base,
		 struct err *e)
{
	__attribute__((cleanup(btf_release))) struct btf_types *t = NULL;
	const char *body;
	struct abi_btf_header h;
	bool big;
	int err;

	if (base && base->cut)
		return err_set(e, -EBADMSG, "the base BTF has types of unknown kinds");
	err = header_check(p, n, base, &h, e);
	if (err)
		return err;
	big = (h.magic == BTF_MAGIC) == BIG_HERE;
	if (base && base->big != big)
		return err_set(e, -EBADMSG, "BTF and its base differ in byte order");
	t = calloc(1, sizeof(*t));
	if (!t)
		arena_die(sizeof(*t));
	t->base = base;
	t->big = big;
	t->start = base ? base->count : 1;
	t->str_start = base ? base->str_end : 0;
	body = (const char *)p + h.hdr_len;
	t->types = (const unsigned char *)body + h.type_off;
	t->strs = body + h.str_off;
	if (!mem || (uintptr_t)t->types % sizeof(uint32_t) || h.magic != BTF_MAGIC)
		sections_copy(t, &h, body);
	err = strings_check(t, t->strs, h.str_len, e);
	if (!err)
		err = types_index(t, h.type_len, e);
	if (!err)
		err = types_check(t, e);
	if (err)
		return err;
	t->ptr_size = ptr_size(t);
	if (mem) {
		t->mem = *mem;
		*mem = NULL;
	}
	*ret = t;
	t = NULL;
	return 0;
}

int btf_parse(struct btf_types **ret, const void *p, size_t n, const struct btf_types *base, struct err *e)
{
	return parse(ret, NULL, p, n, base, e);
}

int btf_parse_in(struct btf_types **ret, struct arena **mem, const void *p, size_t n, const struct btf_types *base,
		 struct err *e)
{
	return parse(ret, mem, p, n, base, e);
}
