/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <string.h>

#include "base/base.h"
#include "prog/stats.h"
#include "record/field.h"

static void add(struct stats_look *l, uint32_t id, uint64_t load_time, uint64_t runs, uint64_t ns)
{
	stats_add(l, &(const struct stats_seen){ .id = id,
						 .load_time = load_time,
						 .run_cnt = runs,
						 .run_time_ns = ns,
						 .recursion_misses = runs / 10,
						 .type = "xdp",
						 .name = "p" });
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
	add(&old, 2, 1, 100, 5000);
	add(&old, 5, 1, 7, 70);
	add(&old, 9, 1, 1, 1);
	assert_null(stats_find(&old, 3));
	assert_non_null(stats_find(&old, 9));
	add(&now, 2, 1, 150, 30000);
	add(&now, 9, 1, 1, 1);
	add(&now, 10, 1, 20, 400);
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
	add(&old, 2, 1, 149, 29000);
	assert_int_equal(stats_between(&now, &old, 1, "T", a, &r), 3);
	assert_true(!r[0].run_cnt && !r[0].run_time_ns);
	assert_string_equal(r[0].name, "p");
	stats_release(&old);
	stats_release(&now);
}

/* Its counts are of another program. */
static void reused(void **state)
{
	ARENA a = arena_new();
	struct stats_look old, now;
	struct stats_rec *r;

	(void)state;
	stats_init(&old);
	stats_init(&now);
	add(&old, 2, 1, 100, 5000);
	add(&old, 3, 1, 100, 5000);
	add(&now, 2, 9, 120, 6000);
	add(&now, 3, 1, 101, 5001);
	assert_int_equal(stats_between(&old, &now, 1000, "T", a, &r), 3);
	assert_true(r[0].id == 2 && r[0].load_time == 1 && r[0].has_counts == AVAIL_NO);
	assert_string_equal(r[0].change, "gone");
	assert_true(r[1].id == 2 && r[1].load_time == 9 && r[1].run_cnt == 120);
	assert_string_equal(r[1].change, "new");
	assert_true(r[2].id == 3 && r[2].run_cnt == 1 && !r[2].change);
	stats_release(&old);
	stats_release(&now);
}

static void words(void **state)
{
	struct stats_look old, now;

	(void)state;
	stats_init(&old);
	stats_init(&now);
	add(&old, 1, 1, 0, 0);
	stats_add(&now, stats_find(&old, 1));
	stats_release(&old);
	assert_string_equal(now.prog[0].name, "p");
	stats_clear(&now);
	stats_add(&now, &(const struct stats_seen){ .id = 1, .type = "xdp" });
	assert_null(now.prog[0].name);
	stats_release(&now);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(between), cmocka_unit_test(reused),
					    cmocka_unit_test(words) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
