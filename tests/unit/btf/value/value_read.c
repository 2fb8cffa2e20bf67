/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/jsonr.h"
#include "btf/btf.h"
#include "btf/value/format.h"
#include "btf/value/value.h"
#include "../build.h"
#include "render/jsonw.h"

/* A type under test, parsed. */
struct lab {
	struct btf_build b;
	struct btf_types *t;
	struct arena *a;
};

static void lab_done(struct lab *l)
{
	struct err e = { 0 };

	build_done_little(&l->b);
	if (btf_parse(&l->t, l->b.out, l->b.out_n, NULL, &e))
		fail_msg("%s", e.msg);
	l->a = arena_new();
}

/* One with its own type. */
static uint32_t lab_of(struct lab *l, uint32_t (*build)(struct btf_build *))
{
	uint32_t type;

	build_init(&l->b);
	type = build(&l->b);
	lab_done(l);
	return type;
}

static void lab_free(struct lab *l)
{
	btf_release(&l->t);
	arena_free(l->a);
}

static void assert_read(struct lab *l, uint32_t type, const char *text, const void *want, size_t n)
{
	struct value_plan *p = value_plan(l->t, type, VALUE_FORMATTED, l->a);
	unsigned char got[64];
	struct err e = { 0 };
	struct jsonr r;

	memset(got, 0xcc, sizeof(got));
	jsonr_init(&r, "value", JSONR_HEX | JSONR_WORD, text, strlen(text));
	if (value_read(p, &r, got, n, &e))
		fail_msg("%s: %s", text, e.msg);
	assert_int_equal(jsonr_next(&r), JSONR_END);
	assert_memory_equal(got, want, n);
}

static void assert_refused(struct lab *l, uint32_t type, size_t n, const char *text, const char *sentence)
{
	struct value_plan *p = value_plan(l->t, type, VALUE_FORMATTED, l->a);
	unsigned char got[64];
	struct err e = { 0 };
	struct jsonr r;

	jsonr_init(&r, "value", JSONR_HEX | JSONR_WORD, text, strlen(text));
	assert_int_equal(value_read(p, &r, got, n, &e), -EINVAL);
	assert_string_equal(e.msg, sentence);
}

