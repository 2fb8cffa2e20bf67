/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "code/labels.h"

/* Instructions of one unit each; jumps as pairs. */
static void build(struct labels *l, struct arena *a, size_t end, const size_t (*jumps)[2], size_t n)
{
	labels_init(l, a, end, 0);
	for (size_t i = 0; i < end; i++)
		labels_insn(l, i);
	for (size_t i = 0; i < n; i++)
		labels_jump(l, jumps[i][0], jumps[i][1]);
	labels_done(l);
}

/* The margin next to "NUMBER" of each instruction, with a line "LABEL:" before it and a line "." after it. */
static void expect(const struct labels *l, const char *text)
{
	struct margin m = { .labels = l };
	struct out o;

	out_init(&o, -1);
	for (size_t i = 0; i < l->end; i++) {
		if (labels_at(l, i)) {
			margin_gap(&m, &o);
			out_fmt(&o, "L%zu:\n", labels_at(l, i));
		}
		margin_row(&m, i, &o);
		out_fmt(&o, "%zu\n", i);
	}
	assert_string_equal(out_cstr(&o), text);
	free(o.buf);
}
#define BUILD(end, ...) \
	do { \
		static const size_t jumps[][2] = { __VA_ARGS__ }; \
		build(&l, a, end, jumps, sizeof(jumps) / sizeof(jumps[0])); \
	} while (0)

static void test_margin(void **state)
{
	ARENA a = arena_new();
	struct labels l;

	(void)state;
	/* A jump inside another, a loop in it, two jumps to the same target. */
	BUILD(7, { 0, 5 }, { 1, 4 }, { 3, 2 }, { 4, 5 });
	expect(&l,
	       "/------ 0\n"
	       "| /---- 1\n"
	       "| |     L1:\n"
	       "| | /-> 2\n"
	       "| | \\-- 3\n"
	       "| |     L2:\n"
	       "+-\\---> 4\n"
	       "|       L3:\n"
	       "\\-----> 5\n"
	       "        6\n");
	assert_int_equal(l.lanes, 3);
	assert_int_equal(labels_at(&l, 2), 1);
	assert_int_equal(labels_at(&l, 3), 0);
	assert_int_equal(labels_at(&l, 7), 0);
	assert_int_equal(labels_at(&l, LABELS_NONE), 0);
}

/* To itself; backward and forward; past the end; to the middle of an instruction. */
static void test_places(void **state)
{
	ARENA a = arena_new();
	struct labels l;

	(void)state;
	BUILD(2, { 0, 0 }, { 1, 2 }, { 1, SIZE_MAX });
	assert_int_equal(l.lanes, 0);
	assert_int_equal(l.njumps, 1);
	expect(&l, "L1:\n0\n1\n");
	BUILD(3, { 0, 1 }, { 2, 1 });
	expect(&l, "/-- 0\n|   L1:\n+-> 1\n\\-- 2\n");
	labels_init(&l, a, 8, 40);
	labels_insn(&l, 0);
	labels_insn(&l, 5);
	labels_jump(&l, 0, 3);
	labels_jump(&l, 5, 5);
	labels_done(&l);
	assert_int_equal(labels_at(&l, 3), 0);
	assert_int_equal(labels_at(&l, 5), 41);
	BUILD(1, { 0, 1 });
	expect(&l, "0\n");
	build(&l, a, 0, NULL, 0);
	expect(&l, "");
}

/* More arrows than lanes: only names. The width of the margin does not change, and lanes are reused. */
static void test_too_many(void **state)
{
	size_t jumps[100][2];
	ARENA a = arena_new();
	struct labels l;
	struct margin m = { .labels = &l };
	struct out o;

	(void)state;
	for (size_t i = 0; i < 100; i++) {
		jumps[i][0] = i;
		jumps[i][1] = 199 - i;
	}
	build(&l, a, 200, jumps, 100);
	assert_int_equal(l.n, 100);
	assert_int_equal(l.lanes, LABELS_LANES);
	out_init(&o, -1);
	for (size_t i = 0; i < 200; i++) {
		margin_row(&m, i, &o);
		assert_int_equal(o.n, (i + 1) * (2 * LABELS_LANES + 2));
	}
	assert_memory_equal(o.buf + 50 * (2 * LABELS_LANES + 2), "| | | | | |   ", 14);
	assert_memory_equal(o.buf + 199 * (2 * LABELS_LANES + 2), "\\-----------> ", 14);
	assert_int_equal(labels_at(&l, 100), 1);
	free(o.buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_margin),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
