/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include "prog/coverage/blocks.h"

#define INSN(code, dst, src, off, imm) \
	code, (dst) | (src) << 4, (off)&0xff, ((off) >> 8) & 0xff, (imm)&0xff, ((imm) >> 8) & 0xff, \
		((imm) >> 16) & 0xff, ((imm) >> 24) & 0xff
#define ADDRESS(dst, map, off) INSN(0x18, dst, 2, 0, map), INSN(0, 0, 0, 0, off)
#define ONE(dst) INSN(0xb7, dst, 0, 0, 1)
#define ADD(dst, src, off) INSN(0xdb, dst, src, off, 0)
#define COUNTER(off) ADDRESS(1, 7, off), ONE(2), ADD(1, 2, 0) /* 4 slots */
#define SAVE(src, off) INSN(0x7b, 10, src, off, 0)
#define RESTORE(dst, off) INSN(0x79, dst, 10, off, 0)
#define CALL INSN(0x85, 0, 0, 0, 6)
#define EXIT INSN(0x95, 0, 0, 0, 0)

static bool is_of_seven(void *ctx, uint32_t map, uint64_t off)
{
	return map == 7 && off < 64;
}

/* The blocks of code with these starts of functions. */
static size_t find(const unsigned char *image, size_t n, const struct func_record *funcs, size_t nfuncs,
		   struct arena *a, const struct counted_block **ret)
{
	const struct xlated x = {
		.image = { image, n },
		.insns = n / INSN_SIZE,
		.src.funcs = { (const unsigned char *)funcs, nfuncs, sizeof(*funcs) },
	};

	return counted_blocks_find(&x, is_of_seven, NULL, a, ret);
}

static void expect(const struct counted_block *b, size_t start, size_t end, size_t func, uint32_t off, uint32_t entry)
{
	assert_int_equal(b->start, start);
	assert_int_equal(b->end, end);
	assert_int_equal(b->func, func);
	assert_int_equal(b->map, 7);
	assert_int_equal(b->off, off);
	assert_int_equal(b->entry, entry);
}

/* Two functions; code before the first counter of one; a function without counters between them. */
static void test_functions(void **state)
{
	static const unsigned char image[] = { COUNTER(8), COUNTER(0), EXIT, EXIT, ONE(0), COUNTER(16), EXIT };
	static const struct func_record funcs[] = { { 0, 1 }, { 9, 1 }, { 10, 1 } };
	const struct counted_block *b;
	ARENA a = arena_new();

	(void)state;
	assert_int_equal(find(image, sizeof(image), funcs, 3, a, &b), 3);
	expect(&b[0], 0, 4, 0, 8, 8);
	expect(&b[1], 4, 9, 0, 0, 8);
	expect(&b[2], 10, 16, 2, 16, 16);
	assert_ptr_equal(counted_block_at(b, 3, 3), &b[0]);
	assert_ptr_equal(counted_block_at(b, 3, 4), &b[1]);
	assert_null(counted_block_at(b, 3, 9));
	assert_ptr_equal(counted_block_at(b, 3, 10), &b[2]);
	assert_null(counted_block_at(b, 3, 16));
	assert_null(counted_block_at(b, 0, 0));
	assert_int_equal(find(image, sizeof(image), NULL, 0, a, &b), 3);
	expect(&b[2], 11, 16, 0, 16, 8);
}

/* Saved registers belong to the counter after them, other stores do not. */
static void test_saved(void **state)
{
	static const unsigned char image[] = {
		COUNTER(0),   SAVE(1, -8),     SAVE(2, -16),	SAVE(3, -24), ADDRESS(2, 7, 8), ONE(3),
		ADD(2, 3, 0), RESTORE(3, -24), RESTORE(2, -16), SAVE(1, -8),  COUNTER(16),	EXIT,
	};
	const struct counted_block *b;
	ARENA a = arena_new();

	(void)state;
	assert_int_equal(find(image, sizeof(image), NULL, 0, a, &b), 3);
	expect(&b[0], 0, 5, 0, 0, 0);
	expect(&b[1], 5, 14, 0, 8, 0);
	expect(&b[2], 14, sizeof(image) / INSN_SIZE, 0, 16, 0);
}

/* Offsets in other instructions; what only looks like a counter. */
static void test_forms(void **state)
{
	static const unsigned char offsets[] = { ADDRESS(3, 7, 8), INSN(0x07, 3, 0, 0, 8), ONE(0), ADD(3, 0, -8),
						 EXIT };
	static const unsigned char others[][64] = {
		{ ADDRESS(1, 8, 0), ONE(2), ADD(1, 2, 0), EXIT },
		{ ADDRESS(1, 7, 64), ONE(2), ADD(1, 2, 0), EXIT },
		{ ADDRESS(1, 7, 0), ONE(2), ADD(1, 2, -8), EXIT },
		{ ADDRESS(1, 7, 0), ONE(1), ADD(1, 2, 0), EXIT },
		{ ADDRESS(1, 7, 0), CALL, ADD(1, 2, 0), EXIT },
		{ ADDRESS(1, 7, 0), EXIT, ADD(1, 2, 0), EXIT },
		{ ADDRESS(1, 7, 0), ONE(2), ADD(3, 2, 0), EXIT },
		{ ADDRESS(1, 7, 0), INSN(0xdb, 1, 2, 0, 0x50), EXIT },
		{ ADDRESS(1, 7, 0) },
	};
	const struct counted_block *b;
	ARENA a = arena_new();

	(void)state;
	assert_int_equal(find(offsets, sizeof(offsets), NULL, 0, a, &b), 1);
	expect(&b[0], 0, 6, 0, 8, 8);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_int_equal(find(others[i], sizeof(others[i]), NULL, 0, a, &b), 0);
	for (size_t n = 0; n < sizeof(offsets); n += INSN_SIZE)
		assert_int_equal(find(offsets, n, NULL, 0, a, &b), n >= 40);
}

/* Functions in no order, beyond the code, or at the same place. */
static void test_hostile(void **state)
{
	static const unsigned char image[] = { COUNTER(0), COUNTER(8), EXIT };
	static const struct func_record funcs[][3] = {
		{ { 99, 1 }, { 4, 1 }, { 0, 1 } },
		{ { 4, 1 }, { 4, 1 }, { 4, 1 } },
		{ { 0, 1 }, { UINT32_MAX, 1 }, { 2, 1 } },
	};
	const struct counted_block *b;
	ARENA a = arena_new();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(funcs); i++) {
		assert_int_equal(find(image, sizeof(image), funcs[i], 3, a, &b), 2);
		for (size_t k = 0; k < 12; k++)
			counted_block_at(b, 2, k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_functions), cmocka_unit_test(test_saved),
					    cmocka_unit_test(test_forms), cmocka_unit_test(test_hostile) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
