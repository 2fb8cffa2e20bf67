/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>

#include "base/base.h"
#include "types/declare.h"
#include "types/layout.h"
#include "parsed.h"

static struct layout layout_of(const struct btf_types *t, uint32_t id, struct arena *a)
{
	struct layouts ls;
	struct layout l, sum;

	layouts_init(&ls, t, a);
	assert_int_equal(layout_read(&ls, id, a, &l), 0);
	assert_int_equal(layout_sum(&ls, id, &sum), 0);
	assert_null(sum.members);
	assert_int_equal(sum.sum_holes, l.sum_holes);
	return l;
}

static uint32_t bit_field(unsigned bits, unsigned at)
{
	return bits << 24 | at;
}

/* struct { char c; int i; char d; } and one that holds it: a hole, padding, paddings. */
static void test_holes(void **state)
{
	ARENA a = arena_new();
	struct btf_build b;
	uint32_t c, i, s, outer;

	(void)state;
	build_init(&b);
	c = build_int(&b, "char", 1, 0, 0, 8);
	i = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	s = build_type(&b, "s", BTF_KIND_STRUCT, 3, 0, 12);
	build_member(&b, "c", c, 0);
	build_member(&b, "i", i, 32);
	build_member(&b, "d", c, 64);
	outer = build_type(&b, "outer", BTF_KIND_STRUCT, 2, 0, 128);
	build_member(&b, "s", s, 0);
	build_member(&b, "far", c, 80 * 8);
	BTF t = parsed(&b, NULL);
	struct layout l = layout_of(t, s, a);

	assert_string_equal(l.name, "s");
	assert_int_equal(l.size, 12);
	assert_int_equal(l.nmembers, 3);
	assert_int_equal(l.listed, 3);
	assert_int_equal(l.holes, 1);
	assert_int_equal(l.sum_holes, 3);
	assert_int_equal(l.padding, 3);
	assert_int_equal(l.sum_members, 6);
	assert_int_equal(l.members[1].hole, 3);
	assert_int_equal(l.members[2].hole, 0);
	l = layout_of(t, outer, a);
	assert_int_equal(l.paddings, 1);
	assert_int_equal(l.sum_paddings, 3);
	assert_int_equal(l.members[0].padding, 3);
	assert_int_equal(l.sum_holes, 68);
	assert_int_equal(l.padding, 47);
	assert_int_equal(l.cachelines, 2);
}

/* u32 a:1; u32 b:3 at 5; u8 c at 4: bits between, bits after; then the last unit is not full. */
static void test_bits(void **state)
{
	ARENA arena = arena_new();
	struct btf_build b;
	uint32_t u32, u8, s;

	(void)state;
	build_init(&b);
	u32 = build_int(&b, "u32", 4, 0, 0, 32);
	u8 = build_int(&b, "u8", 1, 0, 0, 8);
	s = build_type(&b, "s", BTF_KIND_STRUCT, 4, 1, 12);
	build_member(&b, "a", u32, bit_field(1, 0));
	build_member(&b, "b", u32, bit_field(3, 5));
	build_member(&b, "c", u8, bit_field(0, 32));
	build_member(&b, "d", u32, bit_field(7, 64));
	BTF t = parsed(&b, NULL);
	struct layout l = layout_of(t, s, arena);

	assert_int_equal(l.members[1].bit_hole, 4);
	assert_int_equal(l.members[1].bit_offset, 5);
	assert_int_equal(l.members[1].offset, 0);
	assert_int_equal(l.members[1].size, 4);
	assert_int_equal(l.members[2].bit_hole, 24);
	assert_int_equal(l.members[2].hole, 0);
	assert_int_equal(l.members[3].hole, 3);
	assert_int_equal(l.members[3].bit_hole, 0);
	assert_int_equal(l.bit_holes, 2);
	assert_int_equal(l.sum_bit_holes, 28);
	assert_int_equal(l.sum_bits, 11);
	assert_int_equal(l.bit_padding, 25);
	assert_int_equal(l.padding, 0);
}

/* struct { int x; union { struct { int p, q; }; char r; } u[2]; } */
static void test_anonymous(void **state)
{
	ARENA a = arena_new();
	struct btf_build b;
	uint32_t c, i, in, un, arr, s;

	(void)state;
	build_init(&b);
	c = build_int(&b, "char", 1, 0, 0, 8);
	i = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	in = build_type(&b, NULL, BTF_KIND_STRUCT, 2, 0, 8);
	build_member(&b, "p", i, 0);
	build_member(&b, "q", i, 32);
	un = build_type(&b, NULL, BTF_KIND_UNION, 2, 0, 8);
	build_member(&b, NULL, in, 0);
	build_member(&b, "r", c, 0);
	arr = build_array(&b, un, i, 2);
	s = build_type(&b, "s", BTF_KIND_STRUCT, 2, 0, 20);
	build_member(&b, "x", i, 0);
	build_member(&b, "u", arr, 32);
	BTF t = parsed(&b, NULL);
	struct layout l = layout_of(t, s, a);

	assert_int_equal(l.nmembers, 2);
	assert_int_equal(l.listed, 6);
	layout_words(t, &l, a);
	assert_string_equal(l.members[1].type, "union {...} [2]");
	assert_true(l.members[1].open && l.members[2].open);
	assert_string_equal(l.members[4].path, "u.q");
	assert_int_equal(l.members[4].offset, 8);
	assert_int_equal(l.members[4].depth, 2);
	assert_int_equal(l.members[5].offset, 4);
	assert_int_equal(l.sum_holes, 0);
	assert_int_equal(layout_struct(t, s), s);
	assert_int_equal(layout_struct(t, un), 0);
	assert_int_equal(layout_struct(t, i), 0);
}

