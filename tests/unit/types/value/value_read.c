/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/json/jsonr.h"
#include "types/btf.h"
#include "types/value/format.h"
#include "types/value/value.h"
#include "lab.h"
#include "render/jsonw.h"

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
	assert_read(&l, s32, "\"-1.5K\"", "\0\xfa\xff\xff", 4);
	assert_read(&l, u64, "\"1T\"", "\0\0\0\0\0\1\0\0", 8);
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
	assert_refused(&l, v, 8, "{\"comm\":\"a\"}", "value.comm: it exceeds the value");
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
		{ "a=1K", 0, 0, "a: 1K does not fit in 8 bits (0 to 255)" },
		{ "a+=1K", 0, 0, "a: 1025 does not fit in 8 bits (0 to 255)" },
		{ "a=1Q", 0, 0, "a: '1Q' is not an integer" },
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

/* Two unnamed unions, and two members that are named x. */
static uint32_t build_twins(struct btf_build *b)
{
	uint32_t u8 = build_int(b, "u8", 1, 0, 0, 8), one, two, v;

	one = build_type(b, NULL, BTF_KIND_UNION, 1, 0, 1);
	build_member(b, "a", u8, 0);
	two = build_type(b, NULL, BTF_KIND_UNION, 1, 0, 1);
	build_member(b, "b", u8, 0);
	v = build_type(b, "v", BTF_KIND_STRUCT, 5, 0, 5);
	build_member(b, NULL, one, 0);
	build_member(b, "x", u8, 8);
	build_member(b, NULL, two, 16);
	build_member(b, "x#2", u8, 24);
	build_member(b, "x", u8, 32);
	return v;
}

static void test_twins(void **state)
{
	static const unsigned char bytes[] = { 1, 2, 3, 4, 5 };
	static const char unique[] = "{\"\":{\"a\":1},\"x\":2,\"#2\":{\"b\":3},\"x#2\":4,\"x#3\":5}";
	struct lab l;
	uint32_t type = lab_of(&l, build_twins);
	struct value_plan *plan = value_plan(l.t, type, VALUE_FORMATTED, l.a);

	(void)state;
	assert_string_equal(value_line(plan, bytes, sizeof(bytes), l.a),
			    "{\"\":{\"a\":1},\"x\":2,\"\":{\"b\":3},\"x#2\":4,\"x\":5}");
	assert_string_equal(value_line(value_plan_unique(plan, l.a), bytes, sizeof(bytes), l.a), unique);
	assert_read(&l, type, "{\"\":{\"a\":1},\"x\":2,\"#2\":{\"b\":3},\"x#2\":4,\"x\":5}", bytes, sizeof(bytes));
	assert_read(&l, type, "{\"\":{\"a\":1},\"x\":2,\"\":{\"b\":3},\"x#2\":4,\"x\":5}", bytes, sizeof(bytes));
	assert_refused(&l, type, sizeof(bytes), "{\"\":{\"a\":1},\"#2\":{\"b\":3},\"#2\":{\"b\":3}}",
		       "value: no member '#2'");
	assert_refused(&l, type, sizeof(bytes), "{\"#0\":{\"a\":1}}", "value: no member '#0'");
	lab_free(&l);
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
		cmocka_unit_test(test_scalars),	  cmocka_unit_test(test_order), cmocka_unit_test(test_struct),
		cmocka_unit_test(test_lock),	  cmocka_unit_test(test_set),	cmocka_unit_test(test_twins),
		cmocka_unit_test(test_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
