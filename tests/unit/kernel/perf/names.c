/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/base.h"
#include "kernel/perf/names.h"

/* Printed names are accepted. */
static void test_round(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t n;
	} all[] = {
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_MAX },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_MAX },
	};
	ARENA a = arena_new();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		for (uint64_t config = 0; config < all[i].n; config++) {
			const char *word = perf_config_word(a, all[i].type, config), *text;
			uint32_t type = 99;
			uint64_t got = 99;
			struct err e = { 0 };

			assert_non_null(word);
			text = arena_fmt(a, "%s:%s", perf_type_word(all[i].type), word);
			assert_int_equal(perf_event_parse(text, &type, &got, &e), 0);
			assert_int_equal(type, all[i].type);
			assert_int_equal(got, config);
			assert_int_equal(perf_event_parse(word, &type, &got, &e), 0);
			assert_int_equal(type, all[i].type);
			assert_int_equal(got, config);
		}
	for (uint64_t config = 0; config < 0x20800; config++) {
		const char *word = perf_config_word(a, PERF_TYPE_HW_CACHE, config);
		bool named = (config & 0xff) < PERF_COUNT_HW_CACHE_MAX &&
			     (config >> 8 & 0xff) < PERF_COUNT_HW_CACHE_OP_MAX &&
			     config >> 16 < PERF_COUNT_HW_CACHE_RESULT_MAX;
		ARENA_SCOPE(a);
		uint32_t type;
		uint64_t got;
		struct err e = { 0 };

		if (named) {
			assert_int_equal(perf_event_parse(arena_fmt(a, "hw-cache:%s", word), &type, &got, &e), 0);
			assert_int_equal(got, config);
		}
	}
}

static void test_others(void **state)
{
	static const struct {
		const char *text;
		int err;
		uint32_t type;
		uint64_t config;
	} cases[] = {
		{ "raw:0x1c2", 0, PERF_TYPE_RAW, 0x1c2 },
		{ "software:10", 0, PERF_TYPE_SOFTWARE, 10 },
		{ "hw-cache:0x10002", 0, PERF_TYPE_HW_CACHE, 0x10002 },
		{ "msr:3", -ENOENT, 0, 0 },
		{ "10:3", -ENOENT, 0, 0 },
		{ ":3", -ENOENT, 0, 0 },
		{ "", -EINVAL, 0, 0 },
		{ "3", -EINVAL, 0, 0 },
		{ "software:", -EINVAL, 0, 0 },
		{ "cycles", -EINVAL, 0, 0 },
		{ "software:cpu-cycles", -EINVAL, 0, 0 },
		{ "hw-cache:LLC-load", -EINVAL, 0, 0 },
		{ "hw-cache:LLC-load-", -EINVAL, 0, 0 },
		{ "hw-cache:LLC", -EINVAL, 0, 0 },
		{ "raw:cpu-clock", -EINVAL, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t type = 77;
		uint64_t config = 77;
		struct err e = { 0 };

		assert_int_equal(perf_event_parse(cases[i].text, &type, &config, &e), cases[i].err);
		assert_int_equal(e.code, cases[i].err == -ENOENT ? 0 : cases[i].err);
		assert_int_equal(type, cases[i].err ? 77 : cases[i].type);
		assert_int_equal(config, cases[i].err ? 77 : cases[i].config);
	}
}

static void test_clocks(void **state)
{
	uint32_t type = 6;

	(void)state;
	assert_true(perf_is_clock(&type, 0));
	assert_int_equal(type, PERF_TYPE_SOFTWARE);
	type = 7;
	assert_true(perf_is_clock(&type, 1));
	type = 6;
	assert_false(perf_is_clock(&type, 1));
	type = 8;
	assert_false(perf_is_clock(&type, 2));
	type = PERF_TYPE_SOFTWARE;
	assert_false(perf_is_clock(&type, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_round), cmocka_unit_test(test_others),
					    cmocka_unit_test(test_clocks) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
