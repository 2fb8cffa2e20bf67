/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"

static void first_failure_wins(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(err_set(&e, -ENOENT, "map %d", 7), -ENOENT);
	assert_string_equal(e.msg, "map 7");
	assert_int_equal(err_set(&e, -EPERM, "later"), -ENOENT);
	assert_int_equal(err_sys(&e, -EPERM, "later"), -ENOENT);
	assert_int_equal(err_usage(&e, "later"), -ENOENT);
	assert_string_equal(e.msg, "map 7");
	assert_int_equal(e.status, 0);
}

static void null_error_gives_code(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, -EIO, "x"), -EIO);
	assert_int_equal(err_sys(NULL, -EIO, "x"), -EIO);
	assert_int_equal(err_usage(NULL, "x"), -EINVAL);
}

static void hint_words_are_quoted(void **state)
{
	static const struct {
		const char *word, *hint;
	} cases[] = {
		{ "/a", "`unpin -r /a` removes it" },
		{ "a;reboot", "`unpin -r 'a;reboot'` removes it" },
		{ "a\033", "`unpin -r \"$(printf 'a\\033')\"` removes it" },
		{ "-f", "" },
		{ "ends\n", "" },
	};
	char longest[sizeof(((struct err *)0)->hint)];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = { .code = -EPERM };

		assert_int_equal(err_hint_word(&e, "`unpin -r ", cases[i].word, "` removes it"), -EPERM);
		assert_string_equal(e.hint, cases[i].hint);
	}
	memset(longest, 'x', sizeof(longest));
	for (size_t n = 990; n <= 1010; n++) {
		struct err e = { .code = -EPERM };

		longest[n] = '\0';
		err_hint_word(&e, "`unpin -r ", longest, "` removes it");
		longest[n] = 'x';
		assert_true(!*e.hint || strstr(e.hint, "x` removes it"));
		assert_int_equal(!*e.hint, n > 1001);
	}
	assert_int_equal(err_hint_word(NULL, "", "x", ""), -EIO);
}

static void failure_is_never_success(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(err_set(&e, EPERM, "x"), -EPERM);
	err_clear(&e);
	assert_true(err_set(&e, 0, "x") < 0);
	assert_true(err_set(NULL, 0, "x") < 0);
}

static void sys_adds_the_reason(void **state)
{
	struct err e = { 0 };

	(void)state;
	err_sys(&e, -EPERM, "link %u", 12u);
	assert_string_equal(e.msg, "link 12: Operation not permitted");
	err_clear(&e);
	err_sys(&e, INT32_MIN, "x");
	assert_memory_equal(e.msg, "x: Unknown error", 16);
	err_clear(&e);
	err_sys(&e, -524, "x");
	assert_string_equal(e.msg, "x: Not supported by the kernel");
}

static void in_prepends(void **state)
{
	struct err e = { 0 };
	char longest[600];

	(void)state;
	assert_int_equal(err_in(&e, "nothing"), 0);
	assert_string_equal(e.msg, "");
	err_set(&e, -EIO, "deep");
	assert_int_equal(err_in(&e, "prog %d", 3), -EIO);
	assert_string_equal(e.msg, "prog 3: deep");
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	err_in(&e, "%s", longest);
	assert_string_equal(e.msg + strlen(e.msg) - strlen("...: prog 3: deep"), "...: prog 3: deep");
	err_clear(&e);
	err_set(&e, -EIO, "%s", longest);
	err_in(&e, "head");
	assert_string_equal(e.msg + strlen(e.msg) - 4, "a...");
	assert_memory_equal(e.msg, "head: aaa", 9);
	err_clear(&e);
	err_sys(&e, -EIO, "%s", longest);
	assert_string_equal(e.msg + strlen(e.msg) - strlen("aaa...: Input/output error"), "aaa...: Input/output error");
}

static void hint_stays(void **state)
{
	struct err e = { 0 };

	(void)state;
	err_set(&e, -EPERM, "x");
	assert_int_equal(err_hint(&e, "run as %s", "root"), -EPERM);
	err_hint(&e, "other");
	assert_string_equal(e.hint, "run as root");
	err_clear(&e);
	assert_string_equal(e.hint, "");
	assert_int_equal(e.code, 0);
}

static void without_a_place_it_stays_a_failure(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, -EPERM, "x"), -EPERM);
	assert_true(err_hint(NULL, "run as root") < 0);
	assert_true(err_in(NULL, "prog 3") < 0);
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(err_name(EPERM), "EPERM");
	assert_string_equal(err_name(-EPERM), "EPERM");
	assert_string_equal(err_name(-524), "ENOTSUPP");
	assert_string_equal(err_name(-4000), "unknown errno");
	assert_string_equal(err_name(INT32_MIN), "unknown errno");
}

static void exit_status(void **state)
{
	static const struct {
		int code;
		enum exit_status want;
	} rows[] = {
		{ 0, EXIT_OK },
		{ -ENOENT, EXIT_NOT_FOUND },
		{ -ESRCH, EXIT_NOT_FOUND },
		{ -ENODEV, EXIT_NOT_FOUND },
		{ -EPERM, EXIT_PERMISSION },
		{ -EACCES, EXIT_PERMISSION },
		{ -EINVAL, EXIT_FAILED },
		{ -EIO, EXIT_FAILED },
	};
	struct err e = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		e.code = rows[i].code;
		assert_int_equal(err_exit_status(&e), rows[i].want);
	}
	err_clear(&e);
	err_usage(&e, "what is '%s'?", "x");
	assert_int_equal(err_exit_status(&e), EXIT_USAGE);
	e = (struct err){ .status = EXIT_PARTIAL };
	assert_int_equal(err_exit_status(&e), EXIT_PARTIAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_failure_wins),
		cmocka_unit_test(null_error_gives_code),
		cmocka_unit_test(hint_words_are_quoted),
		cmocka_unit_test(failure_is_never_success),
		cmocka_unit_test(sys_adds_the_reason),
		cmocka_unit_test(in_prepends),
		cmocka_unit_test(hint_stays),
		cmocka_unit_test(without_a_place_it_stays_a_failure),
		cmocka_unit_test(names),
		cmocka_unit_test(exit_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
