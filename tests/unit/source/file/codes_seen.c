/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <linux/perf_event.h>

#include "base/base.h"
#include "kernel/perf/sideband.h"
#include "source/file/codes_seen.h"

static struct sideband_record code(uint64_t time, uint32_t tid, uint64_t addr, bool gone, const char *name)
{
	return (struct sideband_record){ .kind = SIDEBAND_KSYMBOL,
					 .time = time,
					 .tid = tid,
					 .ksymbol = { .addr = addr, .gone = gone, .name = name } };
}

static struct sideband_record prog(uint64_t time, uint32_t tid, uint32_t id, bool gone)
{
	return (struct sideband_record){
		.kind = SIDEBAND_PROG,
		.time = time,
		.tid = tid,
		.prog = { .event = gone ? PERF_BPF_EVENT_PROG_UNLOAD : PERF_BPF_EVENT_PROG_LOAD, .id = id }
	};
}

/* @want: the program of each record. The order of time is checked, too. */
static void settled(struct codes_seen *s, const struct sideband_record *all, size_t n, const uint32_t *want)
{
	struct arena *a = arena_new();

	*s = (struct codes_seen){ 0 };
	for (size_t i = 0; i < n; i++)
		codes_seen_add(s, &all[i]);
	codes_seen_settle(s, a);
	for (size_t i = 0; i < s->n; i++) {
		assert_int_equal(s->v[i].time, all[i].time);
		assert_int_equal(s->v[i].prog, want[i]);
		assert_true(!i || s->by_time[i - 1]->time <= s->by_time[i]->time);
	}
	arena_free(a);
}

/* Two threads at once, records of two CPUs: not in the order of time. */
static void of_threads(void **state)
{
	const struct sideband_record all[] = {
		code(30, 8, 0x3000, false, "bpf_prog_3"),
		prog(40, 8, 5, false),
		code(10, 7, 0x1000, false, "bpf_prog_1"),
		code(20, 7, 0x2000, false, "bpf_prog_2"),
		code(25, 7, 0x9000, false, "bpf_trampoline_1"),
		prog(50, 7, 4, false),
		/* The code of another program at the same place, while the unload of the first is still reported. */
		code(60, 7, 0x1000, true, "bpf_prog_1"),
		code(70, 8, 0x1000, false, "bpf_prog_1"),
		prog(80, 7, 4, true),
		prog(90, 8, 6, false),
		code(100, 8, 0x3000, true, "bpf_prog_3"),
		prog(110, 8, 0, true), /* 6.1 does not say whose */
		/* What perf listed before it began. */
		code(0, 0, 0x8000, false, "bpf_prog_8"),
		prog(0, 0, 7, false),
		code(0, 0, 0x8000, false, "bpf_prog_9"),
		prog(0, 0, 8, false),
		{ .kind = SIDEBAND_COMM, .time = 5 },
	};
	const uint32_t want[] = { 5, 5, 4, 4, 0, 4, 4, 6, 4, 6, 5, 5, 7, 7, 8, 8 };
	struct codes_seen s;

	(void)state;
	settled(&s, all, ARRAY_SIZE(all), want);
	assert_int_equal(s.n, ARRAY_SIZE(want));
	codes_seen_release(&s);
}

/* 6.1 does not say whose an unload is: it is that of what was loaded there. */
static void unnamed(void **state)
{
	const struct sideband_record all[] = {
		code(10, 7, 0x1000, false, "bpf_prog_1"),
		code(11, 7, 0x2000, false, "bpf_prog_2"),
		prog(12, 7, 4, false),
		code(20, 9, 0x1000, true, "bpf_prog_1"),
		code(21, 9, 0x2000, true, "bpf_prog_2"),
		prog(22, 9, 0, true),
		code(30, 8, 0x1000, false, "bpf_prog_3"),
		prog(31, 8, 5, false),
		code(40, 9, 0x1000, true, "bpf_prog_3"),
		prog(41, 9, 0, true),
		code(50, 9, 0x1000, true, "bpf_prog_4"),
		prog(51, 9, 0, true),
	};
	const uint32_t want[] = { 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 0, 0 };
	struct codes_seen s;

	(void)state;
	settled(&s, all, ARRAY_SIZE(all), want);
	assert_int_equal(s.n, ARRAY_SIZE(want));
	codes_seen_release(&s);
}

/* Records had no room: the load of 4, the unload of 5, whose code is then that of 6 by its thread. */
static void lost(void **state)
{
	const struct sideband_record all[] = {
		code(10, 7, 0x1000, false, "bpf_prog_1"),
		code(20, 8, 0x1000, true, "bpf_prog_1"),
		prog(22, 8, 4, true),
		code(30, 7, 0x1000, false, "bpf_prog_2"),
		prog(31, 7, 5, false),
		code(40, 9, 0x1000, true, "bpf_prog_2"),
		code(50, 7, 0x1000, false, "bpf_prog_3"),
		prog(51, 7, 6, false),
		code(60, 9, 0x1000, true, "bpf_prog_3"),
		prog(61, 9, 6, true),
	};
	const uint32_t want[] = { 4, 4, 4, 5, 5, 6, 6, 6, 6, 6 };
	struct codes_seen s;

	(void)state;
	settled(&s, all, ARRAY_SIZE(all), want);
	assert_int_equal(s.n, ARRAY_SIZE(want));
	assert_int_equal(s.v[5].load->prog, 5);
	codes_seen_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(of_threads), cmocka_unit_test(unnamed),
					    cmocka_unit_test(lost) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
