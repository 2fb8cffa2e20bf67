/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/bytes.h"
#include "base/wide.h"

static const uint64_t words[] = {
	0,
	1,
	2,
	3,
	9,
	10,
	1000,
	UINT32_MAX,
	1ull << 32,
	(1ull << 32) + 1,
	0x123456789abcdef0,
	INT64_MAX,
	1ull << 63,
	(1ull << 63) + 1,
	UINT64_MAX - 1,
	UINT64_MAX,
};

/* Properties of all numbers, with either implementation. */
static void laws(struct wide a, struct wide b, uint64_t by)
{
	struct wide q = wide_div(a, by), down = wide_div_floor(a, by), rest = wide_sub(a, wide_times(q, by));
	struct wide above = wide_sub(a, wide_times(down, by));

	assert_int_equal(wide_cmp(wide_sub(wide_add(a, b), b), a), 0);
	assert_int_equal(wide_cmp(a, b), -wide_cmp(b, a));
	assert_true(wide_is_zero(wide_add(a, wide_neg(a))));
	assert_true(wide_cmp_u(wide_abs(rest), wide_u(by)) < 0);
	assert_true(wide_is_zero(rest) || wide_is_neg(rest) == wide_is_neg(a));
	assert_true(!wide_is_neg(above) && wide_cmp(above, wide_u(by)) < 0);
	assert_int_equal(wide_cmp(wide_min(a, b), wide_max(a, b)) <= 0, 1);
}

#ifdef __SIZEOF_INT128__
static __int128 number(struct wide v)
{
	return (__int128)((unsigned __int128)v.hi << 64 | v.lo);
}

static void same(struct wide v, __int128 want)
{
	assert_true(number(v) == want);
}

/* The same with the compiler's type. */
static void compare(struct wide a, struct wide b, uint64_t by)
{
	unsigned __int128 ua = (unsigned __int128)number(a), ub = (unsigned __int128)number(b);

	same(wide_add(a, b), (__int128)(ua + ub));
	same(wide_sub(a, b), (__int128)(ua - ub));
	same(wide_times(a, by), (__int128)(ua * by));
	same(wide_mul(a.lo, b.lo), (__int128)((unsigned __int128)a.lo * b.lo));
	if (a.hi != 1ull << 63 || a.lo) /* the smallest number has no positive counterpart */
		same(wide_div(a, by), number(a) / (__int128)by);
	assert_int_equal(wide_cmp(a, b), (number(a) > number(b)) - (number(a) < number(b)));
	assert_int_equal(wide_cmp_u(a, b), (ua > ub) - (ua < ub));
	for (unsigned n = 0; n < 128; n += 7) {
		same(wide_shl(a, n), (__int128)(ua << n));
		same(wide_shr(a, n), (__int128)(ua >> n));
	}
	assert_true(wide_double(a) - (double)number(a) <= 0x1p76 && (double)number(a) - wide_double(a) <= 0x1p76);
}
#else
static void compare(struct wide a, struct wide b, uint64_t by)
{
}
#endif

static void computes(void **state)
{
	size_t n = ARRAY_SIZE(words);

	(void)state;
	for (size_t i = 0; i < n * n; i++)
		for (size_t k = 0; k < n * n; k += 3) {
			struct wide a = { words[i / n], words[i % n] }, b = { words[k % n], words[k / n] };

			laws(a, b, words[1 + k % (n - 1)]);
			compare(a, b, words[1 + k % (n - 1)]);
		}
}

static void numbers(void **state)
{
	(void)state;
	assert_int_equal(wide_cmp(wide_s(-1), wide_u(0)), -1);
	assert_int_equal(wide_cmp(wide_u(UINT64_MAX), wide_s(INT64_MIN)), 1);
	assert_true(wide_is_neg(wide_s(INT64_MIN)) && !wide_is_neg(wide_u(UINT64_MAX)));
	assert_int_equal(wide_div(wide_s(-7), 2).lo, (uint64_t)-3);
	assert_int_equal(wide_div_floor(wide_s(-7), 2).lo, (uint64_t)-4);
	assert_int_equal(wide_div_floor(wide_s(-8), 2).lo, (uint64_t)-4);
	assert_true(wide_double(wide_s(-3)) == -3 && wide_double((struct wide){ 0, 1 }) == 0x1p64);
}

static void loads(void **state)
{
	static const unsigned char bytes[10] = { 0x81, 2, 3, 4, 5, 6, 7, 0x88, 9, 0x0a };
	static const struct {
		size_t n;
		uint64_t little, big;
		int64_t slittle, sbig;
	} rows[] = {
		{ 1, 0x81, 0x81, -127, -127 },
		{ 2, 0x0281, 0x8102, 0x0281, -0x7efe },
		{ 3, 0x030281, 0x810203, 0x030281, -0x7efdfd },
		{ 4, 0x04030281, 0x81020304, 0x04030281, -0x7efdfcfc },
		{ 8, 0x8807060504030281, 0x8102030405060788, (int64_t)0x8807060504030281, (int64_t)0x8102030405060788 },
	};
	unsigned char back[10];
	uint16_t here = 1;

	(void)state;
	assert_int_equal(*(unsigned char *)&here, !BIG_HERE);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t n = rows[i].n;

		assert_int_equal(load_uint(bytes, n, false), rows[i].little);
		assert_int_equal(load_uint(bytes, n, true), rows[i].big);
		assert_true(load_int(bytes, n, false) == rows[i].slittle && load_int(bytes, n, true) == rows[i].sbig);
		store_uint(back, n, rows[i].little, false);
		assert_memory_equal(back, bytes, n);
		store_uint(back, n, rows[i].big, true);
		assert_memory_equal(back, bytes, n);
	}
	assert_int_equal(load_uint(bytes, 10, false), 0x8807060504030281);
	assert_int_equal(load_uint(bytes, 10, true), 0x030405060788090a);
	assert_int_equal(load_uint(bytes, 0, true), 0);
	store_uint(back, 10, 0x0102, true);
	assert_memory_equal(back, "\0\0\0\0\0\0\0\0\x01\x02", 10);
	store_uint(back, 10, 0x0102, false);
	assert_memory_equal(back, "\x02\x01\0\0\0\0\0\0\0\0", 10);
	memcpy(back, bytes, 7);
	words_swap(back, 7);
	assert_memory_equal(back, "\x04\x03\x02\x81\x05\x06\x07", 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(computes), cmocka_unit_test(numbers),
					    cmocka_unit_test(loads) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
