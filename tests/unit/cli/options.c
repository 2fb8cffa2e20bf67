/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <string.h>

#include "base/base.h"
#include "cli/options.h"

#define MAX 16

/* Parses a line, split at blanks; returns the remaining words, joined. */
static int parse(const char *line, struct globals *g, struct options_rest *rest, char *left, size_t size, struct err *e)
{
	static char text[256];
	static const char *words[MAX], *argv[MAX];
	int argc = 0, err, i;
	char *p;

	snprintf(text, sizeof(text), "%s", line);
	for (p = strtok(text, " "); p && argc < MAX; p = strtok(NULL, " "))
		argv[argc++] = p;
	*rest = (struct options_rest){ .word = words };
	err = options_parse(g, argc, argv, rest, e);
	left[0] = '\0';
	for (i = 0; i < rest->n; i++)
		snprintf(left + strlen(left), size - strlen(left), "%s%s", i ? " " : "", words[i]);
	return err;
}

static void test_left(void **state)
{
	static const struct {
		const char *line, *left;
	} cases[] = {
		{ "prog show", "prog show" },
		{ "-j prog -p show -f", "prog show" },
		{ "prog list -o id,name", "prog list -o id,name" },
		{ "prog list --sort -name", "prog list --sort -name" },
		{ "prog list --sort -BYTES_JITED", "prog list --sort -BYTES_JITED" },
		{ "prog list --sort -pid -j", "prog list --sort -pid" },
		{ "-jp prog", "prog" },
		{ "-jx prog", "-jx prog" },
		{ "--js prog", "prog" },
		{ "--from F prog", "prog" },
		{ "--from=F prog", "prog" },
		{ "--fr F prog", "prog" },
		{ "--ma --mapc prog", "prog" },
		{ "events --map 5", "events --map 5" },
		{ "-BF prog", "prog" },
		{ "-jB F prog", "prog" },
		{ "prog pin -- -j", "prog pin -- -j" },
		{ "-- prog", "prog" },
		{ "batch file -", "batch file -" },
		{ "__complete -j prog --from", "__complete -j prog --from" },
		{ "-j __complete -p", "__complete -p" },
		{ "prog __complete -j", "prog __complete" },
		{ "--bogus", "--bogus" },
		{ "top -b -n 3 -j", "top -b -n 3" },
		{ "-n top -d", "top" },
		{ "record -a", "record -a" },
		{ "prog list --columns id", "prog list --columns id" },
		{ "", "" },
	};
	char left[256];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct globals g = { 0 };
		struct options_rest rest;
		struct err e = { 0 };

		assert_int_equal(parse(cases[i].line, &g, &rest, left, sizeof(left), &e), 0);
		assert_string_equal(left, cases[i].left);
		assert_null(rest.wants);
	}
}

static void test_values(void **state)
{
	struct globals g = { 0 };
	struct options_rest rest;
	struct err e = { 0 };
	char left[256];

	(void)state;
	assert_int_equal(parse("-np --from=a=b --color never -Bx -fd --no-pager", &g, &rest, left, sizeof(left), &e),
			 0);
	assert_true(g.json && g.pretty && g.nomount && g.show_pins && g.debug && g.no_pager);
	assert_false(g.ndjson || g.mapcompat || g.help || g.version);
	assert_string_equal(g.from, "a=b");
	assert_string_equal(g.base_btf, "x");
	assert_string_equal(g.color, "never");
	g = (struct globals){ 0 };
	assert_true(parse("-p --color x", &g, &rest, left, sizeof(left), &e) < 0);
	assert_true(g.json);
	e = (struct err){ 0 };
	g = (struct globals){ 0 };
	assert_int_equal(parse("--ndjson -hV", &g, &rest, left, sizeof(left), &e), 0);
	assert_true(g.json && g.ndjson && g.help && g.version && !g.pretty);
}

static void test_refuse(void **state)
{
	static const struct {
		const char *line, *says;
		bool wants;
	} cases[] = {
		{ "prog --from", "option '--from' needs FILE", true },
		{ "-jB", "option '--base-btf' needs FILE", true },
		{ "--color", "option '--color' needs WHEN", true },
		{ "--color sometimes", "--color is auto, always or never, not 'sometimes'", false },
		{ "--from=", "--from: the name is empty", false },
		{ "--json=1", "option '--json' takes no argument", false },
		{ "--no", "option '--no' is ambiguous: --nomount, --no-load, --no-pager", false },
	};
	char left[256];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct globals g = { 0 };
		struct options_rest rest;
		struct err e = { 0 };

		assert_true(parse(cases[i].line, &g, &rest, left, sizeof(left), &e) < 0);
		assert_string_equal(e.msg, cases[i].says);
		assert_int_equal(err_exit_status(&e), EXIT_USAGE);
		assert_int_equal(!!rest.wants, cases[i].wants);
	}
}

static void test_table(void **state)
{
	const struct option *a, *b;

	(void)state;
	for (a = global_options; a->name; a++) {
		assert_non_null(a->help);
		assert_true(strlen(a->help) > 3 && a->help[strlen(a->help) - 1] != '.');
		for (b = a + 1; b->name; b++) {
			assert_string_not_equal(a->name, b->name);
			assert_true(!a->letter || a->letter != b->letter);
			assert_int_not_equal(a->off, b->off);
		}
	}
	assert_string_equal(options_find("-j")->name, "json");
	assert_string_equal(options_find("--from=x")->name, "from");
	assert_null(options_find("-"));
	assert_null(options_find("--"));
	assert_null(options_find("-o"));
	assert_null(options_find("prog"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_left),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_refuse),
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
