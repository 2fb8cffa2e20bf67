/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <string.h>

#include "base/bytes.h"
#include "source/live/walked.h"

static void each_key_once(void **state)
{
	struct walked w = { 0 };
	unsigned char key[13] = { 0 };

	(void)state;
	walked_reset(&w, 7);
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 100000; i++) {
			memcpy(key + 9, &i, sizeof(i)); /* the tail of a key is also compared */
			assert_int_equal(walked_add(&w, key, sizeof(key)), !round);
		}
	assert_int_equal(w.n, 100000);
	assert_int_equal(w.map_id, 7);
	assert_true(w.cap <= 262144);
	walked_reset(&w, 8);
	assert_true(walked_add(&w, key, sizeof(key)));
	assert_false(walked_add(&w, key, sizeof(key)));
	assert_true(walked_add(&w, key, sizeof(key) - 1));
	walked_release(&w);
}

/* For keys with little-endian lengths. */
static int cmp(const unsigned char *a, const unsigned char *b, size_t n)
{
	unsigned char mine[8] = { 0 }, theirs[8] = { 0 };

	memcpy(mine, a, n);
	memcpy(theirs, b, n);
	store_uint(mine, 4, load_uint(a, 4, false), BIG_HERE);
	store_uint(theirs, 4, load_uint(b, 4, false), BIG_HERE);
	return lpm_cmp(mine, theirs, n);
}

static void order_of_prefixes(void **state)
{
	/* Length, address: in the kernel's order. */
	static const unsigned char keys[][8] = {
		{ 32, 0, 0, 0, 10, 0, 0, 1 },
		{ 24, 0, 0, 0, 10, 0, 0, 9 },
		{ 9, 0, 0, 0, 10, 127 },
		{ 8, 0, 0, 0, 10, 77 },
		{ 32, 0, 0, 0, 11, 0, 0, 0 },
		{ 7, 0, 0, 0, 10 },
		{ 1, 0, 0, 0, 0 },
		{ 1, 0, 0, 0, 128 },
		{ 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
			assert_int_equal(cmp(keys[i], keys[k], 8), (i > k) - (i < k));
	/* Host bits are ignored; a length beyond the data is limited to it. */
	assert_int_equal(
		cmp((const unsigned char[]){ 8, 0, 0, 0, 10, 1 }, (const unsigned char[]){ 8, 0, 0, 0, 10, 2 }, 6), 0);
	assert_int_equal(cmp((const unsigned char[]){ 99, 0, 0, 0, 10 }, (const unsigned char[]){ 8, 0, 0, 0, 10 }, 5),
			 0);
	assert_int_equal(cmp((const unsigned char[]){ 99, 0, 0, 0 }, (const unsigned char[]){ 8, 0, 0, 0 }, 4), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_key_once),
		cmocka_unit_test(order_of_prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
