/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdio.h>
#include "../build.h"

/* Types of all kinds that values have, chosen by a seed. */

static uint64_t seed;

static unsigned rnd(unsigned n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(seed >> 33) % n;
}

struct made {
	uint32_t id;
	unsigned bits, bitfield;
	const char *name, *tag;
};

static struct made make_int(struct btf_build *b)
{
	const unsigned size = 1u << rnd(5), sign = rnd(2) ? BTF_INT_SIGNED : 0,
		       encoding = size == 1 && rnd(2) ? BTF_INT_CHAR : sign;

	return (struct made){ build_int(b, "i", size, encoding, 0, size * 8), size * 8, 0, NULL, NULL };
}

static struct made make_enum(struct btf_build *b)
{
	const bool wide = rnd(2);
	const uint32_t id = build_type(b, "e", wide ? BTF_KIND_ENUM64 : BTF_KIND_ENUM, 2, rnd(2), wide ? 8 : 4);

	for (unsigned i = 0; i < 2; i++) {
		if (wide)
			build_member(b, i ? "HIGH" : "LOW", i, i ? ~0u : 0);
		else
			build_pair(b, i ? "HIGH" : "LOW", i ? ~0u : 0);
	}
	return (struct made){ id, wide ? 64 : 32, 0, NULL, NULL };
}

static struct made make_bits(struct btf_build *b)
{
	const unsigned bits = 1 + rnd(63);
	const struct made named = rnd(3) ? (struct made){ 0 } : make_enum(b);

	if (named.id)
		return (struct made){ named.id, 0, 1 + rnd(named.bits - 1), NULL, NULL };
	return (struct made){ build_int(b, "f", 8, rnd(2) ? BTF_INT_SIGNED : 0, 0, 64), 0, bits, NULL, NULL };
}

static uint32_t make_bytes(struct btf_build *b, unsigned n)
{
	const uint32_t byte = build_int(b, "unsigned char", 1, 0, 0, 8);

	return build_array(b, byte, byte, n);
}

static uint32_t make_uint(struct btf_build *b, unsigned size)
{
	return build_int(b, "u", size, 0, 0, size * 8);
}

/* Types with names that imply a format. */
static struct made make_named(struct btf_build *b)
{
	static const struct {
		const char *word;
		unsigned size;
	} words[] = {
		{ "__be16", 2 }, { "__be32", 4 }, { "__be64", 8 }, { "__le16", 2 }, { "__le32", 4 }, { "__le64", 8 },
	};
	const unsigned w = rnd(6);
	uint32_t id = build_ref(b, BTF_KIND_TYPEDEF, words[w].word, make_uint(b, words[w].size));
	unsigned bits = words[w].size * 8;

	if (rnd(3))
		return (struct made){ id, bits, 0, w == 1 && rnd(2) ? "saddr" : NULL, NULL };
	if (rnd(2)) {
		const uint32_t in = build_type(b, "s", BTF_KIND_STRUCT, 1, 0, words[w].size);

		build_member(b, "port", id, 0);
		return (struct made){ build_array(b, in, in, 2), 2 * bits, 0, NULL, NULL };
	}
	id = build_ref(b, BTF_KIND_TYPEDEF, "__be32", make_uint(b, 4));
	bits = rnd(2) ? 32 : 128;
	if (bits == 128)
		return (struct made){ build_array(b, id, id, 4), bits, 0, "addr6", NULL };
	build_type(b, w ? "in_addr" : "a_struct", BTF_KIND_STRUCT, 1, 0, 4);
	build_member(b, "s_addr", id, 0);
	return (struct made){ b->next - 1, bits, 0, NULL, NULL };
}

/* Types with tags that imply a format. */
static struct made make_tagged(struct btf_build *b)
{
	static const struct {
		const char *tag;
		unsigned size;
		bool list;
	} tags[] = {
		{ "bpflens:ip", 4, false },	 { "bpflens:ip", 16, true },   { "bpflens:mac", 6, true },
		{ "bpflens:be16", 2, false },	 { "bpflens:be32", 4, false }, { "bpflens:be64", 8, false },
		{ "bpflens:le16", 2, false },	 { "bpflens:le32", 4, false }, { "bpflens:le64", 8, false },
		{ "bpflens:ktime", 8, false },	 { "bpflens:ksym", 8, false }, { "bpflens:cgroup", 8, false },
		{ "bpflens:ifindex", 4, false }, { "bpflens:hex", 4, false },  { "bpflens:hex", 12, true },
		{ "bpflens:str", 8, true },
	};
	const unsigned i = rnd(sizeof(tags) / sizeof(tags[0]));

