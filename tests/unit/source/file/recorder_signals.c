/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../../keys.h"
#include "../../test.h"
#include "../../directory.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder.h"
#include "source/file/recorder.h"

/* Signals end the program as usual, but no file is left; ignored signals have no effect. */
static void signals(void **state)
{
	static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	ARENA a = arena_new();
	struct dir d;

	(void)state;
	dir_make(&d);
	for (size_t i = 0; i < 2 * ARRAY_SIZE(all); i++) {
		int sig = all[i / 2], status;
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (!pid) {
			struct rlimit none = { 0, 0 };
			struct err e = { 0 };
			struct source *s;
			struct blob b;

			setrlimit(RLIMIT_CORE, &none);
			signal(sig, i & 1 ? SIG_IGN : SIG_DFL);
			s = recorder(&d, NULL);
			source_get(s, a, &b, "prog/ids");
			raise(sig);
			source_get(s, a, &b, "prog/1/info");
			_exit(source_record_finish(s, &e) ? 1 : 0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, i & 1 ? 0 : sig);
		assert_int_equal(directory_count(d.path), i & 1);
		unlink(d.file);
	}
	dir_drop(&d);
}

static void hear(int sig)
{
	(void)sig;
}

/* With a signal handler the program continues, without a file. */
static void signal_with_handler(void **state)
{
	struct sigaction old, handler = { .sa_handler = hear };
	struct err e = { 0 };
	ARENA a = arena_new();
	struct source *s;
	struct blob b;
	struct dir d;

	(void)state;
	dir_make(&d);
	assert_int_equal(sigaction(SIGTERM, &handler, &old), 0);
	s = recorder(&d, NULL);
	assert_int_equal(source_get(s, a, &b, "prog/ids"), 0);
	raise(SIGTERM);
	assert_int_equal(source_get(s, a, &b, "prog/1/info"), 0);
	assert_int_equal(directory_count(d.path), 0);
	assert_int_equal(source_get(s, a, &b, "prog/2/info"), -EPERM);
	source_idle(s);
	assert_int_equal(source_record_finish(s, &e), -EINTR);
	source_close(&s);
	sigaction(SIGTERM, &old, NULL);
	assert_int_equal(directory_count(d.path), 0);
	dir_drop(&d);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals),
		cmocka_unit_test(signal_with_handler),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
