/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../fake.h"

#include <linux/bpf.h>

#include "map/elem/walk.h"

/* An empty map with a value for each CPU. @cpus is the answer with the number of CPUs; NULL: refused. */
static int begin(const char *cpus, struct err *e)
{
	const struct abi_map_info info = {
		.id = 7, .type = BPF_MAP_TYPE_PERCPU_HASH, .key_size = 4, .value_size = 8, .max_entries = 2
	};
	const struct elems_head head = { .count = 0, .key_size = 4, .value_size = 16 };
	struct fake_machine m;
	struct walk w;
	int err;

	fake_init(&m);
	if (cpus)
		fake_text(&m, "sys/cpus", cpus);
	else
		fake_set(&m, "sys/cpus", -EPERM, NULL, 0);
	fake_set(&m, "map/7/elems/start", 0, &head, sizeof(head));
	walk_init(&w, &m.env, &info);
	err = walk_begin(&w, e);
	fake_free(&m);
	return err;
}

/* Without the number of CPUs the sizes are unknown: that is reported, and not that the kernel's answer is damaged. */
static void test_cpus(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(begin("2\n", &e), 0);
	assert_int_equal(begin(NULL, &e), -ENODATA);
	assert_non_null(strstr(e.msg, "map 7 has a value for each possible CPU, and their number is not known"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_cpus) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
