/* SPDX-License-Identifier: BSD-2-Clause */
#include "code.h"

#include "object/coverage/live.h"

#define R(n) (1u << (n))

static const uint16_t *live(const unsigned char *image, size_t n, const uint8_t *args, struct arena *a)
{
	uint16_t *ret;
	struct cfg c;

	cfg_build(image, n / INSN_SIZE, BIG_HERE, a, &c);
	ret = arena_array(a, c.nblocks, sizeof(*ret));
	assert_true(live_blocks(image, &c, args, ret));
	return ret;
}

static void test_branches(void **state)
{
	static const unsigned char image[] = {
		JEQ(1, 2),				/* 0: reads r1 */
		MOVE(0, 6), EXIT,			/* 1: r6 */
		SET(0),	    MOVE(3, 2), JEQ(3, -6 + 0), /* 2: r2, back to 0 */
		EXIT,					/* 3: the result */
	};
	ARENA a = arena_new();
	const uint16_t *l;

	NEEDS_LITTLE();
	l = live(image, sizeof(image), most_args(sizeof(image), a), a);
	assert_int_equal(l[0], R(1) | R(2) | R(6));
	assert_int_equal(l[1], R(6));
	assert_int_equal(l[2], R(1) | R(2) | R(6));
	assert_int_equal(l[3], R(0));
	l = live(image, sizeof(image), NULL, a);
	assert_int_equal(l[3], 0);
	assert_int_equal(l[2], R(1) | R(2) | R(6));
}

/* A call may read all arguments, leaves none of them, and sets the result. */
static void test_calls(void **state)
{
	static const unsigned char image[] = { JEQ(9, 1), SET(1), HELPER, JEQ(0, 0), MOVE(0, 7), EXIT };
	ARENA a = arena_new();
	const uint16_t *l;

	NEEDS_LITTLE();
	l = live(image, sizeof(image), most_args(sizeof(image), a), a);
	assert_int_equal(l[0], R(9) | R(7) | R(1) | R(2) | R(3) | R(4) | R(5));
	assert_int_equal(l[1], R(7) | R(2) | R(3) | R(4) | R(5));
	assert_int_equal(l[2], R(7) | R(1) | R(2) | R(3) | R(4) | R(5));
	assert_int_equal(l[3], R(7));
	l = live(image, sizeof(image), NULL, a);
	assert_int_equal(l[0], R(9) | R(7));
	assert_int_equal(l[2], R(7));
	l = live(image, sizeof(image), (const uint8_t[]){ 0, 0, 2, 0, 0, 0 }, a);
	assert_int_equal(l[2], R(7) | R(1) | R(2));
	l = live(image, sizeof(image), (const uint8_t[6]){ 0 }, a);
	assert_int_equal(l[2], R(7));
}

/* Each block of a long chain, whose jumps lead back, takes a round: it is given up, and not followed for hours. */
static void test_that_ends(void **state)
{
	enum { BLOCKS = 3000 };
	ARENA a = arena_new();
	unsigned char *image = arena_array(a, BLOCKS + 2, INSN_SIZE);
	uint16_t *ret;
	struct cfg c;

	NEEDS_LITTLE();
	/* Block i jumps to block i - 1; the first reads r6. */
	memcpy(image, (unsigned char[]){ MOVE(0, 6), EXIT }, 2 * INSN_SIZE);
	for (size_t i = 0; i < BLOCKS; i++)
		memcpy(image + (i + 2) * INSN_SIZE, (unsigned char[]){ GOTO(i ? -2 : -3) }, INSN_SIZE);
	cfg_build(image, BLOCKS + 2, BIG_HERE, a, &c);
	ret = arena_array(a, c.nblocks, sizeof(*ret));
	assert_false(live_blocks(image, &c, most_args((BLOCKS + 2) * INSN_SIZE, a), ret));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_that_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
