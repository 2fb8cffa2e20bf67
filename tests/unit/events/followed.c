/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include "events/followed.h"
#include "kernel/perf/sideband.h"

static void note(struct followed *f, enum sideband_kind kind, uint32_t parent, uint32_t pid, uint32_t tid)
{
	struct sideband_record r = { .kind = kind };

	r.task.parent_pid = r.task.parent_tid = parent;
	r.task.pid = pid;
	r.task.tid = tid;
	followed_note(f, &r);
}

static void test_all(void **state)
{
	ARENA a = arena_new();
	struct followed f;

	(void)state;
	followed_init(&f, a);
	assert_true(followed_has(&f, 1));
	assert_true(followed_has(&f, 0)); /* of another process namespace */
	note(&f, SIDEBAND_EXIT, 1, 2, 2);
	assert_true(followed_has(&f, 2));
}

static void test_family(void **state)
{
	ARENA a = arena_new();
	struct followed f;

	(void)state;
	followed_init(&f, a);
	followed_add(&f, 10);
	assert_true(followed_has(&f, 10));
	assert_false(followed_has(&f, 11));
	assert_false(followed_has(&f, 0));
	note(&f, SIDEBAND_FORK, 10, 11, 11); /* a child */
	note(&f, SIDEBAND_FORK, 11, 12, 12); /* its child */
	note(&f, SIDEBAND_FORK, 99, 13, 13); /* of somebody else */
	assert_true(followed_has(&f, 11));
	assert_true(followed_has(&f, 12));
	assert_false(followed_has(&f, 13));
	/* A thread is no process: neither its begin nor its end. */
	note(&f, SIDEBAND_FORK, 10, 10, 20);
	assert_false(followed_has(&f, 20));
	note(&f, SIDEBAND_EXIT, 10, 10, 20);
	assert_true(followed_has(&f, 10));
	/* Another process gets the number later. */
	note(&f, SIDEBAND_EXIT, 10, 11, 11);
	assert_false(followed_has(&f, 11));
	assert_true(followed_has(&f, 12));
	note(&f, SIDEBAND_COMM, 12, 14, 14);
	assert_false(followed_has(&f, 14));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_all), cmocka_unit_test(test_family) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
