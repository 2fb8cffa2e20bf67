/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <string.h>

#include "base/base.h"
#include "types/btf.h"
#include "types/map_types.h"
#include "build.h"
#include "parsed.h"

/* Map flows by definition, with sizes only; map hits with types; a marker of flows; a variable that is no map. */
static void test_declared(void **state)
{
	ARENA a = arena_new();
	struct btf_build *b = arena_alloc(a, sizeof(*b));
	const struct map_types *m;
	uint32_t u32, v, flows, hits, odd, def;
	size_t n;

	build_init(b);
	u32 = build_int(b, "u32", 4, 0, 0, 32);
	v = build_type(b, "v", BTF_KIND_STRUCT, 0, 0, 8);
	build_type(b, "____btf_map_flows", BTF_KIND_STRUCT, 2, 0, 12);
	build_member(b, "key", u32, 0);
	build_member(b, "value", v, 32);
	build_type(b, "____btf_map_void", BTF_KIND_STRUCT, 1, 0, 12);
	build_member(b, "other", u32, 0);
	build_type(b, "____btf_map_key_only", BTF_KIND_STRUCT, 1, 0, 4);
	build_member(b, "key", u32, 0);
	flows = build_var(b, "flows", build_type(b, "def", BTF_KIND_STRUCT, 0, 0, 8));
	def = build_type(b, NULL, BTF_KIND_PTR, 0, 0, v);
	hits = build_type(b, NULL, BTF_KIND_STRUCT, 2, 0, 16);
	build_member(b, "key", u32, 0);
	build_member(b, "value", def, 64);
	hits = build_var(b, "hits", hits);
	odd = build_var(b, "odd", u32);
	build_type(b, ".maps", BTF_KIND_DATASEC, 4, 0, 0);
	build_secinfo(b, flows, 0, 8);
	build_secinfo(b, hits, 8, 16);
	build_secinfo(b, odd, 24, 4);
	build_secinfo(b, u32, 28, 4);
	{
		BTF t = parsed(b, NULL);

		btf_maps_find(t, a, &m, &n);
		assert_int_equal(n, 3);
		/* A key that is no pointer is not declared. */
		assert_string_equal(m[0].name, "hits");
		assert_int_equal(m[0].key, 0);
		assert_int_equal(m[0].value, v);
		assert_string_equal(m[1].name, "flows");
		assert_int_equal(m[1].key, u32);
		assert_int_equal(m[1].value, v);
		assert_string_equal(m[2].name, "key_only");
		assert_int_equal(m[2].value, 0);
		assert_int_equal(btf_pointed_to(t, def), v);
		assert_int_equal(btf_pointed_to(t, u32), 0);
		assert_int_equal(btf_pointed_to(t, 0), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_declared) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
