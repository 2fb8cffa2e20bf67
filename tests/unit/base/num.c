/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base.h"

static void parses(void **state)
{
	static const struct {
		const char *text;
		int err;
		uint64_t v;
	} rows[] = {
		{ "0", 0, 0 },
		{ "7", 0, 7 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "0xFf", 0, 255 },
		{ "017", 0, 15 },
		{ "0xffffffffffffffff", 0, UINT64_MAX },
		{ "01777777777777777777777", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "0x10000000000000000", -ERANGE, 0 },
		{ "99999999999999999999999999", -ERANGE, 0 },
		{ "99999999999999999999999999z", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ "0x", -EINVAL, 0 },
		{ "08", -EINVAL, 0 },
		{ "1a", -EINVAL, 0 },
		{ "0xg", -EINVAL, 0 },
		{ "x1", -EINVAL, 0 },
		{ "1K", -EINVAL, 0 },
	};
	uint64_t v;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		v = 42;
		assert_int_equal(num_parse_u64(rows[i].text, &v), rows[i].err);
		assert_int_equal(v, rows[i].err ? 42 : rows[i].v);
	}
}

static void parses_u32(void **state)
{
	uint32_t v = 42;

	(void)state;
	assert_int_equal(num_parse_u32("4294967296", &v), -ERANGE);
	assert_int_equal(v, 42);
	assert_int_equal(num_parse_u32("4294967295", &v), 0);
	assert_int_equal(v, UINT32_MAX);
}

static void parses_sizes(void **state)
{
	uint64_t v = 42;

	(void)state;
	assert_int_equal(num_parse_size("4K", &v), 0);
	assert_int_equal(v, 4096);
	assert_int_equal(num_parse_size("0x10M", &v), 0);
	assert_int_equal(v, 16 << 20);
	assert_int_equal(num_parse_size("3T", &v), 0);
	assert_int_equal(v, 3ull << 40);
	assert_int_equal(num_parse_size("12", &v), 0);
	assert_int_equal(v, 12);
	assert_int_equal(num_parse_size("1.5K", &v), 0);
	assert_int_equal(v, 1536);
	assert_int_equal(num_parse_size("16777215.9T", &v), 0);
	assert_int_equal(v, (16777215ull << 40) + (9ull << 40) / 10);
	v = 12;
	assert_int_equal(num_parse_size("1.5", &v), -EINVAL);
	assert_int_equal(num_parse_size("1.K", &v), -EINVAL);
	assert_int_equal(num_parse_size("1.55K", &v), -EINVAL);
	assert_int_equal(num_parse_size("16777216T", &v), -ERANGE);
	assert_int_equal(num_parse_size("99999999999999999999K", &v), -ERANGE);
	assert_int_equal(num_parse_size("K", &v), -EINVAL);
	assert_int_equal(num_parse_size("1KB", &v), -EINVAL);
	assert_int_equal(num_parse_size("1P", &v), -EINVAL);
	assert_int_equal(v, 12);
}

static void reals(void **state)
{
	static const char *const bad[] = { "", " 1", "1 ", "nan", "inf", "0x1p3", "1.5K", "1e999", ".", "-", "1.5.5" };
	static const char *const good[] = { "0",      "0.1", "-12345.678", "1e+300", "0.3333333333333333",
					    "5e-324", "100", "-12000",	   "1e+15" };
	char text[NUM_REAL];
	double v = 42;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(num_parse_real(bad[i], &v), -EINVAL);
		assert_true(v == 42);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(num_parse_real(good[i], &v), 0);
		assert_string_equal(num_real(text, sizeof(text), v), good[i]);
	}
}

static void as_printf(void **state)
{
	char got[32], want[32];
	uint64_t v;
	unsigned i;

	(void)state;
	srandom(7);
	for (i = 0; i < 20000; i++) {
		v = i < 1200 ? i : (((uint64_t)random() << 33) ^ (uint64_t)random()) >> (random() % 64);
		if (i == 1200)
			v = UINT64_MAX;
		*num_dec(got, v) = '\0';
		snprintf(want, sizeof(want), "%" PRIu64, v);
		assert_string_equal(got, want);
		*num_hex(got, v) = '\0';
		snprintf(want, sizeof(want), "%" PRIx64, v);
		assert_string_equal(got, want);
	}
	for (i = 0; i < 256; i++) {
		snprintf(want, sizeof(want), "%02x", i);
		assert_memory_equal(num_hex2[i], want, 2);
	}
}

