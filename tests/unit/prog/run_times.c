/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <string.h>

#include "own/runs/times.h"
#include "prog/run_times.h"
#include "record/field.h"
#include "render/doc.h"

static struct times_sum before, now;

static void ran(struct times_sum *s, uint64_t ns, uint64_t runs)
{
	s->count[times_slot(ns)] += runs;
	s->sum += ns * runs;
	s->most = ns > s->most ? ns : s->most;
}

static struct run_times_rec set(struct arena *a)
{
	struct run_times_rec r = { 0 };
	struct histogram g;

	run_times_set(&r, &before, &now, &g, a);
	return r;
}

static void clear(void)
{
	memset(&before, 0, sizeof(before));
	memset(&now, 0, sizeof(now));
}

static bool near(uint64_t found, uint64_t exact)
{
	const uint64_t off = found > exact ? found - exact : exact - found;

	return off * 32 <= exact;
}

/* Of the runs 1, 2, ... n, each n times @unit nanoseconds. */
static void percentiles(void **state)
{
	ARENA a = arena_new();

	(void)state;
	for (uint64_t unit = 1; unit < 1ull << 44; unit = unit * 3 + 1) {
		struct run_times_rec r;

		clear();
		for (uint64_t i = 1; i <= 1000; i++)
			ran(&now, i * unit, 1);
		r = set(a);
		assert_int_equal(r.run_cnt, 1000);
		assert_int_equal(r.run_avg_ns, 1001 * unit / 2);
		assert_true(near(r.p50_ns, 500 * unit) && near(r.p99_ns, 990 * unit));
		assert_int_equal(r.max_ns, 1000 * unit);
	}
}

static void few_runs(void **state)
{
	ARENA a = arena_new();
	struct run_times_rec r;

	(void)state;
	clear();
	r = set(a);
	assert_true(!r.run_cnt && r.has_times == AVAIL_NO && !r.rows.n);
	ran(&now, 1000003, 1);
	r = set(a);
	assert_true(near(r.p50_ns, 1000003) && r.p50_ns <= 1000003 && r.p99_ns == r.p50_ns && r.max_ns == 1000003);
	ran(&now, 0, 1);
	r = set(a);
	assert_true(r.p50_ns == 0 && near(r.p99_ns, 1000003) && r.run_avg_ns == 500001);
	ran(&now, UINT64_MAX, 1);
	r = set(a);
	assert_true(r.max_ns == UINT64_MAX && near(r.p99_ns, UINT64_MAX));
	assert_string_equal(r.rows.bucket[r.rows.n - 1].hi, "18446744073709551615");
}

/* Only the runs since the previous read count, of which the longest is known by its slot. */
static void interval(void **state)
{
	ARENA a = arena_new();
	struct run_times_rec r;

	(void)state;
	clear();
	ran(&before, 5000, 7);
	before.lost = 2;
	now = before;
	r = set(a);
	assert_true(!r.run_cnt && !r.untimed && r.has_times == AVAIL_NO);
	ran(&now, 300, 50);
	now.lost = 5;
	r = set(a);
	assert_true(r.run_cnt == 50 && r.untimed == 3 && r.run_avg_ns == 300);
	assert_true(r.max_ns >= 300 && r.max_ns * 15 <= 300 * 16 && r.rows.n == 1);
	ran(&now, 6000, 1);
	r = set(a);
	assert_int_equal(r.max_ns, 6000);
}

static void words(void **state)
{
	ARENA a = arena_new();
	struct run_times_rec r;
	struct out o;
	struct jsonw w;
	struct doc d;

	(void)state;
	clear();
	ran(&now, 0, 1);
	ran(&now, 12, 3);
	now.lost = 1;
	r = set(a);
	r.time = "T";
	r.type = "xdp";
	r.name = "p";
	r.id = 7;
	r.lapse_ns = 1500000000;
	out_init(&o, -1);
	doc_init(&d, &o, NULL, a);
	doc_record(&d, &schema_run_times, &r);
	assert_string_equal(out_cstr(&o),
			    "7: xdp  name p  4 runs in 1.50s\n"
			    "\taverage 9ns  p50 12ns  p99 12ns  max 12ns  1 not timed\n");
	o.n = 0;
	jsonw_init(&w, &o, false);
	doc_init(&d, &o, &w, a);
	doc_record(&d, &schema_run_times, &r);
	assert_string_equal(out_cstr(&o),
			    "{\"time\":\"T\",\"lapse_ns\":1500000000,\"id\":7,\"prog_id\":7,\"type\":\"xdp\","
			    "\"prog_type\":\"xdp\",\"name\":\"p\",\"prog_name\":\"p\",\"runs\":4,\"run_avg_ns\":9,"
			    "\"p50_ns\":12,\"p99_ns\":12,\"max_ns\":12,\"untimed\":1,\"buckets\":["
			    "{\"lo\":0,\"hi\":1,\"count\":1},{\"lo\":2,\"hi\":3,\"count\":0},"
			    "{\"lo\":4,\"hi\":7,\"count\":0},{\"lo\":8,\"hi\":15,\"count\":3}]}");
	out_close(&o, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles),
		cmocka_unit_test(few_runs),
		cmocka_unit_test(interval),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