static void test_scalars(void **state)
{
	struct lab l = { 0 };
	uint32_t s8, u8, s32, u64, wide, flag, chr, ptr, e, f;

	(void)state;
	build_init(&l.b);
	s8 = build_int(&l.b, "s8", 1, BTF_INT_SIGNED, 0, 8);
	u8 = build_int(&l.b, "u8", 1, 0, 0, 8);
	s32 = build_int(&l.b, "s32", 4, BTF_INT_SIGNED, 0, 32);
	u64 = build_int(&l.b, "u64", 8, 0, 0, 64);
	wide = build_int(&l.b, "wide", 16, 0, 0, 128);
	flag = build_int(&l.b, "_Bool", 1, BTF_INT_BOOL, 0, 8);
	chr = build_int(&l.b, "chr", 1, BTF_INT_CHAR, 0, 8);
	ptr = build_ref(&l.b, BTF_KIND_PTR, NULL, u8);
	e = build_type(&l.b, "e", BTF_KIND_ENUM, 3, 0, 4);
	build_pair(&l.b, "NEG", (uint32_t)-1);
	build_pair(&l.b, "ONE", 1);
	build_pair(&l.b, "ALSO_ONE", 1);
	f = build_type(&l.b, "double", BTF_KIND_FLOAT, 0, 0, 8);
	lab_done(&l);
	assert_read(&l, s8, "-128", "\x80", 1);
	assert_read(&l, u8, "255", "\xff", 1);
	assert_read(&l, u8, "\"0xfF\"", "\xff", 1);
	assert_read(&l, s32, "-2", "\xfe\xff\xff\xff", 4);
	assert_read(&l, u64, "18446744073709551615", "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
	assert_read(&l, wide, "0x50000000000000007", "\7\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0", 16);
	assert_read(&l, wide, "340282366920938463463374607431768211455",
		    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16);
	assert_read(&l, flag, "true", "\1", 1);
	assert_read(&l, flag, "0", "\0", 1);
	assert_read(&l, chr, "\"A\"", "A", 1);
	assert_read(&l, chr, "\"\\u00e9\"", "\xe9", 1);
	assert_read(&l, chr, "0x9", "\t", 1);
	assert_read(&l, ptr, "\"(nil)\"", "\0\0\0\0\0\0\0\0", 8);
	assert_read(&l, ptr, "\"0x4d2\"", "\xd2\4\0\0\0\0\0\0", 8);
	assert_read(&l, e, "ALSO_ONE", "\1\0\0\0", 4);
	assert_read(&l, e, "NEG", "\xff\xff\xff\xff", 4);
	assert_read(&l, e, "-5", "\xfb\xff\xff\xff", 4);
	assert_read(&l, f, "0.5", "\0\0\0\0\0\0\xe0\x3f", 8);
	assert_refused(&l, u8, 1, "300", "value: 300 does not fit in 8 bits (0 to 255)");
	assert_refused(&l, u8, 1, "-1", "value: -1 does not fit in 8 bits (0 to 255)");
	assert_refused(&l, s8, 1, "128", "value: 128 does not fit in 8 bits (-128 to 127)");
	assert_refused(&l, u8, 1, "010", "value: '010' is not an integer");
	assert_refused(&l, u8, 1, "[1]", "value: a number is needed here, not an array");
	assert_refused(&l, u64, 8, "18446744073709551616",
		       "value: 18446744073709551616 does not fit in 64 bits (0 to 18446744073709551615)");
	assert_refused(&l, wide, 16, "340282366920938463463374607431768211456",
		       "value: 340282366920938463463374607431768211456 does not fit in 128 bits");
	assert_refused(&l, e, 4, "TWO", "value: 'TWO' is neither a number nor a name of this enum");
	assert_refused(&l, f, 8, "x", "value: 'x' is not a number");
	lab_free(&l);
}

static uint32_t build_pairs(struct btf_build *b)
{
	uint32_t u32 = build_int(b, "u32", 4, 0, 0, 32), s16 = build_int(b, "s16", 2, BTF_INT_SIGNED, 0, 16), s;

	s = build_type(b, "s", BTF_KIND_STRUCT, 3, 1, 8);
	build_member(b, "a", u32, 0);
	build_member(b, "b", s16, 32);
	build_member(b, "c", u32, 12u << 24 | 48);
	return s;
}

/* Numbers of either byte order. */
static void test_order(void **state)
{
	static const char text[] = "{\"a\":258,\"b\":-2,\"c\":\"0x123\"}";
	struct lab l = { 0 };
	uint32_t s = lab_of(&l, build_pairs);
	struct err e = { 0 };

	assert_read(&l, s, text, "\2\1\0\0\xfe\xff\x23\1", 8);
	btf_release(&l.t);
	build_turn(&l.b);
	assert_int_equal(btf_parse(&l.t, l.b.out, l.b.out_n, NULL, &e), 0);
	assert_read(&l, s, text, "\0\0\1\2\xff\xfe\x12\x30", 8);
	lab_free(&l);
}

/* struct v { u8 a; char comm[8]; struct { u8 x; u8 y; } in; struct { u8 u; union { u8 p; u8 q; }; }; u8 n[2]; int b:4;
 * }; 16 bytes */
static uint32_t build_v(struct btf_build *b)
{
	uint32_t u8 = build_int(b, "u8", 1, 0, 0, 8), chr = build_int(b, "char", 1, BTF_INT_SIGNED, 0, 8);
	uint32_t i = build_int(b, "int", 4, BTF_INT_SIGNED, 0, 32);
	uint32_t text = build_array(b, chr, i, 8), list = build_array(b, u8, i, 2), in, un, anon, v;

	in = build_type(b, "in", BTF_KIND_STRUCT, 2, 0, 2);
	build_member(b, "x", u8, 0);
	build_member(b, "y", u8, 8);
	un = build_type(b, NULL, BTF_KIND_UNION, 2, 0, 1);
	build_member(b, "p", u8, 0);
	build_member(b, "q", u8, 0);
	anon = build_type(b, NULL, BTF_KIND_STRUCT, 2, 0, 2);
	build_member(b, "u", u8, 0);
	build_member(b, NULL, un, 8);
	v = build_type(b, "v", BTF_KIND_STRUCT, 6, 1, 16);
	build_member(b, "a", u8, 0);
	build_member(b, "comm", text, 8);
	build_member(b, "in", in, 72);
	build_member(b, NULL, anon, 88);
	build_member(b, "n", list, 104);
	build_member(b, "b", i, 4u << 24 | 120);
	return v;
}

static const char v_bytes[16] = { 1, 'i', 'n', 'i', 't', 0, 0, 0, 0, 2, 3, 4, 5, 6, 7, 0xf };

static void test_struct(void **state)
{
	struct lab l = { 0 };
	uint32_t v;

	(void)state;
	v = lab_of(&l, build_v);
	assert_read(
		&l, v,
		"{\"a\":1,\"comm\":\"init\",\"in\":{\"x\":2,\"y\":3},\"\":{\"u\":4,\"\":{\"p\":5,\"q\":5}},\"n\":[6,7],\"b\":\"0xf\"}",
		v_bytes, 16);
	assert_read(
		&l, v,
		"{\"b\":-1,\"n\":[6,7],\"q\":5,\"u\":4,\"in\":{\"y\":3,\"x\":2},\"comm\":[105,110,105,116,0,0,0,0],\"a\":1}",
		v_bytes, 16);
	assert_refused(&l, v, 16, "{\"a\":1,\"in\":{\"x\":300}}", "value.in.x: 300 does not fit in 8 bits (0 to 255)");
	assert_refused(&l, v, 16, "{\"n\":[1,256]}", "value.n[1]: 256 does not fit in 8 bits (0 to 255)");
	assert_refused(&l, v, 16, "{\"n\":[1,2,3]}", "value.n: too many elements: the array has 2");
	assert_refused(&l, v, 16, "{\"n\":[1]}", "value.n: too few elements: 1 of 2");
	assert_refused(&l, v, 16, "{\"in\":{\"x\":1}}", "value.in: member 'y' is missing");
	assert_refused(&l, v, 16, "{\"in\":{\"x\":1,\"x\":1}}", "value.in: member 'x' is given twice");
	assert_refused(&l, v, 16, "{\"in\":{\"z\":1}}", "value.in: no member 'z'");
	assert_refused(&l, v, 16, "{\"in\":5}", "value.in: an object is needed here, not a number");
	assert_refused(&l, v, 16, "{\"\":{\"u\":1,\"\":{\"p\":1,\"q\":2}}}",
		       "value.\"\".\"\".q: contradicts another member of the same union");
	assert_refused(&l, v, 16, "{\"comm\":\"12345678\"}",
		       "value.comm: 8 characters do not fit: there is room for 7 and a NUL");
	assert_refused(&l, v, 16, "{\"b\":16}", "value.b: 16 does not fit in 4 bits (0 to 15)");
	assert_refused(&l, v, 16, "{\"a\":1", "value: byte 7: a comma or '}' is missing");
	lab_free(&l);
}

static void test_lock(void **state)
{
	struct lab l = { 0 };
	uint32_t u8, lock, v;

	(void)state;
	build_init(&l.b);
	u8 = build_int(&l.b, "u8", 1, 0, 0, 8);
	lock = build_type(&l.b, "bpf_spin_lock", BTF_KIND_STRUCT, 1, 0, 1);
	build_member(&l.b, "val", u8, 0);
	v = build_type(&l.b, "v", BTF_KIND_STRUCT, 2, 0, 2);
	build_member(&l.b, "lock", lock, 0);
	build_member(&l.b, "a", u8, 8);
	lab_done(&l);
	assert_read(&l, v, "{\"lock\":{\"val\":0},\"a\":1}", "\0\1", 2);
	assert_read(&l, v, "{\"a\":1}", "\0\1", 2);
	assert_refused(&l, v, 2, "{\"lock\":{}, \"a\":1}", "value.lock: member 'val' is missing");
	assert_refused(&l, v, 2, "{\"lock\":{\"val\":0}}", "value: member 'a' is missing");
	lab_free(&l);
}

static void test_set(void **state)
{
	static const struct {
		const char *assignment;
		size_t at;
		int want;
		const char *sentence;
	} rows[] = {
		{ "a=9", 0, 9, NULL },
		{ "in.y=0x10", 10, 16, NULL },
		{ "n[1]=8", 14, 8, NULL },
		{ "q=77", 12, 77, NULL },
		{ "comm=x", 2, 0, NULL },
		{ "in={\"x\":7,\"y\":8}", 9, 7, NULL },
		{ "b=3", 15, 3, NULL },
		{ "comm[0]=65", 1, 65, NULL },
		{ "comm=", 1, 0, NULL },
		{ "a+=3", 0, 4, NULL },
		{ "n[1]-=7", 14, 0, NULL },
		{ "in.y+=0x10", 10, 19, NULL },
		{ "b+=8", 15, 7, NULL },
		{ "a+=255", 0, 0, "a: 256 does not fit in 8 bits (0 to 255)" },
		{ "a-=2", 0, 0, "a: -1 does not fit in 8 bits (0 to 255)" },
		{ "b+=9", 0, 0, "b: 8 does not fit in 4 bits" },
		{ "comm+=1", 0, 0, "comm: only integers can be added to" },
		{ "a+=x", 0, 0, "a: 'x' is not an integer" },
		{ "a=300", 0, 0, "a: 300 does not fit in 8 bits (0 to 255)" },
		{ "z=1", 0, 0, "z: no member 'z'" },
		{ "in={\"x\":300}", 0, 0, "in.x: 300 does not fit in 8 bits (0 to 255)" },
		{ "n[2]=1", 0, 0, "n[2]: no element [2]: the array has 2" },
		{ "in.z=1", 0, 0, "in.z: no member 'z'" },
		{ "a[0]=1", 0, 0, "a[0]: no element '[0]'" },
		{ "a", 0, 0, "a: '=' is missing" },
		{ "a=", 0, 0, "a: '' is not an integer" },
		{ "n=[1,2", 0, 0, "n: the text: byte 5: a comma or ']' is missing" },
	};
	struct lab l = { 0 };
	uint32_t v;

	(void)state;
	v = lab_of(&l, build_v);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct value_plan *p = value_plan(l.t, v, VALUE_FORMATTED, l.a);
		unsigned char got[16];
		struct err e = { 0 };
		int err;

		memcpy(got, v_bytes, sizeof(got));
		err = value_set(p, rows[i].assignment, got, sizeof(got), &e);
		if (!err != !rows[i].sentence)
			fail_msg("%s: %s", rows[i].assignment, e.msg);
		if (err) {
			assert_string_equal(e.msg, rows[i].sentence);
			assert_memory_equal(got, v_bytes, sizeof(got));
		} else {
			assert_int_equal(got[rows[i].at], rows[i].want);
		}
	}
	lab_free(&l);
}

