/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include "base/base.h"
#include "base/bytes.h"
#include "code/cfg.h"
#include "code/insn.h"

#define INSN(code, regs, off, imm) \
	code, regs, (off)&0xff, ((off) >> 8) & 0xff, (imm)&0xff, ((imm) >> 8) & 0xff, ((imm) >> 16) & 0xff, \
		((imm) >> 24) & 0xff
#define MOV INSN(0xb7, 0, 0, 0)
#define EXIT INSN(0x95, 0, 0, 0)
#define JA(off) INSN(0x05, 0, off, 0)
#define JEQ(off) INSN(0x15, 0, off, 0)

static void build(const unsigned char *image, size_t n, struct arena *a, struct cfg *c)
{
	cfg_build(image, n / INSN_SIZE, false, a, c);
	assert_int_equal(c->insns, n / INSN_SIZE);
	assert_true(c->nfuncs >= 1);
	assert_int_equal(c->funcs[0].start, 0);
	for (size_t i = 0; i < c->nfuncs; i++) {
		assert_int_equal(c->funcs[i].end, i + 1 < c->nfuncs ? c->funcs[i + 1].start : c->insns);
		assert_true(c->funcs[i].nblocks >= 1);
		assert_int_equal(c->blocks[c->funcs[i].block].start, c->funcs[i].start);
	}
	for (size_t i = 0; i < c->nblocks; i++) {
		assert_int_equal(c->blocks[i].end, i + 1 < c->nblocks ? c->blocks[i + 1].start : c->insns);
		assert_int_equal(cfg_block_at(c, c->blocks[i].start), i);
	}
}

static void expect_block(const struct cfg *c, size_t i, size_t start, size_t next, size_t jump)
{
	assert_int_equal(c->blocks[i].start, start);
	assert_int_equal(c->blocks[i].next, next);
	assert_int_equal(c->blocks[i].jump, jump);
}

static void test_branches(void **state)
{
	static const unsigned char image[] = { JEQ(2), MOV, JA(1), MOV, EXIT, EXIT };
	ARENA a = arena_new();
	struct cfg c;

	(void)state;
	build(image, sizeof(image), a, &c);
	assert_int_equal(c.nfuncs, 1);
	assert_int_equal(c.nblocks, 5);
	expect_block(&c, 0, 0, 1, 2);
	expect_block(&c, 1, 1, CFG_NONE, 3);
	expect_block(&c, 2, 3, 3, CFG_NONE);
	expect_block(&c, 3, 4, CFG_EXIT, CFG_NONE);
	expect_block(&c, 4, 5, CFG_EXIT, CFG_NONE); /* never reached */
	assert_int_equal(cfg_block_at(&c, 2), CFG_NONE);
	assert_int_equal(cfg_block_at(&c, 6), CFG_NONE);
}

/* A call, a function pointer (two slots), a jump by immediate, may_goto, a branch of 32 bits. */
static void test_functions(void **state)
{
	static const unsigned char image[] = {
		INSN(0x85, 0x10, 4, 0),
		INSN(INSN_LDIMM64, 0x42, 0, 5),
		INSN(0, 0, 0, 0),
		EXIT,
		EXIT,
		INSN(0x06, 0, 0, -1),
		INSN(0xe5, 0, 0, 0),
		INSN(0x16, 0, -2, 0),
		INSN(0x0d, 0, 0, 0),
	};
	ARENA a = arena_new();
	struct cfg c;

	(void)state;
	build(image, sizeof(image), a, &c);
	assert_int_equal(c.nfuncs, 3);
	assert_int_equal(c.funcs[1].start, 5);
	assert_int_equal(c.funcs[2].start, 7);
	expect_block(&c, 2, 5, CFG_NONE, 2);	    /* gotol to itself */
	expect_block(&c, 3, 6, CFG_NONE, CFG_NONE); /* may_goto out of the function, like falling through */
	expect_block(&c, 4, 7, 5, CFG_NONE);	    /* back into another function */
	expect_block(&c, 5, 8, CFG_NONE, CFG_NONE); /* gotox: unknown target */
}

static void test_targets_that_lie(void **state)
{
	static const unsigned char image[] = {
		JA(32767),
		JA(-32768),
		JEQ(1),
		INSN(INSN_LDIMM64, 0x40, 0, 0x7fffffff),
		INSN(0, 0, 0, 0),
		INSN(0x85, 0x10, -300, 0),
		INSN(0x06, 0, 0, 0x7fffffff),
		INSN(INSN_LDIMM64, 0x40, 0, 0),
	};
	ARENA a = arena_new();
	struct cfg c;

	(void)state;
	build(image, sizeof(image), a, &c);
	assert_int_equal(c.nfuncs, 1);
	expect_block(&c, 0, 0, CFG_NONE, CFG_NONE);
	expect_block(&c, 1, 1, CFG_NONE, CFG_NONE);
	expect_block(&c, 2, 2, 3, CFG_NONE); /* into the middle of an instruction */
	expect_block(&c, 4, 7, CFG_NONE, CFG_NONE);
	cfg_build(image, 0, BIG_HERE, a, &c);
	assert_int_equal(c.nfuncs + c.nblocks, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_targets_that_lie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
