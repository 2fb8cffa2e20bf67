/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <stdbool.h>

#include "kernel/perf/sideband.h"
#include "own/own.h"
#include "recording/code_log.h"

static void hear(struct code_log *log, uint64_t addr, uint64_t time, bool gone, const char *name)
{
	const struct sideband_record r = {
		.kind = SIDEBAND_KSYMBOL,
		.time = time,
		.pid = 1,
		.ksymbol = { .addr = addr, .len = 64, .gone = gone, .name = name },
	};

	code_log_note(log, &r);
}

/* Two records of an end are one piece of code, with or without a record of its beginning. */
static void test_gone_twice(void **state)
{
	struct own own = { 0 };
	struct code_log log;

	(void)state;
	code_log_init(&log, NULL, &own);
	hear(&log, 0x1000, 1, false, "bpf_trampoline_1");
	hear(&log, 0x1000, 2, true, "bpf_trampoline_1");
	hear(&log, 0x1000, 2, true, "bpf_trampoline_1");
	assert_int_equal(log.n, 1);
	hear(&log, 0x2000, 3, true, "bpf_trampoline_2");
	hear(&log, 0x2000, 3, true, "bpf_trampoline_2");
	assert_int_equal(log.n, 2);
	hear(&log, 0x1000, 4, false, "bpf_trampoline_1");
	hear(&log, 0x1000, 5, true, "bpf_trampoline_1");
	assert_int_equal(log.n, 3);
	hear(&log, 0x1000, 6, true, "bpf_trampoline_3");
	assert_int_equal(log.n, 4);
	code_log_release(&log);
}

/* For code that calls a program of bpflens, since Linux 5.10, only the end is recorded. */
static void test_own_trampoline(void **state)
{
	struct own_object objects[] = { { OBJECT_MAP, 3, 0 }, { OBJECT_PROG, 7, 0x1949c } };
	struct own own = { .all = objects, .n = 2 };
	struct code_log log;

	(void)state;
	code_log_init(&log, NULL, &own);
	hear(&log, 0x1000, 1, true, "bpf_trampoline_6442554524");
	hear(&log, 0x1000, 2, true, "bpf_trampoline_103580_0");
	assert_int_equal(log.n, 0);
	hear(&log, 0x1000, 3, true, "bpf_trampoline_6442554525");
	hear(&log, 0x2000, 4, true, "bpf_trampoline_0");
	hear(&log, 0x3000, 5, true, "bpf_dispatcher_103580");
	assert_int_equal(log.n, 3);
	/* The beginning is recorded for another process's program at the same function. */
	hear(&log, 0x4000, 6, false, "bpf_trampoline_6442554524");
	hear(&log, 0x4000, 7, true, "bpf_trampoline_6442554524");
	assert_int_equal(log.n, 4);
	code_log_release(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gone_twice),
		cmocka_unit_test(test_own_trampoline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
