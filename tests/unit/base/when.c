/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include "base/when.h"

#define AT(s) ((s) * (uint64_t)NSEC_PER_SEC)
#define NOW AT(1769903940) /* 2026-01-31T23:59:00Z, 2026-02-01T01:59:00 two hours east */

static int zone_set(void **state)
{
	(void)state;
	setenv("TZ", "XXX-2", 1);
	tzset();
	return 0;
}

static void typed(void **state)
{
	static const struct {
		const char *text;
		uint64_t want, width;
	} rows[] = {
		{ "2026-01-31T23:59:00Z", NOW, AT(1) },
		{ "2026-01-31 23:59:00 UTC", NOW, AT(1) },
		{ "2026-01-31T23:59Z", NOW, AT(60) },
		{ "2026-01-31T23:59:00+0100", AT(1769900340), AT(1) },
		{ "2026-01-31T23:59:00-01:30", AT(1769909340), AT(1) },
		{ "2026-01-31T23:59:00.5Z", NOW + AT(1) / 2, AT(1) / 10 },
		{ "2026-01-31T23:59:00.123456789Z", NOW + 123456789, 1 },
		{ "2026-01-31T23:59:01", AT(1769896741), AT(1) },
		{ "2026-01-31 23:59:01", AT(1769896741), AT(1) },
		{ "2026-01-31T23:59", AT(1769896740), AT(60) },
		{ "2026-01-31", AT(1769810400), AT(86400) },
		{ "1769903940", NOW, AT(1) },
		{ "0", 0, AT(1) },
		{ "18446744073709551615", AT(UINT64_MAX / NSEC_PER_SEC - 1), AT(1) },
		{ "-1h30m", NOW - AT(5400), AT(60) },
		{ "5m ago", NOW - AT(300), AT(60) },
		{ "1.5s ago", NOW - AT(3) / 2, AT(1) },
		{ "-100w", NOW - AT(60480000), AT(604800) },
		{ "-99999999999s", 0, AT(1) },
		{ "now", NOW, 0 },
		{ "01:59", NOW, AT(60) },
		{ "01:58:59.25", NOW - AT(3) / 4, AT(1) / 100 },
		{ "02:00", NOW - AT(86340), AT(60) },
		{ "today 02:00", NOW + AT(60), AT(60) },
		{ "today", NOW - AT(7140), AT(86400) },
		{ "yesterday", NOW - AT(93540), AT(86400) },
		{ "yesterday 14:05", NOW - AT(42840), AT(60) },
		{ "23:59Z", NOW, AT(60) },
		{ "23:59:00 UTC", NOW, AT(1) },
	};
	struct when w;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (when_parse(rows[i].text, &w) || when_at(&w, NOW) != rows[i].want || w.width != rows[i].width)
			fail_msg("'%s': %llu, %llu long", rows[i].text, (unsigned long long)when_at(&w, NOW),
				 (unsigned long long)w.width);
	}
}

static void refused(void **state)
{
	static const char *const bad[] = {
		"",
		"noon",
		"2026-01-31T23:59:00Zx",
		"2026-01-31T23:59:00.Z",
		"1969-12-31T00:00:00Z",
		"2026-02-30",
		"2026-13-01",
		"2026-01-31T",
		"2026-01-31 ",
		"2026-01-31Z",
		"24:00",
		"1:00",
		"12:60",
		"12:00:00.0123456789",
		"yesterday-12:00",
		"-5",
		"-5y",
		"5m",
		"-5m ago",
		" ago",
		"ago",
		"-",
		"12:00+1",
		"yesterday 2026-01-31",
		"-1s ",
		"5m  ago",
		"tomorrow",
		"2026-01-31T23:59 X",
		"99999-01-01T00:00:00Z",
	};
	struct when w;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (when_parse(bad[i], &w) != -EINVAL)
			fail_msg("'%s' is a time", bad[i]);
}

/* What is printed is parsed, and means the same to the precision of the text. */
static void printed(void **state)
{
	static const uint64_t seconds[] = { 1, 1769903940, 951782400, 4102444800, 18446744071 };
	char text[WHEN_TEXT];
	struct when w;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(seconds); i++)
		for (unsigned digits = 0; digits <= 9; digits++)
			for (int utc = 0; utc < 2; utc++) {
				const char *end = when_print(text, seconds[i], 987654321, digits, utc);

				assert_int_equal(strlen(text), end - text);
				assert_int_equal(when_parse(text, &w), 0);
				assert_true(when_has(&w, 0, AT(seconds[i]) + (digits ? 987654321 : 0)));
				assert_false(when_has(&w, 0, AT(seconds[i]) - 1));
			}
	when_print(text, 253402300800, 0, 3, true);
	assert_string_equal(text, "253402300800");
}

/* A span is rounded down when it is printed. */
static void spans_printed(void **state)
{
	char text[NUM_SPAN + 8], span[NUM_SPAN];
	struct when w;

	(void)state;
	for (uint64_t age = 0; age < 8640000; age = age * 3 / 2 + 1) {
		snprintf(text, sizeof(text), "%s ago", num_span(span, age));
		assert_int_equal(when_parse(text, &w), 0);
		assert_true(when_has(&w, NOW, NOW - AT(age)));
		assert_false(when_has(&w, NOW, NOW - AT(age) + AT(86400)));
	}
}

static void several_words(void **state)
{
	(void)state;
	assert_int_equal(when_words("2m ago && id == 1"), 6);
	assert_int_equal(when_words("2026-01-31 23:59:00 UTC)"), 23);
	assert_int_equal(when_words("yesterday 14:05||a"), 15);
	assert_int_equal(when_words("2026-01-31 && a"), 0);
	assert_int_equal(when_words("2m"), 0);
	assert_int_equal(when_words("one two three"), 0);
	assert_int_equal(when_words(""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(typed), cmocka_unit_test(refused),
					    cmocka_unit_test(printed), cmocka_unit_test(spans_printed),
					    cmocka_unit_test(several_words) };

	return cmocka_run_group_tests(tests, zone_set, NULL);
}
