/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <stdio.h>
#include <string.h>

#include "host/mountinfo.h"

static bool parse(const char *text, struct mountinfo *ret)
{
	static char line[512];

	snprintf(line, sizeof(line), "%s", text);
	return mountinfo_parse(line, ret);
}

static void lines(void **state)
{
	static const char *const bad[] = {
		"",
		" - ",
		" - bpf",
		"1 2 0:3 / - bpf bpf rw",
		"1 2 0:3 /",
		"1 2 0:3 / relative rw - bpf bpf rw",
		"36 35 98:0 /mnt1 /mnt2 rw",
	};
	struct mountinfo m;

	(void)state;
	assert_true(parse("36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue", &m));
	assert_string_equal(m.root, "/mnt1");
	assert_string_equal(m.path, "/mnt2");
	assert_string_equal(m.type, "ext3");
	assert_string_equal(m.options, "rw,errors=continue");
	assert_true(parse("1 2 0:3 / /a\\040b\\011 rw shared:1 master:2 - bpf none rw,mode=700", &m));
	assert_string_equal(m.path, "/a b\t");
	assert_string_equal(m.type, "bpf");
	assert_true(parse("1 2 0:3 / /x rw - bpf", &m));
	assert_string_equal(m.options, "");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(parse(bad[i], &m));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(lines) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
