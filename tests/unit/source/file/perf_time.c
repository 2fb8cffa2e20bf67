/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "kernel/perf/data.h"
#include "source/lives.h"
#include "source/file/perf_time.h"

static struct life known[] = {
	{ .id = 5, .loaded = 1000, .gone = true, .gone_at = 2000 },
	{ .id = 6, .loaded = 1500, .gone = true, .gone_at = 4000 },
	{ .id = 7, .loaded = 3000 },
};
static const struct lives lives = { 500, 9000, known, 3 };
static const struct perf_data_head scheduler, monotonic = { .has_clock = true, .clock = CLOCK_MONOTONIC },
					      boot = { .has_clock = true, .clock = CLOCK_BOOTTIME };

static void told(struct perf_time *t, uint16_t event, uint32_t id, uint64_t time)
{
	codes_seen_add(&t->seen, &(const struct sideband_record){
					 .kind = SIDEBAND_PROG, .time = time, .prog = { .event = event, .id = id } });
}

static int settle(struct perf_time *t, const struct perf_data_head *h, const struct lives *of, struct err *e)
{
	struct arena *a = arena_new();
	const int err = perf_time_settle(t, h, of, a, "f", e);

	arena_free(a);
	return err;
}

/* The clocks are 100 apart at one end, 300 at the other. */
static void ends(void **state)
{
	struct perf_time t = { 0 };

	(void)state;
	told(&t, PERF_BPF_EVENT_PROG_LOAD, 7, 2900);
	told(&t, PERF_BPF_EVENT_PROG_UNLOAD, 6, 3700);
	told(&t, PERF_BPF_EVENT_PROG_UNLOAD, 5, 1900);
	told(&t, PERF_BPF_EVENT_PROG_UNLOAD, 7, 5000); /* unknown time */
	told(&t, PERF_BPF_EVENT_PROG_UNLOAD, 8, 5000); /* not in the recording */
	told(&t, PERF_BPF_EVENT_PROG_UNLOAD, 5, 0);    /* perf's own words */
	assert_int_equal(settle(&t, &scheduler, &lives, NULL), 0);
	assert_int_equal(t.n, 2);
	assert_int_equal(perf_time_boot(&t, 1800), 1900);
	assert_int_equal(perf_time_boot(&t, 1900), 2000);
	assert_int_equal(perf_time_boot(&t, 2800), 3000);
	assert_int_equal(perf_time_boot(&t, 3700), 4000);
	assert_int_equal(perf_time_boot(&t, 4700), 5000);
	for (uint64_t perf = 0; perf < 6000; perf += 300)
		assert_in_range(perf_time_perf(&t, perf_time_boot(&t, perf)), perf ? perf - 1 : 0, perf + 1);
	assert_int_equal(perf_time_perf(&t, 50), 0); /* before its clock began */
	perf_time_release(&t);
	told(&t, PERF_BPF_EVENT_PROG_UNLOAD, 5, 1900);
	assert_int_equal(settle(&t, &boot, &lives, NULL), 0);
	assert_int_equal(perf_time_boot(&t, 1900), 1900);
	perf_time_release(&t);
}

static void without_ends(void **state)
{
	struct perf_time t = { 0 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(settle(&t, &scheduler, &lives, &e), -ENODATA);
	assert_non_null(strstr(e.hint, "-k CLOCK_MONOTONIC"));
	assert_int_equal(settle(&t, &monotonic, &lives, NULL), 0);
	assert_int_equal(perf_time_boot(&t, 1900), 1900);
	/* The kernel reports a load after verification: the earliest time is the nearest. */
	told(&t, PERF_BPF_EVENT_PROG_LOAD, 5, 980);
	told(&t, PERF_BPF_EVENT_PROG_LOAD, 6, 1450);
	told(&t, PERF_BPF_EVENT_PROG_LOAD, 7, 2990);
	assert_int_equal(settle(&t, &scheduler, &lives, NULL), 0);
	assert_int_equal(perf_time_boot(&t, 1450), 1500);
	assert_int_equal(perf_time_boot(&t, 50), 100);
	assert_int_equal(perf_time_perf(&t, 100), 50);
	perf_time_release(&t);
}

/* One of ten unloads is seen 5 ms later by perf, as if something else ran between. */
static void late(void **state)
{
	enum { N = 10, LATE = 4 };
	struct perf_time t = { 0 };
	struct life life[N];

	(void)state;
	for (unsigned i = 0; i < N; i++) {
		life[i] = (struct life){ .id = i + 1, .gone = true, .gone_at = (i + 1) * 1000000 };
		told(&t, PERF_BPF_EVENT_PROG_UNLOAD, i + 1, life[i].gone_at - 500 + (i == LATE ? 5000000 : 0));
	}
	assert_int_equal(settle(&t, &scheduler, &(const struct lives){ 0, 0, life, N }, NULL), 0);
	assert_int_equal(t.n, N - 1);
	for (uint64_t perf = 600000; perf < 12000000; perf += 100000) {
		assert_int_equal(perf_time_boot(&t, perf), perf + 500);
		assert_int_equal(perf_time_perf(&t, perf + 500), perf);
	}
	perf_time_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(ends), cmocka_unit_test(late),
					    cmocka_unit_test(without_ends) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
