/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include "../machine.h"
#include "kernel/perf/sampling.h"
#include "prog/samples/code_holds.h"

static void places(void **state)
{
	static const struct code_stay stay[] = {
		{ 0x1000, 10, 20, 64, true, false },	      /* there at 15 */
		{ 0x1000, 30, UINT64_MAX, 128, true, false }, /* later, and in part where that is */
		{ 0x2000, 1, 5, 64, true, false },	      /* no more */
		{ 0x3000, 1, 15, 32, false, false },	      /* no program */
		{ 0x3020, 16, 20, 32, true, false },	      /* later, next to it */
		{ 0x4000, 30, 40, 64, true, false },
		{ 0x4020, 50, 60, 96, true, false }, /* both later */
		{ 0x5000, 1, 20, 64, false, true },
		{ 0x5000, 30, 40, 64, true, false }, /* not while that is there */
	};
	struct arena *a = arena_new();
	struct code_hold *hold;
	size_t n = code_holds_find(stay, ARRAY_SIZE(stay), 15, a, &hold);

	(void)state;
	assert_int_equal(n, 3);
	assert_int_equal(hold[0].addr, 0x1040);
	assert_int_equal(hold[0].len, 64);
	assert_int_equal(hold[1].addr, 0x3000);
	assert_int_equal(hold[1].len, 64);
	assert_int_equal(hold[2].addr, 0x4000);
	assert_int_equal(hold[2].len, 128);
	assert_int_equal(code_holds_find(stay, ARRAY_SIZE(stay), 61, a, &hold), 0);
	assert_int_equal(code_holds_find(NULL, 0, 15, a, &hold), 0);
	arena_free(a);
}

static void first_looks(void **state)
{
	static const char symbols[] = "1000 T _text\n1010 T _stext\n2000 T _etext\n";
	static const uint64_t callers[] = { 0x9000, 0x1fff }, outside[] = { 0xfff, 0x2000 };
	struct scripted m;
	struct code_look look;

	(void)state;
	scripted_init(&m);
	scripted_says(&m, "sys/kallsyms", 0, symbols, sizeof(symbols) - 1);
	code_look_begin(&look, m.env.machine);
	assert_int_equal(look.text, 0x1000);
	assert_int_equal(look.end, 0x2000);
	code_look_take(&look, &(const struct sample){ .time = 1, .ip = 0x1000, .user = true });
	code_look_take(&look, &(const struct sample){ .time = 1, .ip = 0x2000, .ncallers = 2, .callers = outside });
	assert_int_equal(look.at[0], UINT64_MAX);
	assert_int_equal(look.at[1], UINT64_MAX);
	code_look_take(&look, &(const struct sample){ .time = 9, .ip = 0x1000 });
	code_look_take(&look, &(const struct sample){ .time = 5, .ip = 0x9000, .ncallers = 2, .callers = callers });
	code_look_take(&look, &(const struct sample){ .time = 7, .ip = 0x1fff, .ncallers = 2, .callers = callers });
	assert_int_equal(look.at[0], 7);
	assert_int_equal(look.at[1], 5);
	scripted_end(&m);
	scripted_init(&m);
	scripted_says(&m, "sys/kallsyms", 0, symbols, 13);
	code_look_begin(&look, m.env.machine);
	assert_int_equal(look.end, 0);
	code_look_take(&look, &(const struct sample){ .time = 1, .ip = 0 });
	assert_int_equal(look.at[0], UINT64_MAX);
	scripted_end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(places), cmocka_unit_test(first_looks) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
