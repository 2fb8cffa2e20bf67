/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "host/pace.h"

static void test_parse(void **unused)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "1", 1000000000 },
		{ "0.01", 10000000 },
		{ "0.25", 250000000 },
		{ "12.5", 12500000000 },
		{ "86400", 86400000000000 },
		{ "1.", 1000000000 },
		{ "1.0000000001", 1000000000 },
	};
	static const char *const bad[] = {
		"", "0", "0.001", ".5", "1s", "-1", "1e3", "86401", "99999999999999999999999", "1.5.5", " 1"
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		uint64_t ns;

		assert_int_equal(pace_parse(good[i].text, &ns, NULL), 0);
		assert_int_equal(ns, good[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct err e = { 0 };
		uint64_t ns;

		assert_int_equal(pace_parse(bad[i], &ns, &e), -EINVAL);
		assert_non_null(strstr(e.msg, "is not an interval"));
	}
}

static void test_wait(void **unused)
{
	struct pace p;

	(void)unused;
	assert_int_equal(pace_begin(&p, 10000000), 0);
	assert_true(pace_wait(&p));
	assert_true(pace_lap(&p) >= 10000000);
	usleep(30000); /* late: missed readings are not repeated */
	assert_true(pace_wait(&p));
	pace_lap(&p);
	assert_true(pace_wait(&p));
	kill(getpid(), SIGINT);
	assert_false(pace_wait(&p));
	kill(getpid(), SIGTERM); /* after the last reading: has an effect at once */
	pace_end(&p);
}

static void test_time(void **unused)
{
	char text[PACE_TIME];

	(void)unused;
	assert_int_equal(strlen(pace_time(text)), strlen("2026-11-21T09:30:00.123Z"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_parse), cmocka_unit_test(test_wait),
					    cmocka_unit_test(test_time) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
