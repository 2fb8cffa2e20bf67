/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "map/elem/buckets.h"
#include "map/view/heatmap.h"
#include "map/view/histogram.h"

#define MAX64 ((__int128)UINT64_MAX)

static struct buckets buckets;
static struct err e;

static struct bucket only(struct arena *a)
{
	struct histogram h;

	buckets_histogram(&buckets, &h, a);
	assert_int_equal(h.n, 1);
	return h.bucket[0];
}

static void bucket_is(__int128 value, __int128 lo, __int128 hi, const char *name)
{
	struct arena *a = arena_new();
	char text[BUCKET_NAME];
	struct bucket b;

	buckets_log2(&buckets);
	assert_int_equal(buckets_add(&buckets, value, 1, &e), 0);
	b = only(a);
	assert_true(b.lo == lo && b.hi == hi && b.count == 1);
	assert_string_equal(bucket_name(text, sizeof(text), &b, true), name);
	arena_free(a);
}

static void test_log2(void **unused)
{
	(void)unused;
	bucket_is(0, 0, 0, "[0]");
	bucket_is(1, 1, 1, "[1]");
	bucket_is(2, 2, 3, "[2, 4)");
	bucket_is(3, 2, 3, "[2, 4)");
	bucket_is(4, 4, 7, "[4, 8)");
	bucket_is(1023, 512, 1023, "[512, 1K)");
	bucket_is(1024, 1024, 2047, "[1K, 2K)");
	bucket_is((__int128)1 << 63, (__int128)1 << 63, MAX64, "[8E, 16E)");
	bucket_is(((__int128)1 << 63) - 1, (__int128)1 << 62, ((__int128)1 << 63) - 1, "[4E, 8E)");
	bucket_is(MAX64, (__int128)1 << 63, MAX64, "[8E, 16E)");
	bucket_is(-1, INT64_MIN, -1, "(..., 0)");
	bucket_is(INT64_MIN, INT64_MIN, -1, "(..., 0)");
}

static void test_counts_do_not_overflow(void **unused)
{
	struct arena *a = arena_new();
	struct histogram h;

	(void)unused;
	buckets_log2(&buckets);
	buckets_add(&buckets, 1, UINT64_MAX - 1, &e);
	buckets_add(&buckets, 1, 5, &e);
	buckets_add(&buckets, 4, 5, &e);
	buckets_histogram(&buckets, &h, a);
	assert_int_equal(h.n, 3);		/* [1], the empty one between, [4, 8) */
	assert_true(h.bucket[0].count == UINT64_MAX && h.total == UINT64_MAX);
	assert_int_equal(h.bucket[1].count, 0);
	arena_free(a);
}

static void test_linear_step(void **unused)
{
	struct arena *a = arena_new();
	char text[BUCKET_NAME];
	struct histogram h;

	(void)unused;
	buckets_linear(&buckets, 10);
	assert_int_equal(buckets_add(&buckets, 25, 1, &e), 0);
	assert_int_equal(buckets_add(&buckets, 9, 1, &e), 0);
	assert_int_equal(buckets_add(&buckets, -1, 1, &e), 0);
	assert_int_equal(buckets_add(&buckets, 29, 1, &e), 0);
	buckets_histogram(&buckets, &h, a);
	assert_int_equal(h.n, 4);
	assert_true(h.bucket[0].lo == -10 && h.bucket[0].hi == -1 && h.bucket[0].count == 1);
	assert_true(h.bucket[1].count == 1 && h.bucket[2].count == 0 && h.bucket[3].count == 2);
	assert_string_equal(bucket_name(text, sizeof(text), &h.bucket[3], false), "[20, 30)");
	/* Too far away for buckets of ten; nothing is lost. */
	assert_int_equal(buckets_add(&buckets, 1 << 20, 1, &e), -E2BIG);
	assert_non_null(strstr(e.msg, "more than 1024 buckets of 10"));
	err_clear(&e);
	buckets_histogram(&buckets, &h, a);
	assert_int_equal(h.total, 4);
	arena_free(a);
}

