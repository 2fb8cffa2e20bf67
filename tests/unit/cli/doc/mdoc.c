/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <string.h>

#include "base/base.h"
#include "cli/command.h"
#include "cli/doc/mdoc.h"

static void test_text(void **state)
{
	static const struct {
		const char *text, *lines, *args;
	} cases[] = {
		{ "plain text", "plain text\n", " plain text" },
		{ ".Sh no", "\\&.Sh no\n", " \\&.Sh \\&no" },
		{ "'tis", "\\&'tis\n", " \\&'tis" },
		{ "a\\b", "a\\eb\n", " \\&a\\eb" },
		{ "First. Second.", "First.\nSecond.\n", " First. Second." },
		{ "End. .x", "End.\n\\&.x\n", " End. \\&.x" },
		{ "say \"it\"", "say \"it\"\n", " \\&say \\&\\(dqit\\(dq" },
		{ "[-]COL", "[-]COL\n", " \\&[-]COL" },
		{ "{a|bc|d}", "{a|bc|d}\n", " \\&{a|\\:bc|\\:d}" },
		{ "", "\n", "" },
		{ "-columns", "-columns\n", " \\&-columns" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct out o;

		out_init(&o, -1);
		mdoc_text(&o, cases[i].text);
		assert_string_equal(out_cstr(&o), cases[i].lines);
		o.n = 0;
		mdoc_args(&o, cases[i].text);
		assert_string_equal(out_cstr(&o), cases[i].args);
		out_close(&o, NULL);
	}
}

static void test_args(void **state)
{
	static const struct {
		struct arg arg;
		const char *says;
	} cases[] = {
		{ { .name = "PATH", .type = ARG_PATH, .flags = ARG_POSITIONAL }, "Ar PATH" },
		{ { .name = "PATH", .type = ARG_REST }, "Ar PATH ..." },
		{ { .name = "opcodes", .type = ARG_FLAG }, "Cm opcodes" },
		{ { .name = "file", .metavar = "FILE", .type = ARG_PATH }, "Cm file Ar FILE" },
		{ { .name = "--sort", .alias = "-s", .metavar = "COL", .type = ARG_STR },
		  "Fl s | Fl \\&-sort Ar \\&COL" },
	};
	ARENA a = arena_new();
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct out o;

		out_init(&o, -1);
		mdoc_arg(&o, &cases[i].arg, NULL, a);
		assert_string_equal(out_cstr(&o), cases[i].says);
		out_close(&o, NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_args),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
