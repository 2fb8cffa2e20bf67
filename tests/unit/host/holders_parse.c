/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "host/holders.h"

static struct holder_raw entry(uint32_t kind, uint32_t id, uint32_t pid, const char *comm)
{
	struct holder_raw h = { .kind = kind, .id = id, .pid = pid };

	memcpy(h.comm, comm, strnlen(comm, sizeof(h.comm)));
	return h;
}

static void test_words(void **state)
{
	(void)state;
	for (int k = 0; k < OBJECT_KINDS; k++)
		assert_int_equal(object_kind_parse(object_kind_names[k]), k);
	assert_int_equal(object_kind_parse("progs"), -1);
	assert_int_equal(object_kind_parse(""), -1);
}

static void test_parse(void **state)
{
	ARENA a = arena_new();
	struct holder_raw raw[] = {
		entry(OBJECT_MAP, 7, 300, "c"),
		entry(OBJECT_PROG, 7, 100, "a"),
		entry(OBJECT_MAP, 7, 200, "exactly_16_bytes"),
		entry(OBJECT_MAP, 7, 300, "c"),
		entry(OBJECT_KINDS, 7, 1, "unknown"),
		entry(UINT32_MAX, 7, 1, "unknown"),
		entry(OBJECT_BTF, UINT32_MAX, 5, "last"),
	};
	const struct holder *h;
	struct holders *t;
	uint32_t n;

	(void)state;
	raw[3].cookie = 9;
	t = holders_parse(raw, sizeof(raw), a);
	h = holders_find(t, OBJECT_MAP, 7, &n);
	assert_int_equal(n, 2);
	assert_int_equal(h[0].pid, 200);
	assert_string_equal(h[0].comm, "exactly_16_bytes");
	assert_int_equal(h[1].pid, 300);
	assert_int_equal(h[1].cookie, 9);
	h = holders_find(t, OBJECT_PROG, 7, &n);
	assert_int_equal(n, 1);
	assert_string_equal(h->comm, "a");
	assert_null(holders_find(t, OBJECT_LINK, 7, &n));
	assert_int_equal(n, 0);
	assert_null(holders_find(t, OBJECT_PROG, 8, &n));
	h = holders_find(t, OBJECT_BTF, UINT32_MAX, &n);
	assert_int_equal(n, 1);
	assert_int_equal(h->pid, 5);
}

static void test_unseen(void **state)
{
	ARENA a = arena_new();
	struct holder_raw raw[] = { entry(OBJECT_MAP, 7, 1, "a"), entry(HOLDER_UNSEEN, EACCES, 2, ""),
				    entry(HOLDER_UNSEEN, EIO, 3, "") };
	uint32_t n;

	(void)state;
	assert_int_equal(holders_unseen(holders_parse(raw, sizeof(raw[0]), a)), 0);
	assert_int_equal(holders_unseen(holders_parse(raw, sizeof(raw), a)), -EACCES);
	assert_non_null(holders_find(holders_parse(raw, sizeof(raw), a), OBJECT_MAP, 7, &n));
	assert_int_equal(n, 1);
}

static void test_odd_bytes(void **state)
{
	ARENA a = arena_new();
	unsigned char bytes[3 * sizeof(struct holder_raw) + 1];
	struct holder_raw raw = entry(OBJECT_LINK, 3, 4, "x");
	uint32_t n;

	(void)state;
	for (int i = 0; i < 3; i++)
		memcpy(bytes + 1 + (size_t)i * sizeof(raw), &raw, sizeof(raw));
	assert_null(holders_find(holders_parse(NULL, 0, a), OBJECT_LINK, 3, &n));
	assert_null(holders_find(holders_parse(bytes + 1, sizeof(raw) - 1, a), OBJECT_LINK, 3, &n));
	for (size_t len = sizeof(raw); len <= 3 * sizeof(raw); len++) {
		assert_non_null(holders_find(holders_parse(bytes + 1, len, a), OBJECT_LINK, 3, &n));
		assert_int_equal(n, 1);
	}
	memset(bytes, 0xff, sizeof(bytes));
	holders_parse(bytes, sizeof(bytes), a);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_unseen),
		cmocka_unit_test(test_odd_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
