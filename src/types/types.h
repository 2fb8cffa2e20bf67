/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "types/btf.h"

/*
 * The result of btf_parse(), for check.c, btf.c and walks over all types of a kernel only. The type section is aligned;
 * off[] has the positions of its own types: type ID is at types + off[ID - start].
 */
struct btf_types {
	const struct btf_types *base;
	const unsigned char *types;
	const char *strs;
	void *copy;	   /* of both sections; NULL: they are in mem */
	struct arena *mem; /* owned; holds the bytes; or NULL */
	uint32_t *off;
	uint32_t types_len;	     /* size of the types that can be used, in bytes */
	uint32_t start, count;	     /* ids [start, count) are its own */
	uint32_t str_start, str_end; /* so are the string offsets [str_start, str_end) */
	uint32_t ptr_size;	     /* bytes of a pointer: 8, or 4 */
	bool ptr_by_members;	     /* 4, because members would overlap with 8 */
	bool big;		     /* values of these types begin with the most significant byte */
	uint32_t unknown;	     /* the first type of an unknown kind that could be skipped; 0: none */
	bool cut;		     /* ends before an unknown kind that could not */
};

/* btf_type() and btf_str() inlined, for walks over all types of a kernel. */
static inline const struct btf_type *type_at(const struct btf_types *t, uint32_t id)
{
	if (!id || id >= t->count)
		return NULL;
	while (id < t->start)
		t = t->base;
	return (const void *)(t->types + t->off[id - t->start]);
}

static inline const char *str_at(const struct btf_types *t, uint32_t off)
{
	if (off >= t->str_end)
		return "";
	while (off < t->str_start)
		t = t->base;
	return t->strs + (off - t->str_start);
}
