/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/message.h"
#include "base/wait.h"

/* Lines of 24 characters. */
static void filled(const char *text, const char *want)
{
	char got[256] = "";
	int p[2];
	pid_t pid;

	assert_int_equal(pipe(p), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(p[1], STDERR_FILENO);
		message_fill(24, (struct message_head){ .word = "hint:" }, text);
		_exit(0);
	}
	assert_int_equal(wait_child(pid, WAIT_END), 0);
	close(p[1]);
	assert_true(read(p[0], got, sizeof(got) - 1) > 0);
	close(p[0]);
	assert_string_equal(got, want);
}

/* A command that fits a line is in one, because its blanks count. */
static void test_commands(void **state)
{
	(void)state;
	filled("it is one of several words", "hint: it is one of\n      several words\n");
	filled("remove it by `rm 'a  b'` now", "hint: remove it by\n      `rm 'a  b'` now\n");
	filled("by [a b c d e] or {f g h i}", "hint: by [a b c d e] or\n      {f g h i}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_commands) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
