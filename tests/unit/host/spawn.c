/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/wait.h"
#include "host/spawn.h"
#include "host/stop.h"

/* Runs a shell script that writes a byte to descriptor 1 of ours, and waits for that. */
static struct spawned run(const char *script)
{
	const char *const argv[] = { "sh", "-c", script };
	int ends[2], out = dup(STDOUT_FILENO);
	struct spawned s = { 0 };
	sigset_t none;
	char c;

	sigemptyset(&none);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
	close(ends[1]);
	assert_int_equal(spawn(&s, argv, 3, &none, NULL), 0);
	assert_int_equal(dup2(out, STDOUT_FILENO), STDOUT_FILENO);
	close(out);
	assert_int_equal(read(ends[0], &c, 1), 1);
	close(ends[0]);
	return s;
}

static void test_status(void **state)
{
	struct spawned s = run("echo; exit 3");

	(void)state;
	while (!spawn_has_ended(&s))
		usleep(1000);
	assert_int_equal(s.status, 3);
	assert_true(spawn_has_ended(&s));
	spawn_end(&s);
	assert_int_equal(s.status, 3);
	s = run("echo; kill -HUP $$");
	while (!spawn_has_ended(&s))
		usleep(1000);
	assert_int_equal(s.status, 128 + SIGHUP);
}

static void test_refused(void **state)
{
	const char *const argv[] = { "./no such command" };
	struct spawned s = { 0 };
	struct err e = { 0 };
	sigset_t none;

	(void)state;
	sigemptyset(&none);
	assert_int_equal(spawn(&s, argv, 1, &none, &e), -ENOENT);
	assert_string_equal(e.msg, "cannot run './no such command': No such file or directory");
	assert_true(spawn_has_ended(&s));
	spawn_end(&s);
	assert_int_equal(s.status, 0);
}

/* It gets our signal, and may do what it does with it. */
static void test_stopped(void **state)
{
	static const int signals[] = { SIGINT, SIGHUP, SIGTERM };
	const struct stop none = { 0 };
	struct spawned s;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct stop stop = { .signal = signals[i] };

		s = run("echo; exec sleep 100");
		spawn_stop(&s, &stop);
		spawn_end(&s);
		assert_int_equal(s.status, 128 + signals[i]);
	}
	s = run("trap 'exit 7' TERM; echo; while :; do sleep 0.01; done");
	spawn_stop(&s, &none);
	spawn_end(&s);
	assert_int_equal(s.status, 7);
	/* No failure: we ended it without having got a signal. */
	s = run("echo; exec sleep 100");
	spawn_end(&s);
	assert_int_equal(s.status, 0);
	s = run("echo; kill -STOP $$; sleep 100");
	spawn_stop(&s, &(const struct stop){ .signal = SIGTERM });
	spawn_end(&s);
	assert_int_equal(s.status, 128 + SIGTERM);
}

/* One that does not end is killed; a second signal does not wait for that. */
static void test_stubborn(void **state)
{
	const struct stop stop = { .signal = SIGTERM }, terminal = { .signal = SIGINT, .by_terminal = true };
	struct spawned s = run("trap '' TERM INT; echo; while :; do sleep 0.01; done");

	(void)state;
	assert_false(spawn_overdue(&s));
	spawn_stop(&s, &stop);
	assert_false(spawn_overdue(&s));
	assert_false(spawn_has_ended(&s));
	spawn_stop(&s, &stop);
	assert_true(spawn_overdue(&s));
	spawn_end(&s);
	assert_int_equal(s.status, 128 + SIGKILL);
	assert_false(spawn_overdue(&s));
	/* The terminal has sent it the signal. */
	s = run("echo; exec sleep 100");
	spawn_stop(&s, &terminal);
	assert_int_equal(wait_child(s.pid, 50), -EAGAIN);
	spawn_stop(&s, &terminal);
	spawn_end(&s);
	assert_int_equal(s.status, 128 + SIGKILL);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_status), cmocka_unit_test(test_refused),
					    cmocka_unit_test(test_stopped), cmocka_unit_test(test_stubborn) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
