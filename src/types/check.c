/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/types.h"

#include <byteswap.h>

#include "base/bytes.h"
#include "kernel/abi.h"
#include "kernel/btf_kinds.h"

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

/*
 * Sets the size of pointers, which BTF does not contain: that of its base, or of a long; if no long is in it, 4 if
 * members of a struct would overlap or exceed it with 8, and would not with 4; else 8.
 */
static void pointers_measure(struct btf_types *t)
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

#define NAME_SHOWN 128 /* most characters of a name in a message */

/* What is wrong with a type: a name or a type id, of the type or of one of its parts. */
struct fault {
	const unsigned char *part; /* NULL: the type itself */
	unsigned i;		   /* which part, from 0 */
	bool name;
	uint32_t value;
};

static bool name_bad(const struct btf_types *t, uint32_t off, struct fault *f)
{
	f->name = true;
	f->value = off;
	return off >= t->str_end;
}

/* A truncated BTF may refer to types that it lost, which are void; the kernel checked these ids. */
static bool id_bad(const struct btf_types *t, uint32_t id, struct fault *f)
{
	f->name = false;
	f->value = id;
	return id >= t->count && !t->cut;
}

static uint32_t word_at(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* What a type of an unknown kind means is unknown too, so nothing of it is wrong. */
static bool type_bad(const struct btf_types *t, const struct btf_type *type, struct fault *f)
{
	const struct btf_kind_row *row = btf_kind_row(ABI_BTF_KIND(type->info));
	const unsigned char *p = (const unsigned char *)(type + 1);
	unsigned n = row->each ? btf_vlen_of(type) : 0;

	f->part = NULL;
	if (row->known && name_bad(t, type->name_off, f))
		return true;
	if (row->refers && id_bad(t, type->type, f))
		return true;
	for (unsigned i = 0; i < row->ids; i++)
		if (id_bad(t, word_at(p + i * sizeof(uint32_t)), f))
			return true;
	p += row->fixed;
	for (unsigned i = 0; i < n; i++, p += row->each) {
		f->part = p;
		f->i = i;
		if (row->named && name_bad(t, word_at(p), f))
			return true;
		if (row->id >= 0 && id_bad(t, word_at(p + row->id), f))
			return true;
	}
	return false;
}

/* Appends " 'foo'"; nothing for what has no name, or none that can be read. */
static void quoted_add(const struct btf_types *t, uint32_t off, struct str *ret)
{
	const char *name = str_at(t, off);

	if (*name)
		str_fmt(ret, " '%.*s'", NAME_SHOWN, name);
}

/* Appends "BTF type 12 'foo'". */
static void title_add(const struct btf_types *t, uint32_t id, const struct btf_type *type, struct str *ret)
{
	str_fmt(ret, "BTF type %u", id);
	quoted_add(t, type->name_off, ret);
}

static int fault_report(const struct btf_types *t, uint32_t id, const struct btf_type *type, const struct fault *f,
			struct err *e)
{
	const struct btf_kind_row *row = btf_kind_row(btf_kind_of(type));
	STR where = { 0 };

	title_add(t, id, type, &where);
	if (f->part)
		str_fmt(&where, ", %s %u", row->part, f->i);
	if (f->part && row->named)
		quoted_add(t, word_at(f->part), &where);
	return f->name ? err_set(e, -EBADMSG, "%s: its name is at offset %u; the strings have %u bytes", where.p,
				 f->value, t->str_end) :
			 err_set(e, -EBADMSG, "%s: refers to type %u; there are %u types", where.p, f->value,
				 t->count - 1);
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

static int type_truncated(const struct btf_types *t, uint32_t id, const struct btf_type *type, size_t len, size_t left,
			  struct err *e)
{
	const struct btf_kind_row *row = btf_kind_row(btf_kind_of(type));
	STR what = { 0 };

	title_add(t, id, type, &what);
	if (row->part)
		str_fmt(&what, ", which has %u %ss,", btf_vlen_of(type), row->part);
	return err_set(e, -EBADMSG, "%s is truncated: %zu of its %zu bytes are left", what.p, left, len);
}

/* Bytes of the type at @p, of which @left are in the section. 0: of a kind without a size. */
static int type_measure(struct btf_types *t, uint32_t id, const struct btf_layouts *l, const unsigned char *p,
			size_t left, size_t *ret, struct err *e)
{
	const struct btf_type *type = (const void *)p;

	if (left < sizeof(*type))
		return err_set(e, -EBADMSG, "BTF type %u is truncated: %zu of its %zu bytes are left", id, left,
			       sizeof(*type));
	if (!ABI_BTF_KIND(type->info))
		return err_set(e, -EBADMSG, "BTF type %u is of kind 0", id);
	*ret = btf_type_bytes(type, l);
	if (*ret % sizeof(uint32_t))
		return err_set(e, -EBADMSG, "BTF type %u of kind %u has a size of %zu bytes, which is no multiple of 4",
			       id, ABI_BTF_KIND(type->info), *ret);
	if (*ret > left)
		return type_truncated(t, id, type, *ret, left, e);
	if (!t->unknown && !btf_kind_row(ABI_BTF_KIND(type->info))->known)
		t->unknown = id;
	return 0;
}

/* Finds the start of each type; stops at a kind whose size is unknown. */
static int types_index(struct btf_types *t, uint32_t n, const struct btf_layouts *l, struct err *e)
{
	size_t at = 0, len = 0, max = n / sizeof(struct btf_type);
	uint32_t id = t->start;

	t->off = malloc((max + 1) * sizeof(*t->off));
	if (!t->off)
		arena_die(n);
	t->unknown = t->base ? t->base->unknown : 0;
	for (; at < n; at += len, id++) {
		int err = type_measure(t, id, l, t->types + at, n - at, &len, e);

		if (err)
			return err;
		t->cut = !len;
		if (t->cut)
			break;
		if (id == UINT32_MAX - 1)
			return err_set(e, -EBADMSG, "BTF has too many types");
		t->off[id - t->start] = (uint32_t)at;
	}
	t->types_len = (uint32_t)at;
	t->count = id;
	t->off = array_resize(t->off, (size_t)(id - t->start) + 1, sizeof(*t->off));
	return 0;
}

static int types_check(const struct btf_types *t, struct err *e)
{
	struct fault f;

	for (uint32_t i = 0; i < t->count - t->start; i++) {
		const struct btf_type *type = (const void *)(t->types + t->off[i]);

		if (type_bad(t, type, &f))
			return fault_report(t, t->start + i, type, &f, e);
	}
	return 0;
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
	struct btf_layouts layouts;
	bool big;
	int err;

	if (base && btf_whole(base, e))
		return err_in(e, "the base");
	err = header_check(p, n, base, &h, e);
	if (err)
		return err;
	if (btf_layouts_find(p, n, h.magic != BTF_MAGIC, &layouts))
		return err_set(e, -EBADMSG, "BTF layout section exceeds the data");
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
		err = types_index(t, h.type_len, &layouts, e);
	if (!err)
		err = types_check(t, e);
	if (err)
		return err;
	pointers_measure(t);
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
