/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "host/task_fds.h"
#include "own/own.h"

static void put(struct str *s, uint32_t pid, const char *name, uint32_t name_len)
{
	const struct task_fd_raw raw = { .pid = pid,
					 .fd = 3,
					 .prog_id = 7,
					 .type = TASK_FD_UPROBE,
					 .name_len = name_len,
					 .offset = 16,
					 .comm = { 's', 'i', 'x', 't', 'e', 'e', 'n', ' ', 'l', 'e', 't', 't', 'e', 'r',
						   's', '!' } };
	static const char zeros[8];

	str_add(s, &raw, sizeof(raw));
	str_add(s, name, strlen(name));
	str_add(s, zeros, 8 - strlen(name) % 8);
}

static void test_whole(void **state)
{
	ARENA a = arena_new();
	const struct task_fd *t;
	STR s = { 0 };
	size_t n;

	(void)state;
	put(&s, 1, "/bin/sh", 8);
	put(&s, 2, "12345678", 9);
	assert_int_equal(task_fds_parse(s.p, s.n, a, &t, &n), 0);
	assert_int_equal(n, 2);
	assert_string_equal(t[0].name, "/bin/sh");
	assert_string_equal(t[0].comm, "sixteen letters!");
	assert_int_equal(t[1].pid, 2);
	assert_string_equal(t[1].name, "12345678");
	assert_int_equal(t[1].offset, 16);
}

/* Every prefix of an answer, and invalid lengths. */
static void test_damaged(void **state)
{
	static const uint32_t lengths[] = { 9, 17, 1u << 31, UINT32_MAX - 7, UINT32_MAX };
	const struct task_fd *t;
	ARENA a = arena_new();
	size_t n, whole;
	STR s = { 0 };

	(void)state;
	put(&s, 1, "/bin/sh", 8);
	whole = s.n;
	put(&s, 2, "/bin/sh", 8);
	for (size_t i = 0; i <= s.n; i++) {
		CLEAN_PTR char *copy = memcpy(malloc(i ? i : 1), s.p, i); /* exact length, for the sanitizer */

		task_fds_parse(copy, i, a, &t, &n);
		assert_int_equal(n, i / whole);
	}
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		STR bad = { 0 };

		put(&bad, 1, "/bin/sh", lengths[i]);
		task_fds_parse(bad.p, bad.n, a, &t, &n);
		assert_int_equal(n, 0);
	}
	/* A name without a terminator is still a name. */
	str_reset(&s);
	put(&s, 1, "12345678", 8);
	assert_int_equal(task_fds_parse(s.p, s.n - 8, a, &t, &n), 0);
	assert_string_equal(t->name, "12345678");
	assert_int_equal(n, 1);
}

/* Live: there is always an answer or an errno. */
static void test_live(void **state)
{
	struct own own = { 0 };
	STR s = { 0 };
	int err = task_fds_collect(&own, &s);

	(void)state;
	if (err) {
		assert_true(err == -EPERM || err == -EINVAL || err == -ENOSYS);
		assert_int_equal(s.n, 0);
	}
	own_release(&own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
