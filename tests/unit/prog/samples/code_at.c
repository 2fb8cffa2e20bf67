/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include "placed.h"
#include "prog/samples/code_at.h"
#include "source/codes.h"

/* Programs in succession at one address: the load of 2 begins while 1 is loaded, that of 3 while 2 is; the end of 4 is
 * unknown, and also that of 5. */
#define A 0xffffffffc0001ff0 /* the last bytes of a page, and the next one */
#define B 0xffffffffc0009000
#define CODE 0xffffffffc000a000
static const struct placed progs[] = { { A, 1000 }, { A, 1500 }, { A, 2500 }, { B, 3500 }, { B, 4500 } };
static const char lives[] =
	"recorded 500 9000\n1 1000 2000 7 0 copied - a\n2 1500 3000 7 0 copied - a\n3 2500 4000 7 0 copied - a\n"
	"4 3500 ? 7 0 copied - a\n5 4500 - 7 0 copied - a\n";
static struct code_index *index_new(struct scripted *m)
{
	struct code_index *x = NULL;
	struct err e = { 0 };

	assert_int_equal(code_index_new(&m->env, &x, &e), 0);
	return x;
}

/* Returns 0: none. */
static uint32_t prog_at(const struct code_index *x, uint64_t ip, uint64_t time)
{
	const struct code_place *p = code_at(x, ip, time);

	return p ? p->prog : 0;
}

/* While a program is verified, the previous one at its address may still run. */
static void test_next_is_verified(void **state)
{
	struct scripted *m = placed_new(progs, ARRAY_SIZE(progs), lives);
	struct code_index *x = index_new(m);

	for (uint64_t ip = A; ip < A + PLACED_LEN; ip += 21) {
		assert_int_equal(prog_at(x, ip, 999), 0);
		assert_int_equal(prog_at(x, ip, 1000), 1);
		assert_int_equal(prog_at(x, ip, 1800), 1);
		assert_int_equal(prog_at(x, ip, 2000), 1);
		assert_int_equal(prog_at(x, ip, 2001), 2);
		assert_int_equal(prog_at(x, ip, 2999), 2);
		assert_int_equal(prog_at(x, ip, 3001), 3);
		assert_int_equal(prog_at(x, ip, 4000), 3);
		assert_int_equal(prog_at(x, ip, 4001), 0);
	}
	assert_int_equal(prog_at(x, A - 1, 1800), 0);
	assert_int_equal(prog_at(x, A + PLACED_LEN, 1800), 0);
	scripted_end(m);
}

/* Without an end, the beginning of the next one is used. */
static void test_end_not_known(void **state)
{
	struct scripted *m = placed_new(progs, ARRAY_SIZE(progs), lives);
	struct code_index *x = index_new(m);

	assert_int_equal(prog_at(x, B, 3499), 0);
	assert_int_equal(prog_at(x, B, 3500), 4);
	assert_int_equal(prog_at(x, B + PLACED_LEN - 1, 4499), 4);
	assert_int_equal(prog_at(x, B, 4500), 5);
	assert_int_equal(prog_at(x, B, UINT64_MAX), 5);
	scripted_end(m);
}

/* Each is alone at its address: while one is loaded, the one before may still be there; an unknown end is the load of
 * the next. */
static void test_times(void **state)
{
	static const uint64_t want[][2] = {
		{ 1000, 2000 }, { 2000, 3000 }, { 3000, 4000 }, { 3500, 4500 }, { 4500, UINT64_MAX }
	};
	struct scripted *m = placed_new(progs, ARRAY_SIZE(progs), lives);
	struct code_index *x = index_new(m);

	for (uint32_t i = 0; i < ARRAY_SIZE(want); i++) {
		uint64_t from, to;

		code_place_times(x, code_index_func(x, i + 1, progs[i].at), i == 3, &from, &to);
		assert_int_equal(from, want[i][0]);
		assert_int_equal(to, want[i][1]);
	}
	scripted_end(m);
}

/* A program with a known end does not hide an earlier one with an unknown end. */
static void test_both(void **state)
{
	static const char text[] =
		"0xffffffffc000a000 64 100 - - 7 - a bpf_trampoline_1\n0xffffffffc000a000 64 300 400 - 7 - a bpf_trampoline_2\n";
	struct scripted *m = placed_new(progs, ARRAY_SIZE(progs), lives);
	struct code_index *x;

	scripted_says(m, "sys/code", 0, text, sizeof(text) - 1);
	x = index_new(m);
	assert_null(code_at(x, CODE, 99));
	assert_string_equal(code_at(x, CODE, 200)->code->name, "bpf_trampoline_1");
	assert_string_equal(code_at(x, CODE, 350)->code->name, "bpf_trampoline_2");
	assert_string_equal(code_at(x, CODE, 401)->code->name, "bpf_trampoline_1");
	scripted_end(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_next_is_verified),
		cmocka_unit_test(test_end_not_known),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
