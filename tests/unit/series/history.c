/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include "record/field.h"
#include "series/history.h"

static void add(struct stats_look *l, uint32_t id, uint64_t load_time, uint64_t runs, uint64_t ns)
{
	stats_add(l, &(const struct stats_seen){
			     .id = id, .load_time = load_time, .run_cnt = runs, .run_time_ns = ns, .type = "xdp" });
}

static void ring(void **state)
{
	struct history_ring r = { 0 };

	(void)state;
	for (unsigned i = 0; i < HISTORY_POINTS + 5; i++) {
		history_ring_add(&r, (struct history_point){ (float)i, 0 });
		assert_int_equal(r.n, i < HISTORY_POINTS ? i + 1 : HISTORY_POINTS);
		assert_true(history_ring_at(&r, r.n - 1).cpu_percent == (float)i);
	}
	assert_true(history_ring_at(&r, 0).cpu_percent == 5);
}

static void points(void **state)
{
	ARENA a = arena_new();
	struct stats_rec *rec;
	struct stats_look *l;
	struct history h;

	(void)state;
	history_init(&h);
	l = history_begin(&h);
	add(l, 1, 1, 1000, 1000);
	add(l, 7, 1, 50, 50);
	assert_int_equal(history_end(&h, 1, "T", a, &rec), 0);
	assert_true(h.n == 2 && !h.loads && !h.all.n);
	l = history_begin(&h);
	add(l, 1, 1, 1100, 1000 + NSEC_PER_SEC / 10);
	add(l, 7, 1, 50, 50);
	add(l, 8, 5, 10, NSEC_PER_SEC / 5);
	assert_int_equal(history_end(&h, NSEC_PER_SEC, "T", a, &rec), 3);
	assert_true(h.n == 3 && h.loads == 1 && h.came == 1 && !h.unloads);
	assert_true(history_find(&h, 1)->ring.n == 1 &&
		    history_ring_at(&history_find(&h, 1)->ring, 0).cpu_percent == 10);
	assert_true(history_ring_at(&history_find(&h, 1)->ring, 0).runs_per_sec == 100);
	assert_true(h.all.n == 1 && history_ring_at(&h.all, 0).cpu_percent == 30);
	assert_null(history_find(&h, 2));
	assert_null(history_find(&h, 9));
	history_release(&h);
}

/* Neither the counts nor the history of the program that had the id before, nor its place. */
static void reused(void **state)
{
	ARENA a = arena_new();
	struct stats_rec *rec;
	struct stats_look *l;
	struct history h;

	(void)state;
	history_init(&h);
	add(history_begin(&h), 3, 1, 1000, 1000);
	history_end(&h, 1, "T", a, &rec);
	add(history_begin(&h), 3, 1, 2000, 2000);
	history_end(&h, 1000, "T", a, &rec);
	history_find(&h, 3)->where = array_resize(NULL, 1, 1);
	*history_find(&h, 3)->where = '\0';
	l = history_begin(&h);
	add(l, 3, 99, 2001, 2001);
	assert_int_equal(history_end(&h, 1000, "T", a, &rec), 2);
	assert_true(h.n == 1 && h.came == 1 && h.gone == 1 && h.loads == 1 && h.unloads == 1);
	assert_true(history_find(&h, 3)->ring.n == 1 && !history_find(&h, 3)->where);
	assert_true(history_ring_at(&history_find(&h, 3)->ring, 0).runs_per_sec == 2001 * 1e6f);
	history_release(&h);
}

/* Whatever comes and goes: as many histories as programs. */
static void bounded(void **state)
{
	struct stats_rec *rec;
	struct history h;

	(void)state;
	history_init(&h);
	for (unsigned round = 0; round < 200; round++) {
		ARENA a = arena_new();
		struct stats_look *l = history_begin(&h);

		for (unsigned i = 0; i < 50; i++)
			add(l, 1 + i + 25 * round, round, 1, 1);
		history_end(&h, 1000, "T", a, &rec);
		assert_int_equal(h.n, 50);
		assert_true(h.cap < 200 && arena_size(h.now.arena) < 16384 && arena_size(h.old.arena) < 16384);
	}
	assert_true(h.loads == h.unloads && h.all.n == HISTORY_POINTS);
	history_release(&h);
	assert_null(h.prog);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(ring), cmocka_unit_test(points), cmocka_unit_test(reused),
					    cmocka_unit_test(bounded) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
