/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include "diff/compared.h"

static void expect(const struct pairs *p, unsigned side, const uint32_t *other)
{
	for (uint32_t i = 0; i < p->n[side]; i++)
		assert_int_equal(p->other[side][i], other[i]);
}

/* Equal keys are paired in their order; the second search is only about what is left. */
static void found(void **state)
{
	static const uint64_t a[] = { 1, 2, 2, 3, 4 }, b[] = { 2, 9, 1, 2, 2, 8 };
	static const uint64_t a2[] = { 0, 0, 0, 7, 0 }, b2[] = { 0, 7, 0, 0, 0, 0 };
	ARENA arena = arena_new();
	struct pairs p;

	(void)state;
	pairs_init(&p, arena, 5, 6);
	pairs_find(&p, (const uint64_t *const[]){ a, b });
	expect(&p, 0, (const uint32_t[]){ 3, 1, 4, 0, 0 });
	expect(&p, 1, (const uint32_t[]){ 2, 0, 1, 3, 0, 0 });
	pairs_find(&p, (const uint64_t *const[]){ a2, b2 });
	expect(&p, 0, (const uint32_t[]){ 3, 1, 4, 2, 5 });
	expect(&p, 1, (const uint32_t[]){ 2, 4, 1, 3, 5, 0 });
}

static void none(void **state)
{
	ARENA arena = arena_new();
	struct pairs p;

	(void)state;
	pairs_init(&p, arena, 0, 2);
	pairs_find(&p, (const uint64_t *const[]){ NULL, (const uint64_t[]){ 1, 1 } });
	expect(&p, 1, (const uint32_t[]){ 0, 0 });
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(found), cmocka_unit_test(none) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
