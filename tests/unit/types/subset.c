/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "types/btf.h"
#include "types/subset.h"
#include "build.h"

struct made {
	struct btf_types *t;
	uint32_t top, func, list;
};

/* struct top { const u32 a; struct deep *p; alias b[3]; enum e c; } with a tag, between types that are not needed. */
static struct made make(void)
{
	static struct btf_build b;
	struct made m;
	uint32_t u32, deep, ptr, cu32, inner, alias, arr, en;

	build_init(&b);
	build_int(&b, "unused", 8, 0, 0, 64);
	u32 = build_int(&b, "u32", 4, 0, 0, 32);
	deep = build_type(&b, "deep", BTF_KIND_STRUCT, 1, 0, 4);
	build_member(&b, "x", u32, 0);
	ptr = build_type(&b, NULL, BTF_KIND_PTR, 0, 0, deep);
	cu32 = build_type(&b, NULL, BTF_KIND_CONST, 0, 0, u32);
	inner = build_type(&b, "inner", BTF_KIND_UNION, 1, 0, 4);
	build_member(&b, "y", u32, 0);
	alias = build_type(&b, "alias", BTF_KIND_TYPEDEF, 0, 0, inner);
	arr = build_array(&b, alias, u32, 3);
	en = build_type(&b, "e", BTF_KIND_ENUM, 0, 0, 4);
	m.top = build_type(&b, "top", BTF_KIND_STRUCT, 4, 0, 32);
	build_member(&b, "a", cu32, 0);
	build_member(&b, "p", ptr, 64);
	build_member(&b, "b", arr, 128);
	build_member(&b, "c", en, 224);
	build_type(&b, "bpflens:hex", BTF_KIND_DECL_TAG, 0, 0, m.top);
	build_word(&b, UINT32_MAX);
	build_type(&b, "bpflens:mac", BTF_KIND_DECL_TAG, 0, 0, deep);
	build_word(&b, UINT32_MAX);
	m.func = build_type(&b, NULL, BTF_KIND_FUNC_PROTO, 0, 0, u32);
	m.list = arr;
	build_done(&b);
	assert_int_equal(btf_parse(&m.t, b.out, b.out_n, NULL, NULL), 0);
	return m;
}

static void test_closed(void **state)
{
	struct made m = make();
	uint32_t ids[2] = { 0, m.top };
	ARENA a = arena_new();
	const struct btf_type *top;
	struct btf_types *t;
	const void *p;
	uint64_t size;
	unsigned tags = 0;
	size_t n;

	(void)state;
	assert_int_equal(btf_subset(m.t, ids, 2, a, &p, &n, NULL), 0);
	assert_int_equal(btf_parse(&t, p, n, NULL, NULL), 0);
	assert_int_equal(ids[0], 0);
	assert_string_equal(btf_name(t, ids[1]), "top");
	assert_int_equal(btf_size(t, ids[1], &size), 0);
	assert_int_equal(size, 32);
	top = btf_type(t, ids[1]);
	assert_string_equal(btf_name(t, btf_resolve(t, btf_members_of(top)[0].type)), "u32");
	assert_int_equal(btf_kind_of(btf_type(t, btf_members_of(top)[1].type)), BTF_KIND_PTR);
	assert_int_equal(btf_type(t, btf_members_of(top)[1].type)->type, 0);
	assert_string_equal(btf_name(t, btf_array_of(btf_type(t, btf_members_of(top)[2].type))->type), "alias");
	assert_int_equal(btf_find(t, "deep", BTF_KIND_STRUCT), 0);
	assert_int_equal(btf_find(t, "unused", BTF_KIND_INT), 0);
	for (uint32_t i = 1; i < btf_count(t); i++) {
		if (btf_kind_of(btf_type(t, i)) != BTF_KIND_DECL_TAG)
			continue;
		tags++;
		assert_string_equal(btf_name(t, i), "bpflens:hex");
		assert_int_equal(btf_type(t, i)->type, ids[1]);
	}
	assert_int_equal(tags, 1);
	btf_release(&t);
	btf_release(&m.t);
}

static void test_refused(void **state)
{
	struct made m = make();
	uint32_t ids[2] = { m.list, m.func };
	ARENA a = arena_new();
	struct err e = { 0 };
	const void *p = NULL;
	size_t n;

	(void)state;
	assert_int_equal(btf_subset(m.t, ids, 2, a, &p, &n, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "cannot be the type of a value"));
	assert_null(p);
	assert_int_equal(ids[0], m.list);
	btf_release(&m.t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_closed), cmocka_unit_test(test_refused) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
