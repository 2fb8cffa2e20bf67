/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include "base/base.h"
#include "code/names.h"

static void symbols(void **state)
{
	static const struct {
		const char *symbol, *name; /* NULL: a function of the kernel */
	} cases[] = {
		{ "bpf_prog_0123456789abcdef_count", "count" },
		{ "bpf_prog_0123456789abcdef_a_b", "a_b" },
		{ "bpf_prog_0123456789abcdef", "bpf_prog_0123456789abcdef" },
		{ "bpf_prog_0123456789abcdef_", "bpf_prog_0123456789abcdef_" },
		{ "bpf_prog_0123456789abcdefa", NULL },
		{ "bpf_prog_test_run_skb", NULL },
		{ "bpf_prog_", NULL },
		{ "", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(code_name_is(cases[i].symbol), cases[i].name != NULL);
		assert_string_equal(code_name_short(cases[i].symbol), cases[i].name ? cases[i].name : cases[i].symbol);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(symbols) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
