/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "types/btf.h"
#include "types/value/value.h"
#include "lab.h"
#include "render/jsonw.h"

/* One value printed in compact JSON, or, typed, as in `map dump` but in one line. */
typedef struct value_plan *make_plan(const struct btf_types *t, uint32_t type, enum value_form form, struct arena *a);

static void assert_made(make_plan *make, struct btf_build *b, uint32_t type, enum value_form form, const void *bytes,
			size_t n, const char *want)
{
	struct btf_types *t = NULL;
	ARENA a = arena_new();
	struct err e = { 0 };
	struct jsonw w;
	struct out o;

	build_done_little(b);
	if (btf_parse(&t, b->out, b->out_n, NULL, &e))
		fail_msg("%s", e.msg);
	out_init(&o, -1);
	jsonw_init(&w, &o, false);
	value_print(make(t, type, form, a), &w, bytes, n);
	assert_int_equal(w.depth, 0);
	assert_string_equal(out_cstr(&o), want);
	out_close(&o, NULL);
	btf_release(&t);
}

#define assert_value(...) assert_made(value_plan, __VA_ARGS__)
#define FORMATTED(b, type, bytes, want) assert_value(b, type, VALUE_FORMATTED, bytes, sizeof(bytes), want)
#define TYPED(b, type, bytes, want) assert_value(b, type, VALUE_TYPED, bytes, sizeof(bytes), want)

