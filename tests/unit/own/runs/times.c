/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include "own/runs/times.h"

/* The slots follow one another without gaps, and none is wider than a sixteenth of its times. */
static void slots(void **state)
{
	(void)state;
	assert_int_equal(times_least(0), 0);
	for (uint32_t i = 0; i < TIMES_SLOTS; i++) {
		const uint64_t first = times_least(i), last = times_least(i + 1) - 1;

		assert_true(first <= last);
		assert_int_equal(times_slot(first), i);
		assert_int_equal(times_slot(last), i);
		assert_true((last - first) * TIMES_PART < (first > 1 ? first : 1));
	}
	assert_int_equal(times_slot(UINT64_MAX), TIMES_SLOTS - 1);
	assert_int_equal(times_least(TIMES_SLOTS), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(slots) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
