/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <string.h>

#include "base/base.h"
#include "prog/prog.h"
#include "prog/stats.h"
#include "record/field.h"

static void add(struct stats_look *l, uint32_t id, uint64_t runs, uint64_t ns, const struct stats_look *old)
{
	struct prog_rec r = { .info = { .id = id, .run_cnt = runs, .run_time_ns = ns, .recursion_misses = runs / 10 },
			      .type = "xdp",
			      .name = "p" };

	stats_add(l, &r, old ? stats_find(old, id) : NULL);
}

static void between(void **state)
{
	ARENA a = arena_new();
	struct stats_look old, now;
	struct stats_rec *r;

	(void)state;
	stats_init(&old);
	stats_init(&now);
	assert_int_equal(stats_between(&old, &now, 1, "", a, &r), 0);
	add(&old, 2, 100, 5000, NULL);
	add(&old, 5, 7, 70, NULL);
	add(&old, 9, 1, 1, NULL);
	assert_null(stats_find(&old, 3));
	assert_non_null(stats_find(&old, 9));
	add(&now, 2, 150, 30000, &old);
	add(&now, 9, 1, 1, &old);
	add(&now, 10, 20, 400, &old);
	assert_int_equal(stats_between(&old, &now, 500000, "T", a, &r), 4);
	assert_true(r[0].id == 2 && r[0].run_cnt == 50 && r[0].run_time_ns == 25000 && r[0].run_avg_ns == 500 &&
		    !r[0].change);
	assert_true(r[0].recursion_misses == 5 && r[0].runs_per_sec == 100000 && r[0].cpu_percent == 5);
	assert_true(r[1].id == 5 && r[1].has_counts == AVAIL_NO && r[1].has_avg == AVAIL_NO);
	assert_string_equal(r[1].change, "gone");
	assert_true(r[2].id == 9 && r[2].has_counts == AVAIL_YES && !r[2].run_cnt && r[2].has_avg == AVAIL_NO &&
		    !r[2].change);
	assert_true(r[3].id == 10 && r[3].run_cnt == 20 && r[3].run_avg_ns == 20);
	assert_string_equal(r[3].change, "new");
	assert_string_equal(r[3].time, "T");
	stats_clear(&old);
	add(&old, 2, 149, 29000, &now);
	assert_int_equal(stats_between(&now, &old, 1, "T", a, &r), 3);
	assert_true(!r[0].run_cnt && !r[0].run_time_ns);
	assert_string_equal(r[0].name, "p");
	stats_release(&old);
	stats_release(&now);
}

static void words(void **state)
{
	struct stats_look old, now;
	struct prog_rec r = { .info.id = 1, .type = "xdp", .name = "a_long_name_of_it" },
			brief = { .info.id = 1, .type = "xdp", .name = "a_long" };

	(void)state;
	stats_init(&old);
	stats_init(&now);
	stats_add(&old, &r, NULL);
	stats_add(&now, &brief, stats_find(&old, 1));
	stats_release(&old);
	assert_string_equal(now.prog[0].name, "a_long_name_of_it");
	stats_clear(&now);
	brief.name = NULL;
	stats_add(&now, &brief, NULL);
	assert_null(now.prog[0].name);
	stats_release(&now);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(between), cmocka_unit_test(words) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
