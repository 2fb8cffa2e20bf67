/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <string.h>

#include "cli/parse/parse.h"
#include "cli/parse/usage.h"

/* An option whose value may be left out: the next word is the value only if it is a number. */
struct opts {
	struct object_refs objects;
	const char *every;
	bool dry;
};
static const struct arg args[] = {
	ARG(NULL, ARG_OBJECT, struct opts, objects, "objects", .flags = ARG_POSITIONAL | ARG_REPEAT),
	ARG("--every", ARG_STR, struct opts, every, "interval", .metavar = "SECONDS", .flags = ARG_OPTIONAL),
	ARG("--dry-run", ARG_FLAG, struct opts, dry, "nothing"),
};
static const struct command list = { .name = "list", ARGS(args, struct opts) };
static const struct kind prog = { .name = "prog", .selectors = SEL_ID | SEL_NAME };

static void test_optional(void **state)
{
	static const struct {
		const char *line, *every, *object; /* NULL: none */
		bool dry;
	} cases[] = {
		{ "", NULL, NULL, false },
		{ "--every", "", NULL, false },
		{ "--every 0.5", "0.5", NULL, false },
		{ "--every=2 a", "2", "a", false },
		{ "--every= a", "", "a", false },
		{ "--every name a", "", "a", false },
		{ "--every 2 a --dry-run", "2", "a", true },
		{ "--every 1.5x --dry-run", "", "1.5x", true },
		{ "--every --dry-run a", "", "a", true },
		{ "a --every 3", "3", "a", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ARENA a = arena_new();
		char *line = arena_fmt(a, "%s", cases[i].line), *word;
		const char *argv[8];
		struct opts o = { 0 };
		struct err e = { 0 };
		int argc = 0;

		while ((word = strsep(&line, " ")))
			if (*word)
				argv[argc++] = word;
		assert_int_equal(command_parse(&list, &prog, false, argc, argv, a, &o, &e), 0);
		assert_int_equal(o.every != NULL, cases[i].every != NULL);
		if (o.every)
			assert_string_equal(o.every, cases[i].every);
		assert_int_equal(o.objects.n, cases[i].object != NULL);
		if (o.objects.n)
			assert_string_equal(o.objects.v[0].text, cases[i].object);
		assert_int_equal(o.dry, cases[i].dry);
	}
}

static void test_usage(void **state)
{
	const struct group g = { .name = "prog", .kind = &prog };
	ARENA a = arena_new();

	(void)state;
	assert_string_equal(command_usage(&g, &list, a), "prog list [PROG]... [--every [SECONDS]] [--dry-run]");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_optional), cmocka_unit_test(test_usage) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