#define ADDRESSES 32
/* Types in which programs store addresses: an integer, lists, in6_addr. */
static uint32_t build_addresses(struct btf_build *b)
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

static int set_alone(struct lab *l, uint32_t type, const char *assignment, unsigned char *got, struct err *e)
{
	struct value_plan *p = value_plan(l->t, type, VALUE_FORMATTED, l->a);

	memset(got, 0, ADDRESSES);
	return value_set(p, assignment, got, ADDRESSES, e);
}

static void assert_set(struct lab *l, uint32_t type, const char *assignment, size_t at, const void *want, size_t n)
{
	unsigned char got[ADDRESSES];
	struct err e = { 0 };

	if (set_alone(l, type, assignment, got, &e))
		fail_msg("%s: %s", assignment, e.msg);
	assert_memory_equal(got + at, want, n);
}

static void assert_not_set(struct lab *l, uint32_t type, const char *assignment, const char *sentence)
{
	unsigned char got[ADDRESSES];
	struct err e = { 0 };

	assert_int_not_equal(set_alone(l, type, assignment, got, &e), 0);
	assert_string_equal(e.msg, sentence);
}

/* Random types: every kind, nested. */
static uint64_t seed;
static unsigned rnd(unsigned n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(seed >> 33) % n;
}

struct made {
	uint32_t id;
	unsigned size;
};

