/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include "base/base.h"

static void puts_and_gets(void **state)
{
	ARENA a = arena_new();
	struct hash h;
	uint64_t i;

	(void)state;
	hash_init(&h, a);
	assert_null(hash_get(&h, 0));
	for (i = 0; i < 20000; i++) {
		void **slot = hash_put(&h, i << 32 | i);

		assert_null(*slot);
		*slot = arena_dup(a, &i, sizeof(i));
	}
	assert_int_equal(h.n, 20000);
	for (i = 0; i < 20000; i++) {
		uint64_t *v = hash_get(&h, i << 32 | i);

		assert_non_null(v);
		assert_int_equal(*v, i);
		assert_ptr_equal(*hash_put(&h, i << 32 | i), v);
	}
	assert_int_equal(h.n, 20000);
	assert_null(hash_get(&h, 20000ull << 32 | 20000));
	assert_null(hash_get(&h, UINT64_MAX));
}

static void null_values_keep_their_place(void **state)
{
	ARENA a = arena_new();
	struct hash h;
	uint64_t i;

	(void)state;
	hash_init(&h, a);
	for (i = 0; i < 100; i++)
		*hash_put(&h, i) = &h;
	for (i = 0; i < 50; i++)
		*hash_put(&h, i) = NULL;
	for (i = 0; i < 100; i++)
		assert_ptr_equal(hash_get(&h, i), i < 50 ? NULL : (void *)&h);
	assert_int_equal(h.n, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(puts_and_gets),
		cmocka_unit_test(null_values_keep_their_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