/* Whatever comes, at most BUCKETS_FEW of them, and each value in the one that its limits say. */
static void test_linear_grows(void **unused)
{
	static const __int128 values[] = { 5, 6, 7, 36, 37, -1, 100000, INT64_MIN, MAX64, 0, (__int128)1 << 63 };
	struct arena *a = arena_new();
	struct histogram h;
	size_t i;

	(void)unused;
	buckets_linear(&buckets, 0);
	for (i = 0; i < sizeof(values) / sizeof(*values); i++) {
		uint64_t before = 0;

		assert_int_equal(buckets_add(&buckets, values[i], 1, &e), 0);
		buckets_histogram(&buckets, &h, a);
		assert_int_equal(h.total, i + 1);
		assert_true(h.n <= BUCKETS_FEW);
		for (size_t k = 0; k < h.n; k++) {
			uint64_t expect = 0;

			assert_true(!k || h.bucket[k].lo == h.bucket[k - 1].hi + 1);
			for (size_t v = 0; v <= i; v++)
				expect += values[v] >= h.bucket[k].lo && values[v] <= h.bucket[k].hi;
			assert_int_equal(h.bucket[k].count, expect);
			before += expect;
		}
		assert_int_equal(before, i + 1);
	}
	arena_free(a);
}

static void test_slots(void **unused)
{
	uint64_t counts[65] = { 3, 4, [63] = 5 };
	struct arena *a = arena_new();
	struct histogram h;

	(void)unused;
	slots_histogram(&(struct slots){ .log2 = true }, counts, 64, &h, a);
	assert_int_equal(h.n, 64);
	assert_true(h.bucket[0].lo == 0 && h.bucket[0].hi == 1 && h.bucket[1].lo == 2 && h.bucket[1].hi == 3);
	assert_true(h.bucket[63].lo == (__int128)1 << 63 && h.bucket[63].hi == MAX64);
	slots_histogram(&(struct slots){ .log2 = true, .bcc = true }, counts, 65, &h, a);
	assert_true(h.bucket[0].lo == 0 && h.bucket[0].hi == 0 && h.bucket[1].lo == 0 && h.bucket[1].hi == 1);
	assert_true(h.bucket[63].lo == (__int128)1 << 62);
	slots_histogram(&(struct slots){ .step = 100 }, counts, 3, &h, a);
	assert_int_equal(h.n, 2);
	assert_true(h.bucket[1].lo == 100 && h.bucket[1].hi == 199 && h.bucket[1].count == 4);
	slots_histogram(&(struct slots){ .step = UINT64_MAX }, counts, 3, &h, a);
	assert_true(h.bucket[1].lo == MAX64 && h.bucket[1].hi == MAX64);
	arena_free(a);
}

static void test_print(void **unused)
{
	struct bucket b[] = { { 0, 1, 0 }, { 2, 3, UINT64_MAX }, { 4, 7, 1 } };
	struct histogram h = { b, 3, 0, true }, none = { .n = 0 };
	struct out o;

	(void)unused;
	setenv("COLUMNS", "30", 1);
	out_init(&o, -1);
	histogram_print(&h, &o);
	histogram_print(&none, &o);
	assert_string_equal(out_cstr(&o),
			    "[0, 2)                            0 |          |\n"
			    "[2, 4)         18446744073709551615 |@@@@@@@@@@|\n"
			    "[4, 8)                            1 |          |\n"
			    "(nothing counted)\n");
	out_close(&o, NULL);
	unsetenv("COLUMNS");
}

static void test_heat(void **unused)
{
	(void)unused;
	assert_int_equal(heat_level(0, 0), 0);
	assert_int_equal(heat_level(0, 9), 0);
	assert_int_equal(heat_level(1, 1), HEAT_LEVELS - 1);
	assert_int_equal(heat_level(UINT64_MAX, UINT64_MAX), HEAT_LEVELS - 1);
	assert_int_equal(heat_level(1, UINT64_MAX), 1);
	for (uint64_t v = 1; v < UINT64_MAX / 2; v *= 2)
		assert_true(heat_level(v, 1ull << 40) <= heat_level(v * 2, 1ull << 40));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_log2), cmocka_unit_test(test_counts_do_not_overflow), cmocka_unit_test(test_linear_step),
		cmocka_unit_test(test_linear_grows), cmocka_unit_test(test_slots), cmocka_unit_test(test_print),
		cmocka_unit_test(test_heat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
