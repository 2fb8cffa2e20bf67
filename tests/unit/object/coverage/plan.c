/* SPDX-License-Identifier: BSD-2-Clause */
#include "code.h"

#include "object/coverage/plan.h"

static const char *plan(const unsigned char *image, size_t n, struct arena *a, struct cover_slot **ret,
			uint32_t *blocks)
{
	*ret = arena_array(a, n / INSN_SIZE, sizeof(**ret));
	return cover_plan(image, n / INSN_SIZE, most_args(n, a), a, *ret, blocks);
}

static void test_free_registers(void **state)
{
	static const unsigned char image[] = { JEQ(1, 2), MOVE(0, 6), EXIT, SET(0), EXIT };
	ARENA a = arena_new();
	struct cover_slot *s;
	uint32_t blocks;

	NEEDS_LITTLE();
	assert_null(plan(image, sizeof(image), a, &s, &blocks));
	assert_int_equal(blocks, 3);
	assert_true(s[0].counted && !s[0].saved && s[0].address == 0 && s[0].one == 5);
	assert_true(s[1].counted && !s[2].counted && s[3].counted && !s[4].counted);
	assert_int_equal(cover_place(s, 5, 100), 100 + 5 + 3 * 4);
	assert_int_equal(s[0].lead, 100);
	assert_int_equal(slot_own(&s[0]), 104);
	assert_int_equal(s[1].lead, 105);
	assert_int_equal(slot_own(&s[2]), s[2].lead);
	assert_int_equal(s[3].lead, 111);
}

/* Reads of registers, so that they are in use; r0 to r9 but one. */
#define USE(r) ADD(0, r)
#define USE_MOST USE(2), USE(3), USE(4), USE(5), USE(6), USE(7), USE(8), USE(9)
#define USE_ALL USE(1), USE_MOST
#define SET_ALL SET(0), SET(2), SET(3), SET(4), SET(5), SET(6), SET(7), SET(8), SET(9)

static void test_saved_registers(void **state)
{
	static const unsigned char one[] = { SET_ALL, STORE(10, -20, 1), JEQ(1, 0), USE_MOST, EXIT };
	static const unsigned char two[] = { SET_ALL, STORE(10, -20, 1), JEQ(1, 0), USE_ALL, EXIT };
	static const unsigned char full[] = { SET_ALL, STORE(10, -500, 1), JEQ(1, 0), USE_ALL, EXIT };
	static const unsigned char unsure[] = { SET_ALL, STORE(10, -600, 1), JEQ(1, 0), USE_ALL, EXIT };
	static const unsigned char first[] = { USE_ALL, EXIT };
	ARENA a = arena_new();
	struct cover_slot *s;
	uint32_t blocks;

	NEEDS_LITTLE();
	assert_null(plan(one, sizeof(one), a, &s, &blocks));
	assert_true(s[11].saved == 1 && s[11].address == 1 && s[11].one == 6 && s[11].frame == 24);
	assert_int_equal(slot_more(&s[11]), 6);
	assert_null(plan(two, sizeof(two), a, &s, &blocks));
	assert_true(s[11].saved == 2 && s[11].address == 6 && s[11].one == 7 && s[11].frame == 24);
	assert_int_equal(slot_more(&s[11]), 8);
	assert_int_equal(slot_line(&s[11]), s[11].lead + 2);
	assert_string_equal(plan(full, sizeof(full), a, &s, &blocks),
			    "all registers are in use, and its stack is full");
	assert_string_equal(plan(unsure, sizeof(unsure), a, &s, &blocks),
			    "all registers are in use, and how much stack it uses is not known");
	assert_string_equal(plan(first, sizeof(first), a, &s, &blocks), "all registers are in use when it begins");
	assert_false(s[0].counted);
}

/* Arguments that a call may read are not saved: they may have no value. */
static void test_arguments(void **state)
{
	static const unsigned char image[] = { SET(0),	   SET(6), SET(7), SET(8), SET(9), JEQ(1, 0),
					       MOVE(6, 7), HELPER, USE(6), USE(8), USE(9), EXIT };
	static const unsigned char void_one[] = { SET(6), SET(7), SET(8), SET(9), JEQ(1, 0), USE(6), USE(7),
						  HELPER, USE(8), USE(9), USE(6), USE(7),    EXIT };
	ARENA a = arena_new();
	struct cover_slot *s;
	uint32_t blocks;

	NEEDS_LITTLE();
	assert_null(plan(image, sizeof(image), a, &s, &blocks));
	assert_true(!s[6].saved && s[6].address == 0 && s[6].one == 6);
	assert_null(plan(void_one, sizeof(void_one), a, &s, &blocks));
	assert_true(s[5].saved == 2 && s[5].address == 6 && s[5].one == 7);
}

static void test_left(void **state)
{
	static const unsigned char out[] = { JEQ(1, 5), EXIT };
	static const unsigned char table[] = { INSN(0x0d, 1, 0, 0) };
	ARENA a = arena_new();
	struct cover_slot *s;
	uint32_t blocks;

	NEEDS_LITTLE();
	assert_string_equal(plan(out, sizeof(out), a, &s, &blocks), "it jumps out of itself");
	assert_string_equal(plan(table, sizeof(table), a, &s, &blocks), "it jumps by a table");
}

/* A jump over many blocks, in 16 bits and in 32. */
static void test_long_jumps(void **state)
{
	enum { BLOCKS = 8000 };
	ARENA a = arena_new();
	unsigned char *image = arena_array(a, BLOCKS + 2, INSN_SIZE);
	struct cover_slot *s;
	uint32_t blocks;

	NEEDS_LITTLE();
	for (size_t i = 1; i <= BLOCKS; i++)
		memcpy(image + i * INSN_SIZE, (unsigned char[]){ JEQ(1, 0) }, INSN_SIZE);
	memcpy(image + (BLOCKS + 1) * INSN_SIZE, (unsigned char[]){ EXIT }, INSN_SIZE);
	memcpy(image, (unsigned char[]){ GOTO(BLOCKS) }, INSN_SIZE);
	assert_string_equal(plan(image, (BLOCKS + 2) * INSN_SIZE, a, &s, &blocks), "its jumps become too long");
	assert_false(s[0].counted);
	memcpy(image, (unsigned char[]){ INSN(0x06, 0, 0, BLOCKS) }, INSN_SIZE);
	assert_null(plan(image, (BLOCKS + 2) * INSN_SIZE, a, &s, &blocks));
	assert_int_equal(blocks, BLOCKS + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_free_registers), cmocka_unit_test(test_saved_registers),
		cmocka_unit_test(test_arguments),      cmocka_unit_test(test_left),
		cmocka_unit_test(test_long_jumps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