static void human(void **state)
{
	static const struct {
		uint64_t v;
		const char *want;
	} sizes[] = {
		{ 0, "0" },	      { 999, "999" },	     { 1023, "1023" },	     { 1024, "1K" },
		{ 1536, "1.5K" },     { 10240, "10K" },	     { 12ull << 20, "12M" }, { (1 << 20) - 1, "1023K" },
		{ 3ull << 30, "3G" }, { UINT64_MAX, "15E" },
	};
	static const struct {
		uint64_t v;
		const char *want;
	} times[] = {
		{ 0, "0ns" },
		{ 870, "870ns" },
		{ 1200000, "1.2ms" },
		{ 3400000000, "3.4s" },
		{ 307000000000, "5m07s" },
		{ 999999, "999us" },
		{ 59999999999, "59.9s" },
		{ 3600000000000, "1h00m" },
		{ 90000000000000, "1d01h" },
		{ UINT64_MAX, "213503d23h" },
		{ 1000, "1us" },
	};
	char buf[16];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		assert_string_equal(num_human(buf, 8, sizes[i].v), sizes[i].want);
	for (i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		assert_string_equal(num_nsec(buf, sizeof(buf), times[i].v), times[i].want);
}

static void hex_digits(void **state)
{
	static const char digits[] = "0123456789abcdef";

	(void)state;
	for (int c = 0; c < 256; c++) {
		const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c + 0x20 : c) : NULL;

		assert_int_equal(num_hex_digit((char)c), at ? at - digits : -1);
		assert_int_equal(num_hex_byte((char[]){ (char)c, 'e' }), at ? (at - digits) << 4 | 0xe : -1);
		assert_int_equal(num_hex_byte((char[]){ 'E', (char)c }), at ? 0xe0 | (at - digits) : -1);
	}
}

static void spans(void **state)
{
	static const struct {
		const char *text;
		uint64_t want;
	} good[] = {
		{ "0s", 0 },	   { "90s", 90 },    { "5m", 300 },
		{ "1h30m", 5400 }, { "2d", 172800 }, { "1w1d1h1m1s", 694861 },
	};
	static const char *const bad[] = { "", "5", "m", "5y", "5M", "-5m", "+5m", " 5m", "5 m", "5m ", "5m3", "0x5m" };
	static const struct {
		uint64_t seconds;
		const char *want;
	} texts[] = {
		{ 0, "0s" },	{ 59, "59s" },	   { 60, "1m" },     { 3599, "59m" },
		{ 3600, "1h" }, { 172799, "47h" }, { 172800, "2d" }, { 8640000, "100d" },
	};
	char buf[NUM_SPAN];
	uint64_t v;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(num_parse_span(good[i].text, &v), 0);
		assert_int_equal(v, good[i].want);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(num_parse_span(bad[i], &v), -EINVAL);
	assert_int_equal(num_parse_span("99999999999999999999s", &v), -ERANGE);
	assert_int_equal(num_parse_span("18446744073709551615m", &v), -ERANGE);
	assert_int_equal(num_parse_span("18446744073709551615s1s", &v), -ERANGE);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_string_equal(num_span(buf, texts[i].seconds), texts[i].want);
}

static void nanoseconds(void **state)
{
	static const struct {
		const char *text;
		uint64_t want;
	} good[] = { { "870ns", 870 },	     { "1.2ms", 1200000 },	{ "12us", 12000 },
		     { "3.4s", 3400000000 }, { "5m07s", 307000000000 }, { "2h", 7200000000000 } };
	static const char *const bad[] = { "", "ms", "1", "1.ms", "1.55ms", "1.5m", "1ms5us", ".5s", "-1s", "1 s" };
	char text[16];
	uint64_t v = 1;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(num_parse_nsec(good[i].text, &v), 0);
		assert_int_equal(v, good[i].want);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(num_parse_nsec(bad[i], &v), -EINVAL);
	assert_int_equal(num_parse_nsec("18446744073709551616ns", &v), -ERANGE);
	assert_int_equal(num_parse_nsec("18446744073709551615us", &v), -ERANGE);
	assert_int_equal(num_parse_nsec("600000000000w", &v), -ERANGE);
	/* What is printed is read, and printed the same. */
	for (uint64_t ns = 1; ns < UINT64_C(1) << 62; ns = ns * 7 / 3 + 1) {
		char again[16];

		assert_int_equal(num_parse_nsec(num_nsec(text, sizeof(text), ns), &v), 0);
		assert_string_equal(num_nsec(again, sizeof(again), v), text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses), cmocka_unit_test(parses_u32),	 cmocka_unit_test(parses_sizes),
		cmocka_unit_test(reals),  cmocka_unit_test(as_printf),	 cmocka_unit_test(human),
		cmocka_unit_test(spans),  cmocka_unit_test(nanoseconds), cmocka_unit_test(hex_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
