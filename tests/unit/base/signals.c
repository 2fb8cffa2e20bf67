/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/base.h"
#include "base/signals.h"
#include "base/wait.h"

static const int ours[] = { SIGPIPE, SIGXFSZ, SIGCHLD };

/* The exit status of @look in a child that began with the signals at @how. */
static int in_child(void (*how)(int), int (*look)(void))
{
	pid_t pid = fork();

	if (!pid) {
		for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
			signal(ours[i], how);
		signals_begin();
		_exit(look());
	}
	return wait_exit(wait_child(pid, WAIT_END));
}

static int look_at_wait(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(3);
	return wait_exit(wait_child(pid, WAIT_END));
}

static int look_at_writes(void)
{
	const struct rlimit small = { 4, 4 };
	FILE *f = tmpfile();
	int ends[2];

	if (pipe(ends) || close(ends[0]) || write(ends[1], "x", 1) != -1 || errno != EPIPE)
		return 1;
	if (!f || setrlimit(RLIMIT_FSIZE, &small) || write(fileno(f), "1234", 4) != 4)
		return 2;
	return write(fileno(f), "5", 1) == -1 && errno == EFBIG ? 0 : 3;
}

/* SIGPIPE, SIGCHLD, SIGXFSZ: the digits 4, 5 and 7 from the right. Not a shell: dash resets SIGCHLD. */
static int look_after_exec(void)
{
	signals_pass_on();
	execlp("grep", "grep", "-q", "^SigIgn:.*1.11...$", "/proc/self/status", NULL);
	return 127;
}

static void test_began(void **state)
{
	static void (*const how[])(int) = { SIG_DFL, SIG_IGN };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(how); i++) {
		assert_int_equal(in_child(how[i], look_at_wait), 3);
		assert_int_equal(in_child(how[i], look_at_writes), 0);
	}
}

static void test_passed_on(void **state)
{
	(void)state;
	assert_int_equal(in_child(SIG_DFL, look_after_exec), 1);
	assert_int_equal(in_child(SIG_IGN, look_after_exec), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_began), cmocka_unit_test(test_passed_on) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
