/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <stdbool.h>

#include "kernel/sideband.h"
#include "recording/code_log.h"

static void hear(struct code_log *log, uint64_t addr, uint64_t time, bool gone, const char *name)
{
	const struct sideband_record r = {
		.kind = SIDEBAND_KSYMBOL, .time = time, .pid = 1, .ksymbol = { .addr = addr, .len = 64, .gone = gone, .name = name },
	};

	code_log_hear(log, &r);
}

/* What is told twice to be gone is one piece of code, whether its beginning was heard or not. */
static void test_gone_twice(void **state)
{
	struct code_log log;

	(void)state;
	code_log_init(&log, NULL, NULL);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gone_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
