/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../test.h"
#include <signal.h>
#include "host/stop.h"

static void test_signals(void **state)
{
	static const int signals[] = { SIGINT, SIGHUP, SIGTERM };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(signals); i++) {
		STOP s;

		assert_int_equal(stop_begin(&s), 0);
		assert_false(stop_wait(&s, -1, 0));
		raise(signals[i]);
		assert_true(stop_wait(&s, -1, 0));
		stop_take(&s);
		assert_false(stop_wait(&s, -1, 0));
	}
}

static void test_nohup(void **state)
{
	void (*before)(int) = signal(SIGHUP, SIG_IGN);
	STOP s;

	(void)state;
	assert_int_equal(stop_begin(&s), 0);
	raise(SIGHUP);
	assert_false(stop_wait(&s, -1, 0));
	raise(SIGTERM);
	assert_true(stop_wait(&s, -1, 0));
	stop_end(&s);
	signal(SIGHUP, before);
}

/* One that was never begun, or has ended, leaves the mask of signals as it is. */
static void test_end(void **state)
{
	struct stop s = { .fd = -1 };
	sigset_t mine, before, after;

	(void)state;
	sigemptyset(&mine);
	sigaddset(&mine, SIGUSR1);
	assert_int_equal(sigprocmask(SIG_BLOCK, &mine, &before), 0);
	stop_end(&s);
	assert_int_equal(sigprocmask(SIG_SETMASK, &before, &after), 0);
	assert_true(sigismember(&after, SIGUSR1));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_signals), cmocka_unit_test(test_nohup),
					    cmocka_unit_test(test_end) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
