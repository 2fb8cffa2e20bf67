/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <string.h>

#include "base/base.h"
#include "base/bytes.h"
#include "base/wide.h"
#include "types/btf.h"
#include "types/value/format.h"
#include "types/value/leaves.h"
#include "types/value/value.h"
#include "../build.h"
#include "render/jsonw.h"

struct pair {
	int16_t x;
	uint8_t slots[3];
};
struct sample {
	int32_t a;
	char comm[8];
	struct pair pairs[2];
	union {
		uint32_t u1;
		uint8_t u2;
	};
	uint32_t flag : 3, rest : 29;
	uint64_t big;
};

struct types {
	struct btf_types *t;
	struct arena *a;
	struct value_plan *plan;
	uint32_t many;
};

static struct types types_make(void)
{
	static struct btf_build b;
	struct types r = { .a = arena_new() };
	uint32_t s32, u32, s16, u8, chr, u64, text, slots, pair, pairs, un, top, none;

	build_init(&b);
	s32 = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	u32 = build_int(&b, "u32", 4, 0, 0, 32);
	s16 = build_int(&b, "s16", 2, BTF_INT_SIGNED, 0, 16);
	u8 = build_int(&b, "u8", 1, 0, 0, 8);
	chr = build_int(&b, "char", 1, BTF_INT_SIGNED, 0, 8);
	u64 = build_int(&b, "u64", 8, 0, 0, 64);
	text = build_array(&b, chr, u32, 8);
	slots = build_array(&b, u8, u32, 3);
	pair = build_type(&b, "pair", BTF_KIND_STRUCT, 2, 0, sizeof(struct pair));
	build_member(&b, "x", s16, 0);
	build_member(&b, "slots", slots, 16);
	pairs = build_array(&b, pair, u32, 2);
	un = build_type(&b, NULL, BTF_KIND_UNION, 2, 0, 4);
	build_member(&b, "u1", u32, 0);
	build_member(&b, "u2", u8, 0);
	top = build_type(&b, "sample", BTF_KIND_STRUCT, 7, 1, sizeof(struct sample));
	build_member(&b, "a", s32, 0);
	build_member(&b, "comm", text, 8 * offsetof(struct sample, comm));
	build_member(&b, "pairs", pairs, 8 * offsetof(struct sample, pairs));
	build_member(&b, NULL, un, 8 * offsetof(struct sample, u1));
	build_member(&b, "flag", u32, 3u << 24 | (8 * (uint32_t)offsetof(struct sample, u1) + 32));
	build_member(&b, "rest", u32, 29u << 24 | (8 * (uint32_t)offsetof(struct sample, u1) + 35));
	build_member(&b, "big", u64, 8 * offsetof(struct sample, big));
	none = build_type(&b, "none", BTF_KIND_STRUCT, 0, 0, 0);
	build_array(&b, none, u32, UINT32_MAX);
	r.many = build_array(&b, u32, u32, 1u << 20);
	build_done(&b);
	assert_int_equal(btf_parse(&r.t, b.out, b.out_n, NULL, NULL), 0);
	r.plan = value_plan(r.t, top, VALUE_FORMATTED, r.a);
	return r;
}

static void types_drop(struct types *t)
{
	btf_release(&t->t);
	arena_free(t->a);
}

static void test_paths(void **unused)
{
	static const struct {
		const char *path, *text;
		bool number;
		uint32_t list;
	} want[] = {
		{ ".a", "-5", true, 0 },
		{ ".comm", "\"nginx\"", false, 0 },
		{ ".pairs[0].x", "-1", true, 0 },
		{ ".pairs[0].slots[0]", "1", true, 3 },
		{ ".pairs[0].slots[1]", "2", true, 0 },
		{ ".pairs[0].slots[2]", "3", true, 0 },
		{ ".pairs[1].x", "7", true, 0 },
		{ ".pairs[1].slots[0]", "4", true, 3 },
		{ ".pairs[1].slots[1]", "5", true, 0 },
		{ ".pairs[1].slots[2]", "255", true, 0 },
		{ ".u1", "258", true, 0 },
		{ ".u2", BIG_HERE ? "0" : "2", true, 0 },
		{ ".flag", "\"0x5\"", true, 0 },
		{ ".rest", "\"0x9\"", true, 0 },
		{ ".big", "18446744073709551615", true, 0 },
	};
	static const struct sample v = {
		.a = -5,
		.comm = "nginx",
		.pairs = { { -1, { 1, 2, 3 } }, { 7, { 4, 5, 255 } } },
		.u1 = 258,
		.flag = 5,
		.rest = 9,
		.big = UINT64_MAX,
	};
	struct types t = types_make();
	struct leaves l;

	(void)unused;
	leaves_find(&l, t.plan, t.a);
	assert_int_equal(l.n, sizeof(want) / sizeof(*want));
	for (size_t i = 0; i < l.n; i++) {
		struct jsonw w;
		struct out o;

		assert_string_equal(l.leaf[i].path, want[i].path);
		assert_int_equal(l.leaf[i].number, want[i].number);
		assert_int_equal(l.leaf[i].list, want[i].list);
		out_init(&o, -1);
		jsonw_init(&w, &o, false);
		value_print(l.leaf[i].plan, &w, &v, sizeof(v));
		assert_string_equal(out_cstr(&o), want[i].text);
		out_close(&o, NULL);
	}
	types_drop(&t);
}

