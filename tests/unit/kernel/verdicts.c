/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <string.h>

#include "kernel/abi.h"
#include "kernel/verdicts.h"

/* The values in the kernel's headers. */
static void test_values(void **state)
{
	static const struct {
		uint32_t type, value;
		const char *name;
	} rows[] = {
		{ ABI_PROG_XDP, XDP_ABORTED, "XDP_ABORTED" },
		{ ABI_PROG_XDP, XDP_DROP, "XDP_DROP" },
		{ ABI_PROG_XDP, XDP_PASS, "XDP_PASS" },
		{ ABI_PROG_XDP, XDP_TX, "XDP_TX" },
		{ ABI_PROG_XDP, XDP_REDIRECT, "XDP_REDIRECT" },
		{ ABI_PROG_SCHED_CLS, TC_ACT_OK, "TC_ACT_OK" },
		{ ABI_PROG_SCHED_ACT, TC_ACT_SHOT, "TC_ACT_SHOT" },
		{ ABI_PROG_SCHED_CLS, TC_ACT_REDIRECT, "TC_ACT_REDIRECT" },
		{ ABI_PROG_SCHED_CLS, (uint32_t)TC_ACT_UNSPEC, "TC_ACT_UNSPEC" },
		{ ABI_PROG_SK_LOOKUP, SK_PASS, "SK_PASS" },
		{ ABI_PROG_SK_MSG, SK_DROP, "SK_DROP" },
		{ ABI_PROG_LWT_XMIT, BPF_LWT_REROUTE, "BPF_LWT_REROUTE" },
		{ ABI_PROG_FLOW_DISSECTOR, BPF_DROP, "BPF_DROP" },
		{ ABI_PROG_NETFILTER, 1, "NF_ACCEPT" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint32_t value = 77;

		assert_string_equal(verdict_name(rows[i].type, rows[i].value), rows[i].name);
		assert_true(verdict_parse(rows[i].type, rows[i].name, &value));
		assert_int_equal(value, rows[i].value);
	}
	assert_null(verdict_name(ABI_PROG_XDP, 5));
	assert_null(verdict_name(ABI_PROG_KPROBE, 0));
	assert_null(verdict_name(64 + ABI_PROG_XDP, XDP_PASS)); /* of a kernel that is newer */
}

static void test_words(void **state)
{
	uint32_t value = 77;

	(void)state;
	assert_true(verdict_parse(ABI_PROG_XDP, "pass", &value));
	assert_int_equal(value, XDP_PASS);
	assert_true(verdict_parse(ABI_PROG_SCHED_CLS, "Shot", &value));
	assert_int_equal(value, TC_ACT_SHOT);
	assert_true(verdict_parse(ABI_PROG_XDP, "xdp_drop", &value));
	assert_int_equal(value, XDP_DROP);
	assert_true(verdict_parse(ABI_PROG_NETFILTER, "accept", &value));
	assert_int_equal(value, 1);
	assert_false(verdict_parse(ABI_PROG_XDP, "shot", &value));
	assert_false(verdict_parse(ABI_PROG_XDP, "pas", &value));
	assert_false(verdict_parse(ABI_PROG_KPROBE, "pass", &value));
}

static void test_list(void **state)
{
	STR all = { 0 };

	(void)state;
	verdict_list(ABI_PROG_XDP, &all);
	assert_string_equal(all.p, "XDP_ABORTED, XDP_DROP, XDP_PASS, XDP_TX, XDP_REDIRECT");
	str_reset(&all);
	verdict_list(ABI_PROG_KPROBE, &all);
	assert_int_equal(all.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
