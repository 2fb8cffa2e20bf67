/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <string.h>

#include "types/btf.h"
#include "types/data_section.h"
#include "types/declare.h"
#include "parsed.h"

static void test_counters(void **state)
{
	struct btf_build b;
	struct err e = { 0 };
	ARENA a = arena_new();
	BTF t = NULL;
	BTF more = NULL;
	const struct btf_type *data;
	uint32_t number, id, var;
	const void *p;
	size_t n;

	NEEDS_SYSFS();
	build_init(&b);
	number = build_int(&b, "int", 4, 1, 0, 32);
	build_type(&b, "alias", BTF_KIND_TYPEDEF, 0, 0, number);
	t = parsed(&b, NULL);
	if (btf_add_counters(t, ".data.coverage", "coverage", 12, a, &p, &n, &e) || btf_parse(&more, p, n, NULL, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(btf_count(more), btf_count(t) + 5);
	assert_int_equal(btf_find(more, "alias", BTF_KIND_TYPEDEF), 2);
	assert_int_equal(btf_type(more, 2)->name_off, btf_type(t, 2)->name_off);
	id = btf_find(more, ".data.coverage", BTF_KIND_DATASEC);
	data = btf_type(more, id);
	assert_true(id && data->size == 96 && btf_vlen_of(data) == 1);
	var = btf_vars_of(data)->type;
	assert_true(btf_vars_of(data)->offset == 0 && btf_vars_of(data)->size == 96);
	assert_string_equal(btf_name(more, var), "coverage");
	assert_string_equal(btf_type_text(more, btf_type(more, var)->type, a), "unsigned long long [12]");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_counters) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