	if (!rnd(8)) { /* a format of each element */
		const uint32_t word = make_uint(b, 4);

		return (struct made){ build_array(b, word, word, 2), 64, 0, NULL, "bpflens:ip" };
	}
	return (struct made){ tags[i].list ? make_bytes(b, tags[i].size) : make_uint(b, tags[i].size), tags[i].size * 8,
			      0, NULL, tags[i].tag };
}

static struct made make_other(struct btf_build *b)
{
	const uint32_t c = build_int(b, "char", 1, BTF_INT_SIGNED, 0, 8);
	const unsigned n = 1 + rnd(9);

	switch (rnd(7)) {
	case 0:
		return (struct made){ build_int(b, "bool", 1, BTF_INT_BOOL, 0, 8), 8, 0, NULL, NULL };
	case 1:
		return (struct made){ build_ref(b, BTF_KIND_PTR, NULL, 0), 64, 0, NULL, NULL };
	case 2:
		return (struct made){ build_type(b, "fl", BTF_KIND_FLOAT, 0, 0, 4), 32, 0, NULL, NULL };
	case 3:
		return (struct made){ build_type(b, "db", BTF_KIND_FLOAT, 0, 0, 8), 64, 0, NULL, NULL };
	case 4:
		return (struct made){ build_array(b, c, c, n), n * 8, 0, NULL, NULL };
	case 5:
		return (struct made){ make_bytes(b, 6), 48, 0, "mac", NULL };
	default:
		return (struct made){ make_bytes(b, n), n * 8, 0, NULL, NULL };
	}
}

static struct made make_nested(struct btf_build *b);

#define MEMBERS 8u
static uint32_t make_struct(struct btf_build *b, unsigned *ret_size)
{
	static struct made (*const makers[])(struct btf_build * b) = { make_int,    make_bits,	make_enum,  make_named,
								       make_tagged, make_other, make_nested };
	char names[MEMBERS][16];
	struct made m[MEMBERS];
	unsigned bit = 0, at[MEMBERS];
	uint32_t id;

	for (unsigned i = 0; i < MEMBERS; i++) {
		m[i] = makers[rnd(7)](b);
		bit = m[i].bitfield ? bit : (bit + 7) / 8 * 8;
		at[i] = bit;
		bit += m[i].bitfield ? m[i].bitfield : m[i].bits;
	}
	*ret_size = (bit + 63) / 64 * 8;
	id = build_type(b, "t", BTF_KIND_STRUCT, MEMBERS, 1, *ret_size);
	for (unsigned i = 0; i < MEMBERS; i++) {
		snprintf(names[i], sizeof(names[i]), m[i].name ? "m%u_%s" : "m%u", i, m[i].name);
		build_member(b, names[i], m[i].id, m[i].bitfield << 24 | at[i]);
	}
	for (unsigned i = 0; i < MEMBERS; i++) {
		if (!m[i].tag)
			continue;
		build_type(b, m[i].tag, BTF_KIND_DECL_TAG, 0, 0, id);
		build_word(b, i);
	}
	return id;
}

/* A struct, or a list of them, or a grid of numbers. */
static struct made make_nested(struct btf_build *b)
{
	const struct made x = make_int(b), y = make_enum(b);
	const unsigned bits = x.bits + y.bits, n = 1 + rnd(3);
	uint32_t in;

	if (!rnd(3)) {
		in = build_array(b, x.id, x.id, 2);
		return (struct made){ build_array(b, in, in, n), 2 * n * x.bits, 0, NULL, NULL };
	}
	in = build_type(b, "in", BTF_KIND_STRUCT, 2, 0, bits / 8);
	build_member(b, "x", x.id, 0);
	build_member(b, "y", y.id, x.bits);
	if (rnd(2))
		return (struct made){ in, bits, 0, NULL, NULL };
	return (struct made){ build_array(b, in, in, n), n * bits, 0, NULL, NULL };
}
