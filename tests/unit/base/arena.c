/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <stdint.h>
#include <string.h>

#include "base/base.h"

static void zeroed_and_aligned(void **state)
{
	ARENA a = arena_new();
	size_t i;

	(void)state;
	for (i = 0; i < 3000; i++) {
		unsigned char *p = arena_alloc(a, i % 130);
		size_t k;

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
		for (k = 0; k < i % 130; k++)
			assert_int_equal(p[k], 0);
		memset(p, 0xff, i % 130);
	}
}

static void scope_takes_back(void **state)
{
	ARENA a = arena_new();
	const char *kept = arena_str(a, "keep", 100);
	const size_t size = arena_size(a);
	char *p;

	(void)state;
	assert_true(size >= sizeof("keep"));
	for (int i = 0; i < 50; i++) {
		ARENA_SCOPE(a);

		for (int k = 0; k < 20; k++) {
			ARENA_SCOPE(a);

			p = arena_alloc(a, 40000);
			assert_int_equal(p[0], 0);
			assert_int_equal(p[39999], 0);
			memset(p, 0xff, 40000);
			arena_alloc(a, 40000);
		}
		assert_int_equal(arena_size(a), size);
		arena_alloc(a, 10);
	}
	assert_int_equal(arena_size(a), size);
	assert_string_equal(kept, "keep");
	arena_clear(a);
	assert_int_equal(arena_size(a), 0);
	p = arena_alloc(a, 8);
	assert_int_equal(p[0], 0);
}

static void strings(void **state)
{
	ARENA a = arena_new();

	(void)state;
	assert_string_equal(arena_str(a, "abcdef", 3), "abc");
	assert_string_equal(arena_str(a, "ab\0def", 6), "ab");
	assert_string_equal(arena_str(a, "", 0), "");
	assert_string_equal(arena_fmt(a, "%s-%d", "x", 5), "x-5");
	assert_memory_equal(arena_dup(a, "\1\2\3", 3), "\1\2\3", 3);
	assert_non_null(arena_dup(a, NULL, 0));
	arena_free(NULL);
}

static void note(void *p)
{
	char *log = *(char **)p;

	log[strlen(log)] = ((char *)p)[sizeof(char *)];
}

static void deferred_calls(void **state)
{
	struct arena *a = arena_new();
	struct {
		char *log;
		char c;
	} x, y, z;
	char log[8] = "";

	(void)state;
	x.log = y.log = z.log = log;
	x.c = 'x', y.c = 'y', z.c = 'z';
	arena_defer(a, note, &x);
	{
		ARENA_SCOPE(a);

		arena_defer(a, note, &y);
		arena_alloc(a, 1 << 20);
		arena_defer(arena_within(a), note, &z);
		assert_string_equal(log, "");
	}
	assert_string_equal(log, "zy");
	arena_free(a);
	assert_string_equal(log, "zyx");
}

static jmp_buf back;
static void no_memory(size_t size)
{
	(void)size;
	longjmp(back, 1);
}

static void too_much_ends_in_oom(void **state)
{
	struct arena *volatile a = arena_new();
	volatile int ends = 0;

	(void)state;
	arena_oom = no_memory;
	if (setjmp(back) == 0)
		arena_array(a, SIZE_MAX / 2, 3);
	else
		ends++;
	if (setjmp(back) == 0)
		arena_alloc(a, SIZE_MAX);
	else
		ends++;
	arena_oom = NULL;
	assert_int_equal(ends, 2);
	arena_free(a);
}

/* Existing elements stay, and the rest is zero. */
static void more(void **state)
{
	ARENA a = arena_new();
	uint32_t *p = NULL;
	size_t cap = 0;

	(void)state;
	for (uint32_t n = 0; n < 1000; n++) {
		p = arena_more(a, p, n, &cap, sizeof(*p));
		assert_true(cap > n);
		assert_int_equal(p[n], 0);
		assert_int_equal(p[cap - 1], 0);
		p[n] = n + 1;
	}
	for (uint32_t n = 0; n < 1000; n++)
		assert_int_equal(p[n], n + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zeroed_and_aligned),
		cmocka_unit_test(scope_takes_back),
		cmocka_unit_test(strings),
		cmocka_unit_test(deferred_calls),
		cmocka_unit_test(more),
		cmocka_unit_test(too_much_ends_in_oom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