static struct made make_type(struct btf_build *b, unsigned depth);

static struct made make_int(struct btf_build *b)
{
	static const unsigned encodings[] = { 0, BTF_INT_SIGNED, BTF_INT_CHAR };
	unsigned size = 1u << rnd(5);

	if (size == 1 && !rnd(3))
		return (struct made){ build_int(b, "bool", 1, BTF_INT_BOOL, 0, 8), 1 };
	return (struct made){ build_int(b, "i", size, encodings[rnd(size == 1 ? 3 : 2)], 0, size * 8), size };
}

static struct made make_enum(struct btf_build *b)
{
	bool wide = rnd(2);
	unsigned i, n = rnd(4), size = wide ? 8 : 4;
	uint32_t id = build_type(b, "e", wide ? BTF_KIND_ENUM64 : BTF_KIND_ENUM, n, rnd(2), size);
	char name[8] = "W0";

	for (i = 0; i < n; i++, name[1]++) {
		if (wide)
			build_member(b, name, rnd(3), rnd(2) ? 0 : ~0u);
		else
			build_pair(b, name, rnd(2) ? rnd(5) : ~0u - rnd(3));
	}
	return (struct made){ id, size };
}

static struct made make_array(struct btf_build *b, unsigned depth)
{
	struct made e =
		rnd(3) ? make_type(b, depth + 1) : (struct made){ build_int(b, "char", 1, BTF_INT_SIGNED, 0, 8), 1 };
	unsigned n = e.size > 64 ? 1 : rnd(6);

