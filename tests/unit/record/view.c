/* SPDX-License-Identifier: BSD-2-Clause */
#include "../sample.h"

#include <errno.h>

#include "base/base.h"
#include "record/view.h"

static void columns(void **state)
{
	ARENA a = arena_new();
	struct err e = { 0 };
	struct view v;

	(void)state;
	assert_int_equal(view_parse(&v, &sample_schema, sample_parts, NULL, NULL, NULL, a, &e), 0);
	assert_int_equal(v.ncols, 0);
	assert_int_equal(v.need, 0);
	assert_int_equal(view_parse(&v, &sample_schema, sample_parts, "pinned, id ,map_id ", NULL, NULL, a, &e), 0);
	assert_int_equal(v.ncols, 3);
	assert_string_equal(v.cols[0], "pinned");
	assert_string_equal(v.cols[1], "id");
	assert_string_equal(v.cols[2], "map_id");
	assert_int_equal(v.need, NEED_PINS);
	assert_int_equal(view_parse(&v, &sample_schema, sample_parts, "+port,id", NULL, NULL, a, &e), 0);
	assert_int_equal(v.ncols, 5);
	assert_string_equal(v.cols[0], "id");
	assert_string_equal(v.cols[3], "bytes");
	assert_string_equal(v.cols[4], "port");
	/* Each has the sign that is typed before it if several are given. */
	assert_int_equal(view_parse(&v, &sample_schema, sample_parts, "+port,+map_id", NULL, NULL, a, &e), 0);
	assert_string_equal(v.cols[5], "map_id");
	assert_int_equal(v.need, NEED_FDINFO);
}

static void refusals_leave_the_view_alone(void **state)
{
	static const struct {
		const char *cols, *filter, *sort;
	} rows[] = {
		{ "", NULL, NULL },    { "id,", NULL, NULL },	    { ",id", NULL, NULL },
		{ "idd", NULL, NULL }, { "id map_id", NULL, NULL }, { "id, map_id pinned ,id", NULL, NULL },
		{ "+", NULL, NULL },   { NULL, "id ==", NULL },	    { NULL, NULL, "" },
		{ NULL, NULL, "-" },   { NULL, NULL, "ids" },	    { NULL, NULL, "--id" },
	};
	ARENA a = arena_new();
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct view v = { .ncols = 99 };
		struct err e = { 0 };

		assert_int_equal(
			view_parse(&v, &sample_schema, sample_parts, rows[i].cols, rows[i].filter, rows[i].sort, a, &e),
			-EINVAL);
		assert_int_equal(v.ncols, 99);
		assert_true(e.msg[0]);
		assert_int_equal(err_exit_status(&e), EXIT_USAGE);
	}
}

static void sorts_and_filters(void **state)
{
	struct sample x = { .id = 1, .count = 9, .kind = 1, .part_map = 3 }, y = { .id = 2, .count = 4 };
	ARENA a = arena_new();
	struct err e = { 0 };
	struct view v;

	(void)state;
	assert_int_equal(view_parse(&v, &sample_schema, sample_parts, NULL, "run_cnt > 5", "run_cnt", a, &e), 0);
	assert_true(view_match(&v, &sample_schema, &x));
	assert_false(view_match(&v, &sample_schema, &y));
	assert_true(view_cmp(&v, &sample_schema, &x, &y) > 0);
	assert_int_equal(view_parse(&v, &sample_schema, sample_parts, NULL, NULL, "-run_cnt", a, &e), 0);
	assert_true(view_match(&v, &sample_schema, &y));
	assert_true(view_cmp(&v, &sample_schema, &x, &y) < 0);
	/* A record without the column is first. */
	assert_int_equal(view_parse(&v, &sample_schema, sample_parts, NULL, NULL, "map_id", a, &e), 0);
	assert_true(view_cmp(&v, &sample_schema, &x, &y) > 0);
	assert_int_equal(view_cmp(&v, &sample_schema, &y, &y), 0);
	v.sort = NULL;
	assert_int_equal(view_cmp(&v, &sample_schema, &x, &y), 0);
}

static void check_order(const char *sort, const char *want)
{
	struct arena *a = arena_new();
	struct sample s[] = { { .count = 2, .id = 'a' },
			      { .count = 1, .id = 'b' },
			      { .count = 2, .id = 'c' },
			      { .count = 3, .id = 'd' } };
	const void *recs[] = { &s[3], &s[0], &s[1], &s[2] };
	struct err e = { 0 };
	char got[5] = "";
	struct view v;

	assert_int_equal(view_parse(&v, &sample_schema, sample_parts, NULL, NULL, sort, a, &e), 0);
	view_sort(&v, &sample_schema, recs, 4);
	for (int i = 0; i < 4; i++)
		got[i] = (char)((const struct sample *)recs[i])->id;
	assert_string_equal(got, want);
	arena_free(a);
}

/* Equal records keep their order, ascending or descending. */
static void sorts_all(void **state)
{
	(void)state;
	check_order(NULL, "dabc");
	check_order("run_cnt", "bacd");
	check_order("-run_cnt", "dacb");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns),
		cmocka_unit_test(refusals_leave_the_view_alone),
		cmocka_unit_test(sorts_and_filters),
		cmocka_unit_test(sorts_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
