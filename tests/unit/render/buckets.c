/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "render/buckets.h"
#include "map/view/heatmap.h"
#include "render/histogram.h"

#define MAX64 WIDE_U(UINT64_MAX)
#define TOP64 WIDE_U(1ull << 63)
#define N(v) wide_s(v)

static bool same(struct wide a, struct wide b)
{
	return !wide_cmp(a, b);
}

static struct buckets buckets;
static struct err e;

static struct bucket only(struct arena *a)
{
	struct histogram h;

	buckets_histogram(&buckets, &h, a);
	assert_int_equal(h.n, 1);
	return h.bucket[0];
}

static void bucket_is(struct wide value, struct wide lo, struct wide hi, const char *name)
{
	struct arena *a = arena_new();
	char text[BUCKET_NAME];
	struct bucket b;

	buckets_log2(&buckets);
	assert_int_equal(buckets_add(&buckets, value, 1, &e), 0);
	b = only(a);
	assert_true(same(b.lo, lo) && same(b.hi, hi) && b.count == 1);
	assert_string_equal(bucket_name(text, sizeof(text), &b, true), name);
	arena_free(a);
}

static void test_log2(void **unused)
{
	(void)unused;
	bucket_is(N(0), N(0), N(0), "[0]");
	bucket_is(N(1), N(1), N(1), "[1]");
	bucket_is(N(2), N(2), N(3), "[2, 4)");
	bucket_is(N(3), N(2), N(3), "[2, 4)");
	bucket_is(N(4), N(4), N(7), "[4, 8)");
	bucket_is(N(1023), N(512), N(1023), "[512, 1K)");
	bucket_is(N(1024), N(1024), N(2047), "[1K, 2K)");
	bucket_is(TOP64, TOP64, MAX64, "[8E, 16E)");
	bucket_is(N(INT64_MAX), N(1ll << 62), N(INT64_MAX), "[4E, 8E)");
	bucket_is(MAX64, TOP64, MAX64, "[8E, 16E)");
	bucket_is((struct wide){ 0, 1 }, TOP64, MAX64, "[8E, 16E)");
	bucket_is(N(-1), N(INT64_MIN), N(-1), "(..., 0)");
	bucket_is(N(INT64_MIN), N(INT64_MIN), N(-1), "(..., 0)");
}

static void test_counts_do_not_overflow(void **unused)
{
	struct arena *a = arena_new();
	struct histogram h;

	(void)unused;
	buckets_log2(&buckets);
	buckets_add(&buckets, N(1), UINT64_MAX - 1, &e);
	buckets_add(&buckets, N(1), 5, &e);
	buckets_add(&buckets, N(4), 5, &e);
	buckets_histogram(&buckets, &h, a);
	assert_int_equal(h.n, 3); /* [1], the empty one between, [4, 8) */
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
	assert_int_equal(buckets_add(&buckets, N(25), 1, &e), 0);
	assert_int_equal(buckets_add(&buckets, N(9), 1, &e), 0);
	assert_int_equal(buckets_add(&buckets, N(-1), 1, &e), 0);
	assert_int_equal(buckets_add(&buckets, N(29), 1, &e), 0);
	buckets_histogram(&buckets, &h, a);
	assert_int_equal(h.n, 4);
	assert_true(same(h.bucket[0].lo, N(-10)) && same(h.bucket[0].hi, N(-1)) && h.bucket[0].count == 1);
	assert_true(h.bucket[1].count == 1 && h.bucket[2].count == 0 && h.bucket[3].count == 2);
	assert_string_equal(bucket_name(text, sizeof(text), &h.bucket[3], false), "[20, 30)");
	/* Too far away for buckets of ten; no value is lost. */
	assert_int_equal(buckets_add(&buckets, N(1 << 20), 1, &e), -E2BIG);
	assert_non_null(strstr(e.msg, "more than 1024 buckets of 10"));
	err_clear(&e);
	buckets_histogram(&buckets, &h, a);
	assert_int_equal(h.total, 4);
	arena_free(a);
}

/* For any values, at most BUCKETS_FEW buckets, and each value in the bucket with its limits. */
static void test_linear_grows(void **unused)
{
	const struct wide values[] = { N(5),	  N(6),		N(7),  N(36), N(37), N(-1),
				       N(100000), N(INT64_MIN), MAX64, N(0),  TOP64 };
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

			assert_true(!k || same(h.bucket[k].lo, wide_add(h.bucket[k - 1].hi, N(1))));
			for (size_t v = 0; v <= i; v++)
				expect += wide_cmp(values[v], h.bucket[k].lo) >= 0 &&
					  wide_cmp(values[v], h.bucket[k].hi) <= 0;
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
	assert_true(same(h.bucket[0].lo, N(0)) && same(h.bucket[0].hi, N(1)) && same(h.bucket[1].lo, N(2)) &&
		    same(h.bucket[1].hi, N(3)));
	assert_true(same(h.bucket[63].lo, TOP64) && same(h.bucket[63].hi, MAX64));
	slots_histogram(&(struct slots){ .log2 = true, .bcc = true }, counts, 65, &h, a);
	assert_true(same(h.bucket[0].lo, N(0)) && same(h.bucket[0].hi, N(0)) && same(h.bucket[1].lo, N(0)) &&
		    same(h.bucket[1].hi, N(1)));
	assert_true(same(h.bucket[63].lo, N(1ll << 62)));
	slots_histogram(&(struct slots){ .step = 100 }, counts, 3, &h, a);
	assert_int_equal(h.n, 2);
	assert_true(same(h.bucket[1].lo, N(100)) && same(h.bucket[1].hi, N(199)) && h.bucket[1].count == 4);
	slots_histogram(&(struct slots){ .step = UINT64_MAX }, counts, 3, &h, a);
	assert_true(same(h.bucket[1].lo, MAX64) && same(h.bucket[1].hi, MAX64));
	arena_free(a);
}

static void test_print(void **unused)
{
	struct bucket b[] = { { N(0), N(1), 0 }, { N(2), N(3), UINT64_MAX }, { N(4), N(7), 1 } };
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
		cmocka_unit_test(test_log2),	    cmocka_unit_test(test_counts_do_not_overflow),
		cmocka_unit_test(test_linear_step), cmocka_unit_test(test_linear_grows),
		cmocka_unit_test(test_slots),	    cmocka_unit_test(test_print),
		cmocka_unit_test(test_heat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