	return (struct made){ build_array(b, e.id, e.id, n), e.size * n };
}

static struct made make_struct(struct btf_build *b, unsigned depth)
{
	bool is_union = !rnd(3), kflag = rnd(2);
	unsigned i, n = rnd(5), bit = 0, size = 0;
	struct {
		struct made t;
		unsigned bit, bits;
	} m[5];
	char name[8] = "m0";
	uint32_t id;

	for (i = 0; i < n; i++) {
		m[i].bits = 0;
		if (kflag && rnd(2)) {
			m[i].t = (struct made){ build_int(b, "f", 8, rnd(2) ? BTF_INT_SIGNED : 0, 0, 64), 0 };
			m[i].bits = 1 + rnd(64);
			m[i].bit = is_union ? 0 : bit;
		} else {
			m[i].t = make_type(b, depth + 1);
			bit = (bit + 7) / 8 * 8 + (rnd(3) ? 0 : 8 * rnd(4));
			m[i].bit = is_union ? 0 : bit;
		}
		bit = m[i].bit + (m[i].bits ? m[i].bits : m[i].t.size * 8);
		size = (bit + 7) / 8 > size ? (bit + 7) / 8 : size;
	}
	id = build_type(b, "s", is_union ? BTF_KIND_UNION : BTF_KIND_STRUCT, n, kflag, size);
	for (i = 0; i < n; i++, name[1]++) {
		unsigned kind = b->n ? rnd(3) : 0;

		build_member(b, kind || m[i].bits ? name : NULL, m[i].t.id, (kflag ? m[i].bits << 24 : 0) | m[i].bit);
	}
	return (struct made){ id, size };
}