/* Members that contain their own type, overlap, are out of order or outside, or have no type. */
static void test_hostile(void **state)
{
	ARENA a = arena_new();
	struct layouts ls;
	struct btf_build b;
	uint32_t i, u64, big, self, wild;

	(void)state;
	build_init(&b);
	i = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	u64 = build_int(&b, "u64", 8, 0, 0, 64);
	self = b.next;
	build_type(&b, NULL, BTF_KIND_STRUCT, 2, 0, 4);
	build_member(&b, "again", self, 0);
	build_member(&b, "twice", self, UINT32_MAX);
	big = build_array(&b, i, i, UINT32_MAX);
	wild = build_type(&b, "wild", BTF_KIND_STRUCT, 7, 1, 4);
	build_member(&b, "a", u64, bit_field(200, 0xffffff));
	build_member(&b, "b", u64, bit_field(64, 3));
	build_member(&b, "c", u64, bit_field(1, 3));
	build_member(&b, "v", 0, 0xffffff);
	build_member(&b, "x", big, 8);
	build_member(&b, "y", big, 0);
	build_member(&b, "z", i, 0xffffff);
	BTF t = parsed(&b, NULL);
	struct layout l = layout_of(t, wild, a);

	assert_int_equal(l.listed, 7);
	assert_int_equal(l.padding, 0);
	assert_int_equal(l.members[3].size, 0);
	assert_true(l.sum_holes < 1 << 22);
	/* Two of itself on each level would be 2^32 members. */
	l = layout_of(t, self, a);
	assert_true(l.listed <= LAYOUT_MEMBERS);
	layout_words(t, &l, a);
	layouts_init(&ls, t, a);
	assert_int_equal(layout_read(&ls, i, a, &l), -EINVAL);
	assert_int_equal(layout_sum(&ls, 0, &l), -EINVAL);
	assert_int_equal(layout_sum(&ls, 9999, &l), -EINVAL);
}

static void test_declare(void **state)
{
	ARENA a = arena_new();
	struct btf_build b;
	uint32_t i, cst, p, pc, cp, arr, pa, proto, fn, fns, v;

	(void)state;
	build_init(&b);
	i = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	cst = build_ref(&b, BTF_KIND_CONST, NULL, i);
	p = build_ref(&b, BTF_KIND_PTR, NULL, i);
	pc = build_ref(&b, BTF_KIND_PTR, NULL, cst);
	cp = build_ref(&b, BTF_KIND_CONST, NULL, p);
	arr = build_array(&b, i, i, 3);
	pa = build_ref(&b, BTF_KIND_PTR, NULL, arr);
	proto = build_type(&b, NULL, BTF_KIND_FUNC_PROTO, 2, 0, i);
	build_pair(&b, "x", pc);
	build_pair(&b, NULL, 0);
	fn = build_ref(&b, BTF_KIND_PTR, NULL, proto);
	fns = build_array(&b, fn, i, 2);
	v = build_ref(&b, BTF_KIND_PTR, NULL, 0);
	BTF t = parsed(&b, NULL);
	const struct {
		uint32_t id;
		const char *text;
	} want[] = {
		{ i, "int" },
		{ cst, "const int" },
		{ p, "int *" },
		{ pc, "const int *" },
		{ cp, "int * const" },
		{ arr, "int [3]" },
		{ pa, "int (*)[3]" },
		{ fn, "int (*)(const int *x, ...)" },
		{ fns, "int (*[2])(const int *x, ...)" },
		{ v, "void *" },
		{ 0, "void" },
		{ 9999, "void" },
	};

	for (size_t n = 0; n < sizeof(want) / sizeof(want[0]); n++) {
		const char *text = btf_type_text(t, want[n].id, a);

		if (strncmp(text, want[n].text, strlen(text)) || strlen(want[n].text) > strlen(text) + 1)
			fail_msg("'%s', not '%s'", text, want[n].text);
	}
	STR base = { 0 };
	STR decl = { 0 };
	btf_declare(t, cp, "name", &base, &decl);
	assert_string_equal(base.p, "int");
	assert_string_equal(decl.p, "* const name");
}

static void test_declare_hostile(void **state)
{
	ARENA a = arena_new();
	struct btf_build b;
	uint32_t self, constant, first, i;

	(void)state;
	build_init(&b);
	self = b.next;
	build_ref(&b, BTF_KIND_PTR, NULL, self);
	constant = b.next;
	build_ref(&b, BTF_KIND_TYPE_TAG, "tag", constant + 1);
	build_ref(&b, BTF_KIND_CONST, NULL, constant);
	first = b.next;
	/* Each prototype names the next one twice. */
	for (i = 0; i < 64; i++) {
		build_type(&b, NULL, BTF_KIND_FUNC_PROTO, 2, 0, first + i + 1);
		build_pair(&b, NULL, first + (i + 1) % 64);
		build_pair(&b, NULL, first + (i + 1) % 64);
	}
	build_int(&b, "end", 4, 0, 0, 32);
	BTF t = parsed(&b, NULL);

	assert_non_null(btf_type_text(t, self, a));
	assert_non_null(btf_type_text(t, constant, a));
	assert_true(strlen(btf_type_text(t, first, a)) < 1 << 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_holes),	cmocka_unit_test(test_bits),	cmocka_unit_test(test_anonymous),
		cmocka_unit_test(test_hostile), cmocka_unit_test(test_declare), cmocka_unit_test(test_declare_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
