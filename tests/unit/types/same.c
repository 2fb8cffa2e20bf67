/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <string.h>

#include "base/base.h"
#include "types/same.h"
#include "build.h"
#include "parsed.h"

/* A section with a variable, struct value { u32 NAME; u32 rest[N]; void *p; }. */
struct shape {
	const char *member, *variable;
	uint32_t bits, n, encoding;
	bool swapped; /* the members */
	bool renamed; /* the types, by typedefs */
};

static uint32_t section_build(struct btf_build *b, const struct shape *s)
{
	uint32_t u32, array, pointer, value, section;

	build_init(b);
	if (s->renamed)
		build_int(b, "long", 8, 0, 0, 64);
	u32 = build_int(b, s->renamed ? "unsigned" : "u32", 4, s->encoding, 0, s->bits);
	if (s->renamed)
		u32 = build_ref(b, BTF_KIND_TYPEDEF, "__u32", u32);
	array = build_array(b, u32, u32, s->n);
	pointer = build_ref(b, BTF_KIND_PTR, NULL, s->renamed ? 0 : u32);
	value = build_type(b, "value", BTF_KIND_STRUCT, 3, 0, 24);
	if (s->swapped)
		build_member(b, "rest", array, 0);
	build_member(b, s->member, u32, s->swapped ? 64 : 0);
	if (!s->swapped)
		build_member(b, "rest", array, 32);
	build_member(b, "p", pointer, 128);
	value = build_var(b, s->variable, value);
	section = build_type(b, ".bss", BTF_KIND_DATASEC, 1, 0, 24);
	build_secinfo(b, value, 0, 24);
	return section;
}

static void test_same(void **state)
{
	static const struct shape first = { "packets", "total", 32, 2, 0, false, false };
	static const struct {
		struct shape shape;
		bool same;
	} cases[] = {
		{ { "packets", "total", 32, 2, 0, false, false }, true },
		{ { "packets", "total", 32, 2, 0, false, true }, true },
		{ { "bytes", "total", 32, 2, 0, false, false }, false },
		{ { "packets", "sum", 32, 2, 0, false, false }, false },
		{ { "packets", "total", 31, 2, 0, false, false }, false },
		{ { "packets", "total", 32, 3, 0, false, false }, false },
		{ { "packets", "total", 32, 2, BTF_INT_SIGNED, false, false }, false },
		{ { "packets", "total", 32, 2, 0, true, false }, false },
	};
	ARENA arena = arena_new();
	struct btf_build *a = arena_alloc(arena, sizeof(*a)), *b = arena_alloc(arena, sizeof(*b));
	const uint32_t id = section_build(a, &first);
	BTF t = parsed(a, NULL);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const uint32_t other = section_build(b, &cases[i].shape);
		BTF u = parsed(b, NULL);

		assert_int_equal(btf_is_same(t, id, u, other), cases[i].same);
		assert_int_equal(btf_is_same(u, other, t, id), cases[i].same);
		assert_false(btf_is_same(t, id, u, other - 1));
		assert_false(btf_is_same(t, 0, u, other));
		assert_true(btf_is_same(t, 0, u, 0));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_same) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
