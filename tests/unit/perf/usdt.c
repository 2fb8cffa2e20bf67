/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "perf/usdt.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#define ARGS "-4@%edi 8@-16(%rbp) -4@$-7 1@%r15b 2@%r8w 8@(%rsp) %rax"
#define BAD "%xyz", "%r7", "%r16", "%r15x", "%r15dd", "8@8(%rip", "8@x(%rip)", "8@sym(%rax,%rbx,4)", "$", "8@"
static const struct usdt_spec_arg want[] = {
	{ 0, 1, 112, true, 32 },	  { (uint64_t)-16, 2, 32, false, 0 },
	{ (uint64_t)-7, 0, 0, true, 32 }, { 0, 1, 0, false, 56 },
	{ 0, 1, 72, false, 48 },	  { 0, 2, 152, false, 0 },
	{ 0, 1, 80, false, 0 },
};
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#define ARGS "-4@w3 8@[sp, 60] -4@-7 8@[x30] x0"
#define BAD "x31", "y3", "8@[x1, x2]", "8@[x1", "x3y", "8@"
static const struct usdt_spec_arg want[] = {
	{ 0, 1, 24, true, 32 },	 { 60, 2, 248, false, 0 }, { (uint64_t)-7, 0, 0, true, 32 },
	{ 0, 2, 240, false, 0 }, { 0, 1, 0, false, 0 },
};
#else
#define MACHINE EM_NONE
#define ARGS ""
#define BAD "8@%r2"
static const struct usdt_spec_arg want[1];
#endif

static int make(const char *args, uint32_t machine, struct usdt_spec *ret)
{
	const struct usdt_probe p = { .provider = "app", .name = "begin", .args = args };
	struct err e = { 0 };
	ARENA a = arena_new();
	int err = usdt_spec_make(ret, &p, machine, 5, a, &e);

	assert_int_equal(err, e.code);
	return err;
}

static void test_arguments_found(void **state)
{
	struct usdt_spec s;

	(void)state;
	assert_int_equal(make(ARGS, MACHINE, &s), 0);
	assert_int_equal(s.cookie, 5);
	assert_int_equal(s.nargs, *ARGS ? ARRAY_SIZE(want) : 0);
	for (int i = 0; i < s.nargs; i++)
		assert_memory_equal(&s.args[i], &want[i], sizeof(*want));
	assert_int_equal(make("", MACHINE + 1, &s), 0);
	assert_int_equal(s.nargs, 0);
}

static void test_arguments_not_found(void **state)
{
	static const char *const bad[] = { BAD, "4f@%xmm0", "16@%rax", "3@%rax" };
	struct usdt_spec s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(make(bad[i], MACHINE, &s), -EOPNOTSUPP);
	assert_int_equal(make(ARGS " $1", MACHINE + 1, &s), -EOPNOTSUPP);
	assert_int_equal(make("$1 $2 $3 $4 $5 $6 $7 $8 $9 $10 $11 $12 $13", MACHINE, &s), -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_arguments_found),
					    cmocka_unit_test(test_arguments_not_found) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