static struct made make_type(struct btf_build *b, unsigned depth)
{
	static const unsigned quals[] = { BTF_KIND_TYPEDEF, BTF_KIND_CONST, BTF_KIND_VOLATILE, BTF_KIND_RESTRICT };
	struct made t;
	unsigned size;

	switch (rnd(depth < 4 ? 10 : 5)) {
	case 0:
		return make_enum(b);
	case 1:
		return (struct made){ build_ref(b, BTF_KIND_PTR, NULL, 0), 8 };
	case 2:
		size = rnd(2) ? 4 : 8;
		return (struct made){ build_type(b, "fl", BTF_KIND_FLOAT, 0, 0, size), size };
	case 5:
	case 6:
		return make_struct(b, depth);
	case 7:
		return make_array(b, depth);
	case 8:
		t = make_type(b, depth + 1);
		size = quals[rnd(4)];
		t.id = build_ref(b, size, size == BTF_KIND_TYPEDEF ? "td" : NULL, t.id);
		return t;
	default:
		return make_int(b);
	}
}

static struct made make_section(struct btf_build *b)
{
	struct made a = make_type(b, 1), c = make_type(b, 1);
	uint32_t va = build_var(b, "va", a.id), vc = build_var(b, "vc", c.id), id;

	id = build_type(b, ".data", BTF_KIND_DATASEC, 2, 0, a.size + c.size);
	build_secinfo(b, va, 0, a.size);
	build_secinfo(b, vc, a.size, c.size);
	return (struct made){ id, a.size + c.size };
}

static void print(const struct value_plan *p, const void *bytes, size_t n, enum value_form form, struct out *o)
{
	struct jsonw w;

	out_init(o, -1);
	jsonw_init(&w, o, form == VALUE_TYPED);
	value_print(p, &w, bytes, n);
}

/* Printed values are read, and then print the same. */
static unsigned assert_round_trip(struct lab *l, struct made t, enum value_form form)
{
	struct value_plan *p = value_plan(l->t, t.id, form, l->a);
	unsigned char *bytes = malloc(t.size + 1), *back = malloc(t.size + 1);
	bool exact = value_exact(p, t.size);
	struct err e = { 0 };
	struct out a, b;
	struct jsonr r;

	assert_false(value_exact(p, t.size + 1));
	for (unsigned i = 0; i < t.size; i++)
		bytes[i] = (unsigned char)(rnd(3) ? rnd(256) : rnd(2) ? 0 : 'a' + rnd(3));
	memset(back, 0xcc, t.size + 1);
	print(p, bytes, t.size, form, &a);
	out_cstr(&a);
	jsonr_init(&r, "value", form == VALUE_TYPED ? JSONR_HEX : 0, a.buf, a.n);
	if (value_read(p, &r, back, t.size, &e))
		fail_msg("%.*s: %s", (int)a.n, a.buf, e.msg);
	assert_int_equal(jsonr_next(&r), JSONR_END);
	print(p, back, t.size, form, &b);
	if (strcmp(a.buf, out_cstr(&b)) != 0)
		fail_msg("%s\nbecame\n%s", a.buf, b.buf);
	if (exact)
		assert_memory_equal(bytes, back, t.size);
	out_close(&a, NULL);
	out_close(&b, NULL);
	free(bytes);
	free(back);
	return exact;
}

