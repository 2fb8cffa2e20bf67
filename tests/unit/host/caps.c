/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../test.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "host/caps.h"

static bool is_admin(void)
{
	cap_flag_value_t v = CAP_CLEAR;
	cap_t set = cap_get_proc();
	bool ret = set && !cap_get_flag(set, CAP_SYS_ADMIN, CAP_EFFECTIVE, &v) && v == CAP_SET;

	cap_free(set);
	return ret;
}

static void test_only_refusals(void **state)
{
	struct err e = { 0 };

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
	struct err e = { 0 };

	(void)state;
	err_set(&e, -EACCES, "no");
	caps_explain(&e);
	assert_true(strlen(e.hint) > 10);
	assert_true(strlen(e.hint) < sizeof(e.hint) - 1);
}

/* Exit status: a bit for each broken expectation. */
static int dropped(void)
{
	char names[128];
	int bad = caps_missing(names, sizeof(names)) || names[0] ? 1 : 0;

	caps_drop();
	bad |= caps_missing(names, sizeof(names)) >= 2 && strstr(names, "CAP_SYS_ADMIN, ") &&
			       strstr(names, "CAP_NET_ADMIN") ?
		       0 :
		       2;
	bad |= caps_bpf() ? 4 : 0;
	/* Names that do not fit are left out. */
	caps_missing(names, 8);
	bad |= strlen(names) < 8 ? 0 : 8;
	return bad;
}

static void test_dropped(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	if (geteuid() || !is_admin())
		skip_because("needs root");
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(dropped());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Exit status: a bit for each broken expectation. */
static int reading(bool loads)
{
	const cap_value_t all[] = { CAP_SYS_ADMIN, CAP_NET_ADMIN,    CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH, 39, 38,
				    CAP_CHOWN,	   CAP_DAC_OVERRIDE, CAP_SYS_MODULE };
	int bad = caps_keep_reading(loads) ? 1 : 0;
	cap_t set = cap_get_proc();

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const bool kept = i < (loads ? 6 : 4) && prctl(PR_CAPBSET_READ, all[i]) >= 0;
		cap_flag_value_t e = CAP_CLEAR, p = CAP_CLEAR, in = CAP_CLEAR;

		if (cap_get_flag(set, all[i], CAP_EFFECTIVE, &e) || cap_get_flag(set, all[i], CAP_PERMITTED, &p) ||
		    cap_get_flag(set, all[i], CAP_INHERITABLE, &in))
			continue;
		bad |= (e == CAP_SET) == kept && (p == CAP_SET) == kept && in == CAP_CLEAR ? 0 : 2;
		bad |= !kept && prctl(PR_CAPBSET_READ, all[i]) == 1 ? 4 : 0;
	}
	bad |= prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : 8;
	cap_free(set);
	return bad;
}

static void test_reading(void **state)
{
	(void)state;
	if (geteuid() || !is_admin())
		skip_because("needs root");
	for (int loads = 0; loads < 2; loads++) {
		pid_t pid = fork();
		int status;

		assert_true(pid >= 0);
		if (!pid)
			_exit(reading(loads));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
}

/* In a child, because dropped capabilities cannot be regained. Exit status: a bit for each broken expectation. */
static int unprivileged(void)
{
	struct err e = { 0 };
	int bad = 0;

	if (setresuid(65534, 65534, 65534))
		return 64;
	bad |= caps_bpf() ? 1 : 0;
	err_set(&e, -EPERM, "no");
	caps_explain(&e);
	bad |= strstr(e.hint, "CAP_SYS_ADMIN") ? 0 : 2;
	return bad;
}

static void test_unprivileged(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	if (geteuid() || !is_admin())
		skip_because("needs root");
	assert_true(caps_bpf());
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(unprivileged());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Capabilities that a child lacks, and a word of its hint. Exit status 0: the hint has the word; 77: not possible here.
 */
static int without_admin(void)
{
	cap_t c = cap_get_proc();
	cap_value_t admin = CAP_SYS_ADMIN;

	return cap_set_flag(c, CAP_EFFECTIVE, 1, &admin, CAP_CLEAR) || cap_set_proc(c) ? 77 : 0;
}

static int with_bpf_alone(void)
{
	const cap_value_t lost[] = { CAP_SYS_ADMIN, 38 }; /* CAP_PERFMON */
	cap_t c = cap_get_proc();

	return cap_set_flag(c, CAP_EFFECTIVE, 2, lost, CAP_CLEAR) || cap_set_proc(c) ? 77 : 0;
}

static int in_namespace(void)
{
	return unshare(CLONE_NEWUSER) ? 77 : 0;
}

static int filtered(void)
{
	struct sock_filter allow = { .code = BPF_RET | BPF_K, .k = SECCOMP_RET_ALLOW };
	struct sock_fprog prog = { 1, &allow };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0) ? 77 : 0;
}

static int refused(int (*lose)(void), const char *word)
{
	struct err e = { 0 };
	int err = lose();

	if (err)
		return err;
	err_set(&e, -EPERM, "no");
	caps_explain(&e);
	return strstr(e.hint, word) ? 0 : 1;
}

static void test_reasons(void **state)
{
	static const struct {
		int (*lose)(void);
		const char *word;
	} reasons[] = {
		{ without_admin, "CAP_BPF and CAP_PERFMON are not enough" },
		{ with_bpf_alone, "CAP_BPF alone is not enough" },
		{ in_namespace, "user namespace" },
		{ filtered, "seccomp" },
	};

	(void)state;
	if (geteuid() || !is_admin())
		skip_because("needs root");
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		pid_t pid = fork();
		int status;

		assert_true(pid >= 0);
		if (!pid)
			_exit(refused(reasons[i].lose, reasons[i].word));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (status == 77 << 8)
			print_message("cannot be had here: %s\n", reasons[i].word);
		else if (status)
			fail_msg("no hint has the words: %s", reasons[i].word);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_refusals), cmocka_unit_test(test_says_something),
		cmocka_unit_test(test_unprivileged),  cmocka_unit_test(test_dropped),
		cmocka_unit_test(test_reading),	      cmocka_unit_test(test_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
