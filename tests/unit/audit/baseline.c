/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "audit/baseline.h"

static const uint8_t tag[8] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };

static int parse(const char *text, struct baseline *ret, struct arena *a, struct err *e)
{
	return baseline_parse(ret, arena_str(a, text, SIZE_MAX), "allowed", a, e);
}

static void there_and_back(void **state)
{
	ARENA a = arena_new();
	struct baseline b;
	struct err e = { 0 };
	const char *plain = baseline_line("xdp", tag, "count", a),
		   *odd = baseline_line("unknown(99)", tag, "a name\nwith # all", a);

	(void)state;
	assert_string_equal(plain, "xdp 0123456789abcdef count");
	assert_string_equal(baseline_line("xdp", tag, NULL, a), "xdp 0123456789abcdef -");
	assert_int_equal(parse(arena_fmt(a, "# made by hand\n\n%s\n%s", plain, odd), &b, a, &e), 0);
	assert_non_null(keys_get(&b.programs, plain));
	assert_non_null(keys_get(&b.programs, odd));
	assert_null(keys_get(&b.programs, baseline_line("xdp", tag, "coun", a)));
	assert_null(keys_get(&b.programs, baseline_line("xdp", tag, NULL, a)));
}

static void not_a_baseline(void **state)
{
	static const char *const texts[] = { "xdp",
					     "xdp ",
					     "xdp 0123456789abcdef",
					     "xdp 0123456789abcdef ",
					     "xdp 0123456789abcde x",
					     "xdp 0123456789ABCDEF x",
					     "xdp 0123456789abcdef x y",
					     "xdp  0123456789abcdef x",
					     " xdp 0123456789abcdef x",
					     "xdp\t0123456789abcdef x",
					     "{\"error\":1}",
					     "\x1f\x8b" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		ARENA a = arena_new();
		struct baseline b;
		struct err e = { 0 };

		assert_int_equal(parse(arena_fmt(a, "\n%s\n", texts[i]), &b, a, &e), -EINVAL);
		assert_string_equal(e.msg, "allowed: line 2: expected a program's type, tag and name");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(there_and_back), cmocka_unit_test(not_a_baseline) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
