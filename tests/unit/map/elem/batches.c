/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "map/elem/batches.h"

#define MAX_KEYS 20000u
/* A map that has the values of its keys. The kernel stops a batch at the first element that it refuses. */
static struct {
	uint32_t value[MAX_KEYS], refused; /* refused: a key, or UINT32_MAX */
	unsigned batches;
	bool none; /* the kernel has no batches */
} map;

int __wrap_elem_update_batch(int fd, const void *keys, const void *values, uint32_t *count);
int __wrap_elem_update_batch(int fd, const void *keys, const void *values, uint32_t *count)
{
	const uint32_t *key = keys, *value = values;
	const uint32_t n = *count;

	assert_int_equal(fd, 77);
	if (map.none)
		return -EOPNOTSUPP;
	map.batches++;
	for (*count = 0; *count < n; ++*count) {
		if (key[*count] == map.refused)
			return -E2BIG;
		map.value[key[*count]] = value[*count];
	}
	return 0;
}

struct alone {
	unsigned n;
	uint64_t at; /* of the last */
	bool stops;
};

static bool write_one(void *ctx, uint64_t at, const unsigned char *key, const unsigned char *value)
{
	struct alone *alone = ctx;
	uint32_t k;

	memcpy(&k, key, sizeof(k));
	alone->n++;
	alone->at = at;
	if (k == map.refused)
		return !alone->stops;
	memcpy(&map.value[k], value, sizeof(map.value[k]));
	return true;
}

/* Element @i has key i and value i + 1, and is at 10 * i in the file. */
static void put_all(struct batches *b, struct alone *alone, uint32_t n)
{
	ARENA a = arena_new();

	memset(map.value, 0, sizeof(map.value));
	map.batches = 0;
	*b = (struct batches){ .fd = 77, .key_size = 4, .value_size = 4, .one = write_one, .ctx = alone };
	batches_init(b, a);
	for (uint32_t i = 0; i < n; i++)
		batches_put(b, 10ull * i, (const unsigned char *)(uint32_t[]){ i, i + 1 });
	batches_flush(b);
	for (uint32_t i = 0; i < n && !b->stop; i++)
		assert_int_equal(map.value[i], i == map.refused ? 0 : i + 1);
}

static void test_all(void **state)
{
	static const uint32_t sizes[] = { 0, 1, 2, 4095, 4096, 4097, 8191, 8192, 8193, MAX_KEYS };

	(void)state;
	map.refused = UINT32_MAX;
	for (int none = 0; none < 2; none++) {
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			struct alone alone = { 0 };
			struct batches b;

			map.none = none;
			put_all(&b, &alone, sizes[i]);
			assert_int_equal(b.written + alone.n, sizes[i]);
			assert_int_equal(alone.n, none ? sizes[i] : 0);
			assert_int_equal(none ? alone.at : b.last, sizes[i] ? 10ull * (sizes[i] - 1) : 0);
		}
	}
	map.none = false;
}

/* The element that the kernel refuses is tried alone, and those after it are written. */
static void test_refused(void **state)
{
	static const uint32_t keys[] = { 0, 1, 4094, 4095, 4096, 8191, 9999 };

	(void)state;
	for (int stops = 0; stops < 2; stops++) {
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
			struct alone alone = { .stops = stops };
			struct batches b;

			map.refused = keys[i];
			put_all(&b, &alone, 10000);
			assert_int_equal(b.stop, stops);
			assert_int_equal(alone.at, 10ull * keys[i]);
			assert_int_equal(alone.n, 1);
			if (!stops)
				assert_int_equal(b.written, 9999);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_all), cmocka_unit_test(test_refused) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
