/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "kernel/names.h"
#include "own/own.h"
#include "own/probe/probe.h"
#include "own/probe/try.h"

/* The message of Linux 6.18. */
static void test_params(void **state)
{
	uint8_t n[PROBE_HELPERS];

	(void)state;
	memset(n, PROBE_PARAMS_NONE, sizeof(n));
	probe_params_read(
		"func#0 @0\nLive regs before insn:\n"
		"      0: .12345.... (85) call bpf_unspec#0\n"
		"      1: .12....... (85) call bpf_map_lookup_elem#1\n"
		"      2: .1234..... (85) call bpf_map_update_elem#2\n"
		"      3: .......... (85) call bpf_ktime_get_ns#5\n"
		"      4: .12345.... (85) call bpf_skb_store_bytes#9\n"
		"      5: .1....67.. (85) call bpf_get_hash_recalc#34\n"
		"      6: 0......... (95) exit\n"
		"0: R1=ctx() R10=fp0\n",
		n);
	assert_int_equal(n[0], PROBE_PARAMS_NONE);
	assert_int_equal(n[1], 2);
	assert_int_equal(n[2], 4);
	assert_int_equal(n[3], PROBE_PARAMS_NONE);
	assert_int_equal(n[5], 0);
	assert_int_equal(n[9], 5);
	assert_int_equal(n[34], 1);
}

/* Other messages are not taken for an answer. */
static void test_no_params(void **state)
{
	static const char *const logs[] = {
		"",
		" (85) call bpf_map_lookup_elem#1\n",
		"0: (85) call bpf_map_lookup_elem#1\n",
		"1: .12....... (85) call bpf_x\n#1\n",
		"1: .12......x (85) call bpf_x#1\n",
		"1: 12....... (85) call bpf_x#1\n",
		"x.12....... (85) call bpf_x#1\n",
		"1: .12....... (85) call bpf_x#999\n",
		"1: .12....... (85) call bpf_x#\n",
		"1: .12....... (85) call bpf_x#-1\n",
	};
	uint8_t n[PROBE_HELPERS];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
		memset(n, PROBE_PARAMS_NONE, sizeof(n));
		probe_params_read(logs[i], n);
		for (size_t id = 0; id < PROBE_HELPERS; id++)
			assert_int_equal(n[id], PROBE_PARAMS_NONE);
	}
}

/* Every type with a name is tried, with one or several attach types. */
static void test_ways(void **state)
{
	struct probe_way ways[PROBE_WAYS];
	bool seen[256] = { false };
	size_t n = probe_ways(ways, names_prog_type.n + 3);

	(void)state;
	assert_true(n > names_prog_type.n && n < PROBE_WAYS);
	for (size_t i = 0; i < n; i++)
		seen[ways[i].type] = true;
	for (uint32_t type = 1; type < names_prog_type.n + 3; type++)
		assert_true(seen[type]);
	assert_null(names_helper(PROBE_HELPERS));
}

static void test_not_allowed(void **state)
{
	struct own own = { .never = true };
	STR s = { 0 };

	(void)state;
	assert_int_equal(probe_collect(&own, &(struct probe){ 0 }, &s), -ECANCELED);
	own = (struct own){ .error = -ETIME };
	assert_int_equal(probe_collect(&own, &(struct probe){ 0 }, &s), -ETIME);
	assert_int_equal(s.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_params),
		cmocka_unit_test(test_no_params),
		cmocka_unit_test(test_ways),
		cmocka_unit_test(test_not_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