static void test_ints(void **state)
{
	static const unsigned char neg[16] = { 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					       0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	static const unsigned char five[16] = { 7, 0, 0, 0, 0, 0, 0, 0, 5 };
	struct btf_build b;
	uint32_t s, u, wide, odd;

	(void)state;
	build_init(&b);
	for (unsigned bytes = 1; bytes <= 8; bytes *= 2) {
		s = build_int(&b, "s", bytes, BTF_INT_SIGNED, 0, bytes * 8);
		u = build_int(&b, "u", bytes, 0, 0, bytes * 8);
		FORMATTED(&b, s, neg, "-2");
		TYPED(&b, s, neg, "-2");
		FORMATTED(&b, u, neg,
			  bytes == 1 ? "254" :
			  bytes == 2 ? "65534" :
			  bytes == 4 ? "4294967294" :
				       "18446744073709551614");
		assert_value(&b, u, VALUE_FORMATTED, neg, bytes - 1, "null");
	}
	wide = build_int(&b, "wide", 16, BTF_INT_SIGNED, 0, 128);
	FORMATTED(&b, wide, neg, "\"0xfffffffffffffffffffffffffffffffe\"");
	TYPED(&b, wide, neg, "0xfffffffffffffffffffffffffffffffe");
	TYPED(&b, wide, five, "0x50000000000000007");
	odd = build_int(&b, "odd", 4, 0, 3, 7);
	FORMATTED(&b, odd, neg, "\"0x7f\"");
}

static void test_bool_char_pointer(void **state)
{
	struct btf_build b;
	uint32_t flag, chr, ptr, f, d, half;

	(void)state;
	build_init(&b);
	flag = build_int(&b, "_Bool", 1, BTF_INT_BOOL, 0, 8);
	chr = build_int(&b, "chr", 1, BTF_INT_CHAR, 0, 8);
	ptr = build_ref(&b, BTF_KIND_PTR, NULL, flag);
	f = build_type(&b, "float", BTF_KIND_FLOAT, 0, 0, 4);
	d = build_type(&b, "double", BTF_KIND_FLOAT, 0, 0, 8);
	half = build_type(&b, "huge", BTF_KIND_FLOAT, 0, 0, 32);
	FORMATTED(&b, flag, "\1", "true");
	FORMATTED(&b, flag, "\2", "true");
	FORMATTED(&b, flag, "\0", "false");
	FORMATTED(&b, chr, "A", "\"A\"");
	TYPED(&b, chr, "A", "\"A\"");
	TYPED(&b, chr, "\t", "0x9");
	TYPED(&b, chr, "\xe9", "0xe9");
	FORMATTED(&b, chr, "\x1f", "\"\\u001f\"");
	FORMATTED(&b, chr, "\xe9", "\"\xc3\xa9\"");
	FORMATTED(&b, ptr, "\xd2\4\0\0\0\0\0\0", "1234");
	TYPED(&b, ptr, "\xd2\4\0\0\0\0\0\0", "\"0x4d2\"");
	TYPED(&b, ptr, "\0\0\0\0\0\0\0\0", "\"(nil)\"");
	assert_value(&b, f, VALUE_FORMATTED, "\0\0\x60\x40", 4, "3.5");
	assert_value(&b, d, VALUE_TYPED, "\x9c\x75\0\x88\x3c\xe4\x37\x7e", 8, "1e+300");
	FORMATTED(&b, half, "0123456789012345678901234567890123", "null");
}

static void test_enums(void **state)
{
	struct btf_build b;
	uint32_t e, tiny, e64, big;

	(void)state;
	build_init(&b);
	e = build_type(&b, "e", BTF_KIND_ENUM, 3, 0, 4);
	build_pair(&b, "NEG", (uint32_t)-1);
	build_pair(&b, "ONE", 1);
	build_pair(&b, "ALSO_ONE", 1);
	tiny = build_type(&b, "tiny", BTF_KIND_ENUM, 1, 0, 1);
	build_pair(&b, "TWO_HUNDRED", 200);
	e64 = build_type(&b, "e64", BTF_KIND_ENUM64, 2, 0, 8);
	build_member(&b, "BIG", 1, 2);
	build_member(&b, "TOP", 0xffffffff, 0xffffffff);
	big = build_type(&b, "s64", BTF_KIND_ENUM64, 1, 1, 8);
	build_member(&b, "M", 0xffffffff, 0xffffffff);
	FORMATTED(&b, e, "\xff\xff\xff\xff", "\"NEG\"");
	FORMATTED(&b, e, "\1\0\0\0", "\"ONE\"");
	FORMATTED(&b, e, "\x4d\0\0\0", "77");
	FORMATTED(&b, e, "\xfb\xff\xff\xff", "-5");
	FORMATTED(&b, tiny, "\xc8", "\"TWO_HUNDRED\"");
	FORMATTED(&b, e64, "\1\0\0\0\2\0\0\0", "\"BIG\"");
	FORMATTED(&b, e64, "\xff\xff\xff\xff\xff\xff\xff\xff", "\"TOP\"");
	FORMATTED(&b, e64, "\xfe\xff\xff\xff\xff\xff\xff\xff", "18446744073709551614");
	FORMATTED(&b, big, "\xff\xff\xff\xff\xff\xff\xff\xff", "\"M\"");
	FORMATTED(&b, big, "\xfe\xff\xff\xff\xff\xff\xff\xff", "-2");
}

static void test_arrays(void **state)
{
	struct btf_build b;
	uint32_t i, chr, uchr, mychar, text, bytes, typedefs, empty, grid, texts, none, flags;

	(void)state;
	build_init(&b);
	i = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	chr = build_int(&b, "char", 1, BTF_INT_SIGNED, 0, 8);
	uchr = build_int(&b, "unsigned char", 1, 0, 0, 8);
	mychar = build_ref(&b, BTF_KIND_TYPEDEF, "mychar", chr);
	flags = build_int(&b, "c", 1, BTF_INT_CHAR, 0, 8);
	text = build_ref(&b, BTF_KIND_CONST, NULL, chr);
	text = build_array(&b, text, i, 4);
	bytes = build_array(&b, uchr, i, 4);
	typedefs = build_array(&b, mychar, i, 4);
	grid = build_array(&b, i, i, 2);
	grid = build_array(&b, grid, i, 2);
	texts = build_array(&b, text, i, 2);
	none = build_array(&b, i, i, 0);
	empty = build_array(&b, none, i, 3);
	FORMATTED(&b, text, ((char[]){ 'a', 'b', 0, 'x' }), "\"ab\"");
	FORMATTED(&b, text, ((char[]){ 0, 'b', 0, 'x' }), "\"\"");
	FORMATTED(&b, text, ((char[]){ 'a', 'b', 'c', 'd' }), "[97,98,99,100]");
	FORMATTED(&b, text, ((char[]){ 'a', '\n', 0, 0 }), "[97,10,0,0]");
	FORMATTED(&b, text, ((char[]){ 'a', -61, 0, 0 }), "[97,-61,0,0]");
	TYPED(&b, text, ((char[]){ '"', '\\', 0, 0 }), "\"\\\"\\\\\"");
	FORMATTED(&b, bytes, ((char[]){ 'a', 'b', 0, 0 }), "[97,98,0,0]");
	FORMATTED(&b, typedefs, ((char[]){ 'a', 'b', 0, 0 }), "[97,98,0,0]");
	FORMATTED(&b, grid, ((uint32_t[]){ htole32(1), htole32(2), htole32(3), htole32(4) }), "[[1,2],[3,4]]");
	assert_value(&b, grid, VALUE_FORMATTED, "123456789012345", 15, "null");
	FORMATTED(&b, texts, ((char[]){ 'a', 0, 0, 0, 'b', 'c', 'd', 'e' }), "[\"a\",[98,99,100,101]]");
	assert_value(&b, none, VALUE_FORMATTED, "", 0, "[]");
	assert_value(&b, empty, VALUE_FORMATTED, "", 0, "[[],[],[]]");
	FORMATTED(&b, build_array(&b, flags, i, 2), "xy", "[\"x\",\"y\"]");
}

/* Elements of size 0 have no bytes that limit their number, so the product of the counts is limited. */
static void test_empty_elements(void **state)
{
	static const struct {
		uint32_t outer, inner;
		bool shown;
	} rows[] = { { 1, 256, true }, { 16, 16, true }, { 1, 257, false }, { 257, 1, false }, { 16, 17, false } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct btf_build b;
		uint32_t index, type;
		char want[2048] = "", *p = want;

		build_init(&b);
		index = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
		type = build_array(&b, build_array(&b, index, index, 0), index, rows[i].inner);
		type = build_array(&b, type, index, rows[i].outer);
		for (uint32_t k = 0; k < rows[i].outer; k++) {
			p += sprintf(p, "%c", k ? ',' : '[');
			for (uint32_t m = 0; rows[i].shown && m < rows[i].inner; m++)
				p += sprintf(p, "%s[]", m ? "," : "[");
			p += sprintf(p, "%s", rows[i].shown ? "]" : "null");
		}
		strcpy(p, "]");
		assert_value(&b, type, VALUE_FORMATTED, "", 0, rows[i].outer > 256 ? "null" : want);
	}
}

static void test_structs(void **state)
{
	struct btf_build b;
	uint32_t i, s, inner, un, bits, flex, fwd, fn, odd, sec, v1;

	(void)state;
	build_init(&b);
	i = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	un = build_type(&b, NULL, BTF_KIND_UNION, 2, 0, 4);
	build_member(&b, "u", i, 0);
	build_member(&b, "v", i, 0);
	inner = build_type(&b, "in\"ner", BTF_KIND_STRUCT, 2, 0, 8);
	build_member(&b, "a\"b", i, 0);
	build_member(&b, NULL, un, 32);
	bits = build_type(&b, "bits", BTF_KIND_STRUCT, 4, 1, 8);
	build_member(&b, "neg", i, 4u << 24 | 0);
	build_member(&b, "far", i, 29u << 24 | 7);
	build_member(&b, "plain", i, 32);
	build_member(&b, "beyond", i, 32u << 24 | 60);
	flex = build_array(&b, i, i, 0);
	fwd = build_type(&b, "gone", BTF_KIND_FWD, 0, 0, 0);
	fn = build_type(&b, NULL, BTF_KIND_FUNC_PROTO, 0, 0, 0);
	s = build_type(&b, "s", BTF_KIND_STRUCT, 6, 0, 12);
	build_member(&b, "x", i, 0);
	build_member(&b, "in", inner, 32);
	build_member(&b, "fwd", fwd, 0);
	build_member(&b, "fn", fn, 0);
	build_member(&b, "void", 0, 0);
	build_member(&b, "flex", flex, 96);
	FORMATTED(&b, s, ((uint32_t[]){ htole32(1), htole32(2), htole32(3) }),
		  "{\"x\":1,\"in\":{\"a\\\"b\":2,\"\":{\"u\":3,\"v\":3}},"
		  "\"fwd\":null,\"fn\":null,\"void\":null,\"flex\":[]}");
	assert_value(&b, s, VALUE_FORMATTED, "\1\0\0\0\2\0\0", 7,
		     "{\"x\":1,\"in\":{\"a\\\"b\":null,\"\":{\"u\":null,\"v\":null}},"
		     "\"fwd\":null,\"fn\":null,\"void\":null,\"flex\":[]}");
	assert_made(value_plan_flat, &b, s, VALUE_FORMATTED, ((uint32_t[]){ htole32(1), htole32(2), htole32(3) }), 12,
		    "{\"x\":1,\"in\":{\"a\\\"b\":2,\"u\":3,\"v\":3},"
		    "\"fwd\":null,\"fn\":null,\"void\":null,\"flex\":[]}");
	TYPED(&b, bits, "\x8f\0\0\x80\x02\0\0\0", "{\"neg\":0xf,\"far\":0x5000001,\"plain\":2,\"beyond\":null}");
	FORMATTED(&b, bits, "\x8f\0\0\0\x02\0\0\0",
		  "{\"neg\":\"0xf\",\"far\":\"0x4000001\",\"plain\":2,\"beyond\":null}");
	odd = build_type(&b, "small", BTF_KIND_STRUCT, 1, 0, 2);
	build_member(&b, "big", i, 0);
	FORMATTED(&b, odd, ((uint32_t[]){ htole32(1) }), "{\"big\":null}");
	v1 = build_var(&b, "v1", i);
	sec = build_type(&b, ".data", BTF_KIND_DATASEC, 2, 0, 8);
	build_secinfo(&b, v1, 4, 4);
	build_secinfo(&b, i, 0, 4); /* no variable: left out */
	FORMATTED(&b, sec, ((uint32_t[]){ htole32(1), htole32(2) }), "{\".data\":[{\"v1\":2}]}");
}

static const char *func_name(void *ctx, uint32_t id)
{
	assert_ptr_equal(ctx, "ctx");
	return id == 7 ? "start\"" : NULL;
}

/* Programs in place of functions, as in the kernel's tables of operations. */
static void test_funcs(void **state)
{
	const uint64_t bytes[] = { htole64(7), htole64(8), 0, htole64(1ull << 32), htole64(9) };
	const struct value_funcs funcs = { func_name, (void *)"ctx" };
	struct btf_types *t = NULL;
	ARENA a = arena_new();
	struct err e = { 0 };
	struct btf_build b;
	uint32_t i, ptr, proto, func, typed, s;
	struct jsonw w;
	struct out o;

	(void)state;
	build_init(&b);
	i = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	ptr = build_ref(&b, BTF_KIND_PTR, NULL, i);
	proto = build_type(&b, NULL, BTF_KIND_FUNC_PROTO, 1, 0, i);
	build_word(&b, 0);
	build_word(&b, ptr);
	func = build_ref(&b, BTF_KIND_PTR, NULL, proto);
	typed = build_ref(&b, BTF_KIND_TYPEDEF, "fn_t", func);
	s = build_type(&b, "ops", BTF_KIND_STRUCT, 6, 0, 40);
	build_member(&b, "named", func, 0);
	build_member(&b, "gone", typed, 64);
	build_member(&b, "unset", func, 128);
	build_member(&b, "wide", func, 192);
	build_member(&b, "data", ptr, 256);
	build_member(&b, "beyond", func, 320);
	build_done_little(&b);
	if (btf_parse(&t, b.out, b.out_n, NULL, &e))
		fail_msg("%s", e.msg);
	out_init(&o, -1);
	jsonw_init(&w, &o, false);
	value_print(value_plan_funcs(t, s, VALUE_TYPED, &funcs, a), &w, bytes, sizeof(bytes));
	assert_string_equal(
		out_cstr(&o),
		"{\"named\":\"int (int *) start\\\"/prog_id:7\",\"gone\":\"int (int *) <unknown_prog_name>/prog_id:8\","
		"\"unset\":\"int (int *) 0\",\"wide\":\"int (int *) 0x100000000\",\"data\":\"0x9\",\"beyond\":null}");
	out_close(&o, NULL);
	btf_release(&t);
}

/* Structs that contain themselves, unions that double at each level: bounded output, and complete JSON. */
/* In views of our own, bit fields are numbers with their sign, and enumerators. */
static void test_own_bits(void **state)
{
	enum { A = 0, E = 5, U = 8, N = 11 }; /* first bits; N: an enum without negative values */
	static const struct {
		int a, e, u, n;
		const char *own, *bpftool;
	} rows[] = {
		{ -16, 3, 4, 1, "{\"a\":-16,\"e\":\"THREE\",\"u\":4,\"n\":\"ONE\"}",
		  "{\"a\":\"0x10\",\"e\":\"0x3\",\"u\":\"0x4\",\"n\":\"0x1\"}" },
		{ 15, -1, 7, 7, "{\"a\":15,\"e\":\"LESS\",\"u\":7,\"n\":7}",
		  "{\"a\":\"0xf\",\"e\":\"0x7\",\"u\":\"0x7\",\"n\":\"0x7\"}" },
		{ -1, -2, 0, 0, "{\"a\":-1,\"e\":-2,\"u\":0,\"n\":0}",
		  "{\"a\":\"0x1f\",\"e\":\"0x6\",\"u\":\"0x0\",\"n\":\"0x0\"}" },
	};
	uint32_t i, u, e, n, s;
	ARENA a = arena_new();
	struct lab l;

	(void)state;
	build_init(&l.b);
	i = build_int(&l.b, "int", 4, BTF_INT_SIGNED, 0, 32);
	u = build_int(&l.b, "unsigned int", 4, 0, 0, 32);
	e = build_type(&l.b, "e", BTF_KIND_ENUM, 2, 1, 4);
	build_pair(&l.b, "LESS", (uint32_t)-1);
	build_pair(&l.b, "THREE", 3);
	n = build_type(&l.b, "n", BTF_KIND_ENUM, 1, 0, 4);
	build_pair(&l.b, "ONE", 1);
	s = build_type(&l.b, "s", BTF_KIND_STRUCT, 4, 1, 4);
	build_member(&l.b, "a", i, 5 << 24 | A);
	build_member(&l.b, "e", e, 3 << 24 | E);
	build_member(&l.b, "u", u, 3 << 24 | U);
	build_member(&l.b, "n", n, 3 << 24 | N);
	lab_done(&l);
	for (size_t k = 0; k < ARRAY_SIZE(rows); k++) {
		uint32_t v = ((uint32_t)rows[k].a & 31) << A | ((uint32_t)rows[k].e & 7) << E |
			     ((uint32_t)rows[k].u & 7) << U | ((uint32_t)rows[k].n & 7) << N;
		unsigned char bytes[4];

		store_uint(bytes, sizeof(bytes), v, false);
		assert_string_equal(
			value_line(value_plan_tagged(l.t, s, VALUE_FORMATTED, VIEW_OWN, NULL, a), bytes, 4, a),
			rows[k].own);
		assert_string_equal(value_line(value_plan(l.t, s, VALUE_FORMATTED, a), bytes, 4, a), rows[k].bpftool);
	}
	lab_free(&l);
}

static void test_endless(void **state)
{
	struct btf_types *t = NULL;
	struct btf_build b;
	ARENA a = arena_new();
	struct jsonw w;
	struct out o;
	uint32_t self, two;

	(void)state;
	build_init(&b);
	self = build_type(&b, "self", BTF_KIND_STRUCT, 1, 0, 4);
	build_member(&b, "me", self, 0);
	two = build_type(&b, "two", BTF_KIND_UNION, 2, 0, 4);
	build_member(&b, "a", two, 0);
	build_member(&b, "b", two, 0);
	build_array(&b, two + 1, self, 0xffffffff);
	build_done(&b);
	assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, NULL), 0);
	out_init(&o, -1);
	jsonw_init(&w, &o, false);
	for (uint32_t id = 1; id < btf_count(t); id++) {
		value_print(value_plan(t, id, VALUE_FORMATTED, a), &w, "\1\0\0", 4);
		assert_int_equal(w.depth, 0);
	}
	assert_true(o.n < 4u << 20);
	out_close(&o, NULL);
	btf_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ints),	       cmocka_unit_test(test_bool_char_pointer),
		cmocka_unit_test(test_enums),	       cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_structs),	       cmocka_unit_test(test_funcs),
		cmocka_unit_test(test_endless),	       cmocka_unit_test(test_own_bits),
		cmocka_unit_test(test_empty_elements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