static void test_random(void **state)
{
	unsigned exact = 0, tried = 0;
	struct lab l;
	struct made t;

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		seed = i;
		rnd(2);
		build_init(&l.b);
		t = i % 10 ? make_type(&l.b, 0) : make_section(&l.b);
		if (t.size > 4000 || l.b.n > 3500)
			continue;
		lab_done(&l);
		for (unsigned k = 0; k < 4; k++, tried++)
			exact += assert_round_trip(&l, t, k & 1 ? VALUE_TYPED : VALUE_FORMATTED);
		lab_free(&l);
	}
	/* The test was not empty. */
	assert_true(tried > 8000);
	assert_true(exact > 1000 && exact < tried / 2 + tried / 4);
}

/* The output of --format is also read without it, except numbers in network order, which need the format. */
static void test_formats(void **state)
{
	static const struct {
		const char *path;
		enum format format;
		bool alone;
	} rows[] = {
		{ ".word", FORMAT_IP, true },	 { ".word", FORMAT_HEX, true }, { ".word", FORMAT_BE32, false },
		{ ".half", FORMAT_BE16, false }, { ".half", FORMAT_HEX, true }, { ".four", FORMAT_IP, true },
		{ ".mac", FORMAT_MAC, true },	 { ".mac", FORMAT_HEX, false }, { ".wide", FORMAT_IP, true },
		{ ".wide", FORMAT_HEX, false },
	};
	struct lab l = { 0 };
	uint32_t v;

	(void)state;
	v = lab_of(&l, build_addresses);
	for (unsigned i = 0; i < 2000; i++) {
		const struct value_plan *alone = value_plan(l.t, v, VALUE_FORMATTED, l.a), *p = alone;
		unsigned row = rnd(sizeof(rows) / sizeof(rows[0]));
		unsigned char bytes[ADDRESSES], got[ADDRESSES];
		struct err e = { 0 };
		struct out text;

		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = (unsigned char)(rnd(3) ? rnd(256) : 0);
		assert_int_equal(format_apply(&p, "value", rows[row].path, rows[row].format, NULL, l.a, &e), 0);
		print(p, bytes, sizeof(bytes), VALUE_FORMATTED, &text);
		out_cstr(&text);
		for (unsigned k = 0; k < 1u + rows[row].alone; k++) {
			struct jsonr r;

			jsonr_init(&r, "value", 0, text.buf, text.n);
			if (value_read(k ? alone : p, &r, got, sizeof(got), &e))
				fail_msg("%s: %s", text.buf, e.msg);
			assert_memory_equal(got, bytes, sizeof(bytes));
		}
		out_close(&text, NULL);
	}
	lab_free(&l);
}

static void test_addresses(void **state)
{
	struct lab l = { 0 };
	uint32_t v;

	(void)state;
	v = lab_of(&l, build_addresses);
	assert_set(&l, v, "word=10.9.0.1", 0, "\x0a\x09\0\1", 4);
	assert_set(&l, v, "four=\"10.9.0.2\"", 4, "\x0a\x09\0\2", 4);
	assert_set(&l, v, "mac=02:11:22:33:44:55", 8, "\x02\x11\x22\x33\x44\x55", 6);
	assert_set(&l, v, "wide=fe80::1", 16, "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);
	assert_not_set(&l, v, "word=10.9.0", "word: '10.9.0' is not an integer");
	assert_not_set(&l, v, "half=10.9.0.1", "half: '10.9.0.1' is not an integer");
	assert_not_set(&l, v, "four=::1", "four: an array is needed here, not text");
	assert_not_set(&l, v, "mac=02:11:22:33:44", "mac: an array is needed here, not text");
	lab_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scalars), cmocka_unit_test(test_order),	  cmocka_unit_test(test_struct),
		cmocka_unit_test(test_lock),	cmocka_unit_test(test_set),	  cmocka_unit_test(test_random),
		cmocka_unit_test(test_formats), cmocka_unit_test(test_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
