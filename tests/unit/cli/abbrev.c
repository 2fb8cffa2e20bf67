/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "cli/abbrev.h"

static const struct word words[] = {
	{ "help", false }, { "batch", false }, { "prog", false }, { "perf", false }, { "pin", true },
	{ "plan", true },  { "map", false },   { "save", true },  { "graph", true }, { "__complete", true },
};

static int pick(const char *typed, struct err *e)
{
	return abbrev_pick(words, ARRAY_SIZE(words), typed, "object", e);
}

static void test_pick(void **state)
{
	static const struct {
		const char *typed;
		const char *means;
	} cases[] = {
		{ "prog", "prog" }, { "p", "prog" },
		{ "pe", "perf" },   { "b", "batch" },
		{ "", "help" },	    { "sa", "save" },
		{ "gr", "graph" },  { "pi", "pin" },
		{ "pin", "pin" },   { "__complete", "__complete" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = { 0 };
		int found = pick(cases[i].typed, &e);

		assert_true(found >= 0);
		assert_string_equal(words[found].name, cases[i].means);
		assert_int_equal(e.code, 0);
	}
}

static void test_refuse(void **state)
{
	static const struct {
		const char *typed;
		const char *says;
	} cases[] = {
		{ "porg", "unknown object 'porg'; did you mean 'prog'?" },
		{ "_", "unknown object '_'" },
		{ "__comp", "unknown object '__comp'" },
		{ "progs", "unknown object 'progs'; did you mean 'prog'?" },
		{ "zzzzzz", "unknown object 'zzzzzz'" },
		{ "s", "unknown object 's'; did you mean 'save'?" },
		{ "saev", "unknown object 'saev'; did you mean 'save'?" },
		{ "peer", "unknown object 'peer'; did you mean 'perf'?" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = { 0 };

		assert_true(pick(cases[i].typed, &e) < 0);
		assert_string_equal(e.msg, cases[i].says);
		assert_int_equal(err_exit_status(&e), EXIT_USAGE);
	}
}

static void test_ambiguous(void **state)
{
	static const struct word ours[] = { { "place", true }, { "plan", true }, { "__pl", true } };
	struct err e = { 0 }, one = { 0 };

	(void)state;
	assert_true(abbrev_pick(ours, ARRAY_SIZE(ours), "p", "object", &one) < 0);
	assert_string_equal(one.msg, "unknown object 'p'; did you mean one of place, plan?");
	assert_true(abbrev_pick(ours, ARRAY_SIZE(ours), "pl", "object", &e) < 0);
	assert_string_equal(e.msg, "'pl' is ambiguous: place, plan");
}

static void test_long(void **state)
{
	char typed[5000];
	struct err e = { 0 };

	(void)state;
	memset(typed, 'p', sizeof(typed) - 1);
	typed[sizeof(typed) - 1] = '\0';
	assert_true(pick(typed, &e) < 0);
	assert_null(abbrev_nearest(words, ARRAY_SIZE(words), typed));
	assert_string_equal(abbrev_nearest(words, ARRAY_SIZE(words), "hlep"), "help");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pick),
		cmocka_unit_test(test_refuse),
		cmocka_unit_test(test_ambiguous),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
