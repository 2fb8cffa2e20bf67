/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <linux/bpf.h>
#include <string.h>

#include "map/types.h"
#include "system/names.h"

/* A type that cannot be walked says why and what to do; one that can says neither. */
static void test_table(void **state)
{
	static const char *const closed[] = {
		"queue", "stack", "ringbuf", "user_ringbuf", "bloom_filter", "sk_storage", "inode_storage",
		"task_storage", "cgrp_storage", "arena",
	};
	unsigned n = 0;

	(void)state;
	for (uint32_t i = 0; i < 64; i++) {
		const struct map_type *t = map_type(i);

		assert_int_equal(!t->why, !t->instead);
		n += t->why != NULL;
	}
	for (unsigned i = 0; i < sizeof(closed) / sizeof(closed[0]); i++)
		assert_non_null(map_type((uint32_t)names_value(&names_map_type, closed[i]))->why);
	assert_int_equal(n, sizeof(closed) / sizeof(closed[0]));
	assert_int_equal(map_type(BPF_MAP_TYPE_LRU_PERCPU_HASH)->flags, MAP_PERCPU);
	assert_int_equal(map_type(0xffffffff)->flags, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_table) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
