/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "types/btf.h"
#include "../build.h"

/* A type under test, parsed. */
struct lab {
	struct btf_build b;
	struct btf_types *t;
	struct arena *a;
};

static inline void lab_done(struct lab *l)
{
	struct err e = { 0 };

	build_done_little(&l->b);
	if (btf_parse(&l->t, l->b.out, l->b.out_n, NULL, &e))
		fail_msg("%s", e.msg);
	l->a = arena_new();
}

/* One with its own type. */
static inline uint32_t lab_of(struct lab *l, uint32_t (*build)(struct btf_build *))
{
	uint32_t type;

	build_init(&l->b);
	type = build(&l->b);
	lab_done(l);
	return type;
}

static inline void lab_free(struct lab *l)
{
	btf_release(&l->t);
	arena_free(l->a);
}

#define ADDRESSES 32
/* Types in which programs store addresses: an integer, lists, in6_addr. */
static inline uint32_t build_addresses(struct btf_build *b)
{
	uint32_t u8 = build_int(b, "u8", 1, 0, 0, 8), u16 = build_int(b, "u16", 2, 0, 0, 16),
		 u32 = build_int(b, "u32", 4, 0, 0, 32);
	uint32_t four = build_array(b, u8, u32, 4), six = build_array(b, u8, u32, 6),
		 sixteen = build_array(b, u8, u32, 16);
	uint32_t words = build_array(b, u32, u32, 4), in6 = build_type(b, "in6_u", BTF_KIND_UNION, 2, 0, 16), v;

	build_member(b, "u6_addr8", sixteen, 0);
	build_member(b, "u6_addr32", words, 0);
	v = build_type(b, "in6_addr", BTF_KIND_STRUCT, 1, 0, 16);
	build_member(b, "in6_u", in6, 0);
	in6 = v;
	v = build_type(b, "v", BTF_KIND_STRUCT, 5, 0, ADDRESSES);
	build_member(b, "word", u32, 0);
	build_member(b, "four", four, 32);
	build_member(b, "mac", six, 64);
	build_member(b, "half", u16, 112);
	build_member(b, "wide", in6, 128);
	return v;
}