static void test_numbers(void **unused)
{
	struct sample v = { .a = -5, .comm = "nginx", .flag = 5, .rest = 9, .big = UINT64_MAX }, w = v;
	struct types t = types_make();
	struct leaves l;
	struct wide n;

	(void)unused;
	leaves_find(&l, t.plan, t.a);
	assert_true(leaf_number(&l.leaf[0], &v, sizeof(v), &n) && !wide_cmp(n, wide_s(-5)));
	assert_true(leaf_number(&l.leaf[12], &v, sizeof(v), &n) && !wide_cmp(n, wide_s(5)));
	assert_true(leaf_number(&l.leaf[14], &v, sizeof(v), &n) && !wide_cmp(n, wide_u(UINT64_MAX)));
	assert_false(leaf_number(&l.leaf[14], &v, sizeof(v) - 1, &n));
	w.rest = 10;	 /* in the same bytes as flag */
	w.comm[7] = 'x'; /* after the end of the text */
	for (size_t i = 0; i < l.n; i++)
		assert_int_equal(leaf_equal(&l.leaf[i], &v, &w, sizeof(v)), strcmp(l.leaf[i].path, ".rest") != 0);
	w.comm[0] = 'N';
	assert_false(leaf_equal(&l.leaf[1], &v, &w, sizeof(v)));
	types_drop(&t);
}

/* Any type has at most LEAVES_MAX leaves. */
static void test_bounds(void **unused)
{
	struct types t = types_make();
	struct leaves l;

	(void)unused;
	leaves_find(&l, value_plan(t.t, t.many - 1, VALUE_FORMATTED, t.a), t.a);
	assert_int_equal(l.n, 0);
	leaves_find(&l, value_plan(t.t, t.many, VALUE_FORMATTED, t.a), t.a);
	assert_int_equal(l.n, LEAVES_MAX);
	assert_string_equal(l.leaf[1].path, "[1]");
	types_drop(&t);
}

/* A member with a number format is a number, in its byte order; one with an address format is not. */
static void test_formats(void **unused)
{
	static const struct {
		const char *path;
		enum format f;
	} formats[] = {
		{ ".u1", FORMAT_BE32 },	 { ".a", FORMAT_IP },	      { ".big", FORMAT_HEX },
		{ ".comm", FORMAT_STR }, { ".pairs.x", FORMAT_BE16 },
	};
	static const struct sample v = { .a = 1,
					 .comm = "a\0b",
					 .u1 = BIG_HERE ? 1 : 0x01000000,
					 .big = 77,
					 .pairs[0].x = BIG_HERE ? 2 : 0x0200 },
				   w = { .a = 2, .comm = "a\0c", .u1 = BIG_HERE ? 2 : 0x02000000, .big = 77 };
	struct types t = types_make();
	const struct value_plan *p = t.plan;
	unsigned seen = 0;
	struct leaves l;
	struct wide n;

	(void)unused;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		assert_int_equal(format_apply(&p, "value", formats[i].path, formats[i].f, NULL, t.a, NULL), 0);
	leaves_find(&l, p, t.a);
	for (size_t i = 0; i < l.n; i++) {
		const struct leaf *leaf = &l.leaf[i];
		bool be = !strcmp(leaf->path, ".u1"), big = !strcmp(leaf->path, ".big"),
		     x = !strcmp(leaf->path, ".pairs[0].x");

		seen += be + big + x;
		if (be || big || x)
			assert_true(leaf->number && leaf_number(leaf, &v, sizeof(v), &n) &&
				    !wide_cmp(n, wide_u(be  ? 1 :
							big ? 77 :
							      2)));
		if (!strcmp(leaf->path, ".a"))
			assert_false(leaf->number || leaf_equal(leaf, &v, &w, sizeof(v)));
		if (!strcmp(leaf->path, ".comm"))
			assert_true(!leaf->number && leaf_equal(leaf, &v, &w, sizeof(v)));
	}
	assert_int_equal(seen, 3);
	types_drop(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
