/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/base.h"
#include "own/runs/profile.h"
#include "prog/samples/profile.h"
#include "record/field.h"
#include "render/doc.h"

static void check(const struct metric_rec *r, const char *text, const char *json)
{
	ARENA a = arena_new();
	struct out o;
	struct jsonw w;
	struct doc d;

	out_init(&o, -1);
	doc_init(&d, &o, NULL, a);
	doc_record(&d, &schema_metric, r);
	assert_int_equal(o.n, strlen(text));
	assert_memory_equal(o.buf, text, o.n);
	o.n = 0;
	jsonw_init(&w, &o, false);
	doc_init(&d, &o, &w, a);
	doc_record(&d, &schema_metric, r);
	assert_int_equal(o.n, strlen(json));
	assert_memory_equal(o.buf, json, o.n);
	out_close(&o, NULL);
}

#define BLANKS "                                         "

static void rows(void **state)
{
	const enum metric metrics[] = { METRIC_CYCLES, METRIC_INSTRUCTIONS, METRIC_LLC_MISSES, METRIC_CPU_CLOCK };
	struct profile_event ev[] = {
		{ .sum = { 900000, 1000, 830 } },
		{ .sum = { 1100000, 10000, 8339 } },
		{ .sum = { 22, 5, 5 } },
		{ .sum = { 600, 5, 5 } },
	};
	struct metric_rec r;

	(void)state;
	metric_read(&r, metrics, ev, 4, 0, 1200, "cycles");
	check(&r, "            900000 cycles              " BLANKS "(83.00%)\n",
	      "{\"metric\":\"cycles\",\"run_cnt\":1200,\"value\":900000,\"enabled\":1000,\"running\":830}");
	metric_read(&r, metrics, ev, 4, 1, 1200, "instructions");
	check(&r, "           1100000 instructions        #     1.22 insns per cycle               (83.39%)\n",
	      "{\"metric\":\"instructions\",\"run_cnt\":1200,\"value\":1100000,\"enabled\":10000,\"running\":8339,"
	      "\"derived\":1.2222222222222223,\"derived_unit\":\"insns per cycle\"}");
	metric_read(&r, metrics, ev, 4, 2, 1200, "llc_misses");
	assert_true(r.derived == 20);
	metric_read(&r, metrics, ev, 4, 3, 1200, "cpu_clock");
	assert_true(r.derived == 0.5);
	assert_string_equal(r.derived_unit, "ns per run");
	metric_read(&r, metrics, ev, 4, 3, 0, "cpu_clock");
	assert_int_equal(r.has_derived, AVAIL_NO);
}

/* Without the values that they are derived from. */
static void lacking(void **state)
{
	const enum metric metrics[] = { METRIC_CYCLES, METRIC_INSTRUCTIONS, METRIC_DTLB_MISSES };
	struct profile_event ev[] = { { .err = -ENOENT }, { .sum = { 0, 5, 5 } }, { .sum = { 7, 5, 5 } } };
	struct metric_rec r;

	(void)state;
	metric_read(&r, metrics, ev, 3, 0, 9, "cycles");
	check(&r, "                 ? cycles              " BLANKS "\n",
	      "{\"metric\":\"cycles\",\"run_cnt\":9,\"value\":null,\"enabled\":null,\"running\":null}");
	metric_read(&r, metrics, ev, 3, 1, 9, "instructions");
	assert_int_equal(r.has_derived, AVAIL_NO);
	metric_read(&r, metrics, ev, 3, 2, 9, "dtlb_misses");
	assert_int_equal(r.has_derived, AVAIL_NO);
}

static void events(void **state)
{
	struct profile_event ev;

	(void)state;
	metric_event(METRIC_ITLB_MISSES, &ev);
	assert_int_equal(ev.type, PERF_TYPE_HW_CACHE);
	assert_int_equal(ev.config, 0x10004);
	metric_event(METRIC_L1D_LOADS, &ev);
	assert_int_equal(ev.config, 0);
	for (unsigned m = 0; m < METRICS; m++) {
		metric_event((enum metric)m, &ev);
		assert_int_equal(ev.type == PERF_TYPE_SOFTWARE, m >= METRIC_CPU_CLOCK);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(rows), cmocka_unit_test(lacking),
					    cmocka_unit_test(events) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
