/* SPDX-License-Identifier: BSD-2-Clause */
#include "code.h"

#include "object/coverage/frame.h"
#include "object/coverage/live.h"

static uint32_t size_of(const unsigned char *image, size_t n)
{
	ARENA a = arena_new();
	uint16_t *live;
	struct cfg c;

	cfg_build(image, n / INSN_SIZE, BIG_HERE, a, &c);
	live = arena_array(a, c.nblocks, sizeof(*live));
	assert_true(live_blocks(image, &c, most_args(n, a), live));
	return frame_size(image, &c, live);
}
#define SIZE(...) size_of((const unsigned char[]){ __VA_ARGS__ }, sizeof((const unsigned char[]){ __VA_ARGS__ }))

static void test_known(void **state)
{
	NEEDS_LITTLE();
	assert_int_equal(SIZE(SET(0), EXIT), 0);
	assert_int_equal(SIZE(STORE(10, -8, 1), EXIT), 8);
	assert_int_equal(SIZE(INSN(0x72, 10, -1, 0), EXIT), 8);
	assert_int_equal(SIZE(LOAD(1, 10, -20), EXIT), 24);
	/* By a pointer, of which only some are used. */
	assert_int_equal(SIZE(MOVE(2, 10), ADD_NUMBER(2, -64), HELPER, EXIT), 64);
	assert_int_equal(SIZE(MOVE(2, 10), MOVE(3, 2), ADD_NUMBER(3, -32), ADD_NUMBER(3, 8), STORE(3, -16, 1), EXIT),
			 40);
	assert_int_equal(SIZE(STORE(10, -512, 1), EXIT), 512);
	/* A register that had a pointer to the stack, and has another value now. */
	assert_int_equal(SIZE(MOVE(2, 10), SET(2), ADD(2, 1), STORE(10, -8, 2), EXIT), 8);
	/* Not the frame pointer's: memory that an argument points to. */
	assert_int_equal(SIZE(ADD_NUMBER(1, -4000), STORE(1, -8, 1), EXIT), 0);
	/* A store by a pointer does not change the pointer. */
	assert_int_equal(SIZE(MOVE(2, 10), ADD_NUMBER(2, -16), STORE(2, 0, 1), STORE(2, -8, 1), EXIT), 24);
}

static void test_unsure(void **state)
{
	NEEDS_LITTLE();
	assert_true(SIZE(MOVE(2, 10), ADD(2, 1), STORE(2, -8, 1), EXIT) > FRAME_MAX);
	assert_true(SIZE(STORE(10, -520, 1), EXIT) > FRAME_MAX);
	assert_true(SIZE(MOVE(2, 10), ADD_NUMBER(2, INT32_MIN), ADD_NUMBER(2, INT32_MIN), EXIT) > FRAME_MAX);
	/* A loop that moves a pointer down. */
	assert_true(SIZE(MOVE(6, 10), ADD_NUMBER(6, -8), STORE(6, 0, 1), JEQ(1, -3), EXIT) > FRAME_MAX);
	/* A pointer that was stored, and is moved down when it is loaded again. */
	assert_true(SIZE(MOVE(6, 10), STORE(10, -8, 6), LOAD(7, 10, -8), ADD_NUMBER(7, -64), EXIT) > FRAME_MAX);
	/* Upwards, it does not get below what is known. */
	assert_int_equal(SIZE(MOVE(6, 10), ADD_NUMBER(6, -64), STORE(6, 0, 1), ADD_NUMBER(6, 8), JEQ(1, -3), EXIT), 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_unsure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
