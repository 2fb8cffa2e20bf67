/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "host/filter.h"

#define RUN(text, seconds, most, s, ...) \
	filter_run((const char *const[]){ __VA_ARGS__, NULL }, text, strlen(text), seconds, most, s)

static void of_text(void **state)
{
	STR s = { 0 };

	(void)state;
	str_puts(&s, "<");
	assert_int_equal(RUN("a\nb\n", 10, 100, &s, "tr", "ab", "xy"), 0);
	assert_string_equal(s.p, "<x\ny\n");
	assert_int_equal(RUN("", 10, 100, &s, "cat"), 0);
	assert_string_equal(s.p, "<x\ny\n");
}

static void that_fails(void **state)
{
	STR s = { 0 };

	(void)state;
	str_puts(&s, "<");
	assert_int_equal(RUN("", 10, 100, &s, "no-such-program-of-ours"), -ENOENT);
	assert_int_equal(RUN("", 10, 100, &s, "sh", "-c", "echo some; exit 1"), -EIO);
	assert_int_equal(RUN("", 1, 100, &s, "sleep", "20"), -ETIME);
	assert_int_equal(RUN("0123456789", 10, 9, &s, "cat"), -EIO);
	assert_int_equal(RUN("0123456789", 10, 10, &s, "cat"), 0);
	assert_string_equal(s.p, "<0123456789");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(of_text), cmocka_unit_test(that_fails) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
