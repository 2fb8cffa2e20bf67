/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"
#include "kernel_enum.h"
#include "kernel/names.h"

static void test_ends(void **state)
{
	(void)state;
	assert_string_equal(names_helper(0), "bpf_unspec");
	assert_string_equal(names_helper(1), "bpf_map_lookup_elem");
	assert_string_equal(names_helper(211), "bpf_cgrp_storage_delete");
	assert_null(names_helper(212));
	assert_null(names_helper(UINT32_MAX));
}

static void check_helper(const char *name, unsigned value)
{
	const char *ours = names_helper(value);

	if (ours && strcmp(ours + strlen("bpf_"), name))
		fail_msg("helper %u: %s in the kernel, %s here", value, name, ours);
}

static void test_kernel(void **state)
{
	(void)state;
	if (kernel_enum("bpf_func_id", "BPF_FUNC_", check_helper) < 0)
		skip_because("the kernel has no BTF");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
