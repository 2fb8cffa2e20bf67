/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include "cli/env.h"
#include "cli/records.h"
#include "prog/coverage/coverage.h"

static const struct cover_func first = { "a.c", "first", 10 }, again = { "a.c", "first", 10 },
			       other = { "a.c", "other", 3 }, bare = { "aa.c", "bare", 1 },
			       same = { "b.c", "first", 10 };

#define BLOCK(of, block, copy, runs) \
	{ \
		&(of), "", "", 0, block, copy, runs \
	}
#define LINE(of, file, num, block, copy, runs) \
	{ \
		&(of), file, "text", num, block, copy, runs \
	}

static struct env env;
static struct records recs;

static const struct cover_rec *sum(struct cover_item *items, size_t n)
{
	env = (struct env){ .keep = arena_new() };
	recs = (struct records){ .s = &coverage_schema };
	coverage_sum(&env, items, n, &recs);
	return (const struct cover_rec *)recs.rec;
}

static void expect_line(const struct cover_line *l, const char *file, uint32_t num, uint64_t runs)
{
	assert_string_equal(l->file, file);
	assert_int_equal(l->num, num);
	assert_int_equal(l->runs, runs);
}

/* The maximum of the blocks of a copy; copies are added; a copy that was read twice counts once. */
static void test_sums(void **state)
{
	struct cover_item items[] = {
		LINE(again, "a.c", 11, 8, 2, 5),
		BLOCK(first, 0, 1, 4),
		BLOCK(first, 8, 1, 0),
		LINE(first, "a.c", 11, 0, 1, 4),
		LINE(first, "a.c", 11, 8, 1, 0),
		LINE(first, "a.c", 12, 8, 1, 0),
		BLOCK(again, 0, 2, 3),
		BLOCK(again, 8, 2, 5),
		LINE(again, "a.c", 11, 0, 2, 3),
		BLOCK(first, 0, 1, 4),
		BLOCK(first, 16, 1, 0),
		LINE(first, "a.c", 11, 0, 1, 4),
		LINE(first, "a.c", 14, 16, 1, 0),
	};
	const struct cover_rec *r = sum(items, ARRAY_SIZE(items));

	(void)state;
	assert_int_equal(recs.n, 1);
	assert_string_equal(r->func, "first");
	assert_true(r->runs == 7 && r->blocks_total == 3 && r->blocks_hit == 2);
	assert_true(r->lines_total == 3 && r->lines_hit == 1 && r->has_lines == AVAIL_YES);
	assert_true(r->percent > 33.3 && r->percent < 33.4);
	expect_line(&r->all[0], "a.c", 11, 9);
	expect_line(&r->all[1], "a.c", 12, 0);
	expect_line(&r->all[2], "a.c", 14, 0);
	arena_free(env.keep);
}

/* By file and line; lines of other files after those of its own; no lines are no share. */
static void test_order(void **state)
{
	struct cover_item items[] = {
		BLOCK(same, 0, 1, 1),  LINE(first, "0.h", 2, 0, 1, 6),
		BLOCK(first, 0, 1, 6), LINE(first, "a.c", 99, 0, 1, 6),
		BLOCK(other, 0, 1, 2), LINE(first, "a.c", 9, 0, 1, 6),
	};
	const struct cover_rec *r = sum(items, ARRAY_SIZE(items));

	(void)state;
	assert_int_equal(recs.n, 3);
	assert_true(!strcmp(r[0].func, "other") && !strcmp(r[1].func, "first") && !strcmp(r[2].file, "b.c"));
	assert_true(r[2].has_lines == AVAIL_NO && !r[2].lines_total && r[2].blocks_hit == 1);
	assert_int_equal(r[1].lines_total, 3);
	expect_line(&r[1].all[0], "a.c", 9, 6);
	expect_line(&r[1].all[1], "a.c", 99, 6);
	expect_line(&r[1].all[2], "0.h", 2, 6);
	assert_true(!r[1].all[1].elsewhere && r[1].all[2].elsewhere);
	arena_free(env.keep);
}

/* Without counters nothing is known; a copy without them adds nothing. */
static void test_uncounted(void **state)
{
	struct cover_item items[] = { BLOCK(first, 0, 0, 0), BLOCK(other, 0, 0, 0), BLOCK(again, 0, 1, 3) };
	const struct cover_rec *r = sum(items, ARRAY_SIZE(items));
	struct out o;

	(void)state;
	assert_int_equal(recs.n, 2);
	assert_true(!strcmp(r[0].func, "other") && r[0].has_counters == AVAIL_NO && !r[0].blocks_total);
	assert_true(r[1].has_counters == AVAIL_YES && r[1].blocks_total == 1 && r[1].runs == 3);
	out_init(&o, -1);
	coverage_write_lcov(r, recs.n, &o);
	assert_string_equal(out_cstr(&o), "");
	out_close(&o, NULL);
	arena_free(env.keep);
}

static void test_none(void **state)
{
	(void)state;
	sum(NULL, 0);
	assert_int_equal(recs.n, 0);
	arena_free(env.keep);
}

/* A line in functions of two files is one line of its file; a file without lines is left out. */
static void test_lcov(void **state)
{
	struct cover_item items[] = {
		BLOCK(first, 0, 1, 6),	       LINE(first, "a.c", 10, 0, 1, 6), LINE(first, "x.h", 2, 0, 1, 6),
		BLOCK(same, 0, 1, 0),	       LINE(same, "b.c", 10, 0, 1, 0),	LINE(same, "x.h", 2, 0, 1, 0),
		LINE(same, "x.h", 1, 0, 1, 0), BLOCK(other, 0, 1, 2),		BLOCK(bare, 0, 1, 1),
	};
	const struct cover_rec *r = sum(items, ARRAY_SIZE(items));
	struct out o;

	(void)state;
	out_init(&o, -1);
	coverage_write_lcov(r, recs.n, &o);
	assert_string_equal(
		out_cstr(&o),
		"TN:\nSF:a.c\nFN:3,other\nFNDA:2,other\nFN:10,first\nFNDA:6,first\nFNF:2\nFNH:2\nDA:10,6\nLF:1\nLH:1\nend_of_record\n"
		"TN:\nSF:b.c\nFN:10,first\nFNDA:0,first\nFNF:1\nFNH:0\nDA:10,0\nLF:1\nLH:0\nend_of_record\n"
		"TN:\nSF:x.h\nDA:1,0\nDA:2,6\nLF:2\nLH:1\nend_of_record\n");
	out_close(&o, NULL);
	arena_free(env.keep);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_sums), cmocka_unit_test(test_order),
					    cmocka_unit_test(test_uncounted), cmocka_unit_test(test_none),
					    cmocka_unit_test(test_lcov) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
