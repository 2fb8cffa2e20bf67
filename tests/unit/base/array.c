/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/base.h"

static void one_more(void **state)
{
	uint32_t *p = NULL;
	size_t cap = 0, grown = 0;

	(void)state;
	for (uint32_t n = 0; n < 1000; n++) {
		size_t before = cap;

		p = array_more(p, n, &cap, sizeof(*p));
		assert_true(cap > n);
		grown += cap != before;
		p[n] = n;
	}
	assert_true(grown >= 2 && grown <= 12);
	for (uint32_t n = 0; n < 1000; n++)
		assert_int_equal(p[n], n);
	free(p);
}

/* A search for every element, in arrays of all small sizes. */
static void lower(void **state)
{
	static const int all[] = { 1, 3, 3, 3, 5, 7, 9 };

	(void)state;
	for (size_t n = 0; n <= sizeof(all) / sizeof(all[0]); n++)
		for (int v = 0; v <= 10; v++) {
			size_t want = 0;

			while (want < n && all[want] < v)
				want++;
			assert_int_equal(ARRAY_LOWER(n, i, all[i] < v), want);
		}
}

static jmp_buf back;
static void no_memory(size_t size)
{
	(void)size;
	longjmp(back, 1);
}

/* Existing elements stay. A product beyond SIZE_MAX is also too much. */
static void too_much(void **state)
{
	char *volatile p = array_resize(NULL, 4, 1);
	volatile int ends = 0;

	(void)state;
	p[3] = 'x';
	arena_oom = no_memory;
	if (setjmp(back) == 0)
		array_resize(p, SIZE_MAX / 2 + 1, 2);
	else
		ends++;
	if (setjmp(back) == 0)
		array_more(p, SIZE_MAX / 8, &(size_t){ SIZE_MAX / 8 }, 8);
	else
		ends++;
	arena_oom = NULL;
	assert_int_equal(ends, 2);
	assert_int_equal(p[3], 'x');
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(one_more), cmocka_unit_test(lower),
					    cmocka_unit_test(too_much) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
