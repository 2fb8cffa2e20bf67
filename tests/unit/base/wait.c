/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/wait.h"

/* A child that sleeps if @status is negative. */
static pid_t start(int status)
{
	pid_t pid = fork();

	if (!pid) {
		if (status < 0)
			sleep(100);
		_exit(status);
	}
	return pid;
}

static void test_status(void **state)
{
	pid_t pid = start(3);

	(void)state;
	assert_int_equal(wait_exit(wait_child(pid, WAIT_END)), 3);
	assert_int_equal(wait_child(pid, WAIT_END), -ECHILD);
	assert_int_equal(wait_child(pid, 0), -ECHILD);
	assert_int_equal(wait_child(start(0), 10000), 0);
}

static void test_limit(void **state)
{
	pid_t pid = start(-1);

	(void)state;
	assert_int_equal(wait_child(pid, 0), -EAGAIN);
	assert_int_equal(wait_child(pid, 20), -EAGAIN);
	kill(pid, SIGTERM);
	assert_int_equal(wait_exit(wait_child(pid, 10000)), 128 + SIGTERM);
}

/* The kernel keeps no status for a parent that ignores SIGCHLD, but waits as long. */
static void test_ignored(void **state)
{
	void (*before)(int) = signal(SIGCHLD, SIG_IGN);

	(void)state;
	assert_int_equal(wait_child(start(3), WAIT_END), -ECHILD);
	assert_int_equal(wait_child(start(3), 10000), -ECHILD);
	signal(SIGCHLD, before);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_status), cmocka_unit_test(test_limit),
					    cmocka_unit_test(test_ignored) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
