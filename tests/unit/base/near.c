/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include "base/base.h"
#include "base/near.h"

static void test_is(void **state)
{
	(void)state;
	assert_true(near_is("flwos", "flows") && near_is("flow", "flows") && near_is("low", "flows") &&
		    near_is("flows_v4", "flows"));
	assert_true(near_is("a", "b") && !near_is("abc", "xyz") && !near_is("abcd", "wxyz") && !near_is("fl", "xy"));
	assert_true(near_is("packets", "pack"));
	assert_false(near_is("packets", "pac"));
	assert_false(near_is("a", ""));
	assert_false(near_is("abcde", ""));
}

static void test_list(void **state)
{
	static const char *const names[] = { "flows", "other", "flows", "flow2", "flow3", "flow4", "flow5", "flow6" };
	struct near near = { 0 };
	STR s = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		near_offer(&near, "flow", names[i]);
	near_list(&near, &s);
	assert_string_equal(s.p, "flows, flow2, flow3, flow4, flow5");
}

static void test_nearest(void **state)
{
	static const char *const names[] = { "o_packet_s", "packed", "packets", "packet", "packet_2" };
	struct near near = { 0 };
	STR s = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		near_offer(&near, "packet", names[i]);
	near_list(&near, &s);
	assert_string_equal(s.p, "packet, packed, packets, packet_2, o_packet_s");
	assert_true(near_is("runtime", "run_time_ns"));
	assert_false(near_is("x", "run_time_ns"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_is), cmocka_unit_test(test_list),
					    cmocka_unit_test(test_nearest) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
