/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/err.h"
#include "host/caps.h"

static void test_only_refusals(void **state)
{
	struct err e = {0};

	(void)state;
	caps_explain(NULL);
	caps_explain(&e);
	assert_string_equal(e.hint, "");
	err_set(&e, -ENOENT, "gone");
	caps_explain(&e);
	assert_string_equal(e.hint, "");
	err_clear(&e);
	err_set(&e, -EPERM, "no");
	err_hint(&e, "mine");
	caps_explain(&e);
	assert_string_equal(e.hint, "mine");
	assert_string_equal(e.msg, "no");
	assert_int_equal(e.code, -EPERM);
}

static void test_says_something(void **state)
{
	struct err e = {0};

	(void)state;
	err_set(&e, -EACCES, "no");
	caps_explain(&e);
	assert_true(strlen(e.hint) > 10);
	assert_true(strlen(e.hint) < sizeof(e.hint) - 1);
}

/* In a child, because what is dropped does not come back. Exit status: a bit for each broken expectation. */
static int unprivileged(void)
{
	struct err e = {0};
	int bad = 0;

	if (setresuid(65534, 65534, 65534))
		return 64;
	bad |= caps_admin() ? 1 : 0;
	bad |= caps_bpf() ? 2 : 0;
	err_set(&e, -EPERM, "no");
	caps_explain(&e);
	bad |= strstr(e.hint, "CAP_SYS_ADMIN") ? 0 : 4;
	return bad;
}

static void test_unprivileged(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	if (geteuid() || !caps_admin())
		skip_because("needs root");
	assert_true(caps_bpf());
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(unprivileged());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_refusals),
		cmocka_unit_test(test_says_something),
		cmocka_unit_test(test_unprivileged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
