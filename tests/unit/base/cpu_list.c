/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/cpu_list.h"

static void test_read(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		uint32_t number[6];
	} rows[] = {
		{ "0\n", 1, { 0 } },
		{ "0-3\n", 4, { 0, 1, 2, 3 } },
		{ "0,2\n", 2, { 0, 2 } },
		{ "1-2,7,9-10", 5, { 1, 2, 7, 9, 10 } },
		{ "65535\nmore", 1, { 65535 } },
		{ "", 0, { 0 } },
		{ "\n", 0, { 0 } },
		{ "x", 0, { 0 } },
		{ "0,", 0, { 0 } },
		{ "0-", 0, { 0 } },
		{ "3-1", 0, { 0 } },
		{ "0,2,1", 0, { 0 } },
		{ "1,1", 0, { 0 } },
		{ "0 2", 0, { 0 } },
		{ "65536", 0, { 0 } },
		{ "0-99999999999999999999", 0, { 0 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CLEAN_PTR uint32_t *list = NULL;

		assert_int_equal(cpu_list_read(rows[i].text, &list), rows[i].n);
		if (rows[i].n)
			assert_memory_equal(list, rows[i].number, rows[i].n * sizeof(*list));
		else
			assert_null(list);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_read) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
