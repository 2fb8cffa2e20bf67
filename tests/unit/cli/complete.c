/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab.h"

#include "cli/complete.h"

/*
 * Candidates for a line; the word after the last blank is completed. Objects come from an archive or the kernel, which
 * the other tests cover: this tests the words from the tables.
 */
static const char *complete(struct lab *l, const char *line)
{
	const char *argv[16] = { "__complete" };
	char *text, *p, *blank;
	int argc = 1;

	lab_start(l, (struct globals){ 0 }, lab_answers);
	text = arena_fmt(l->env.keep, "%s", line);
	for (p = text; p; p = blank ? blank + 1 : NULL) {
		blank = strchr(p, ' ');
		if (blank)
			*blank = '\0';
		argv[argc++] = p;
	}
	assert_int_equal(command_main(&l->env, argc, argv, &l->e), 0);
	return out_cstr(&l->out);
}

static void test_lines(void **state)
{
	/* clang-format off */
	static const struct { const char *line, *has, *hasnt; } cases[] = {
		{ "", "prog\tprograms\n", "__complete" }, { "pr", "prog\t", "map\t" }, { "prog ", "show\t", "opcodes" },
		{ "prog show ", "id\ntag\nname\npinned\n", "--sort" }, { "prog show i", "id\n", "tag" }, { "prog d", "dump\t", "show" },
		{ "prog dump ", "xlated\n", "opcodes" }, { "prog dump j", "jited\n", "xlated" }, { "prog dump xlated id 1 ", "opcodes\t", "xlated" },
		{ "prog dump xlated id 1 opcodes ", "linum\t", "opcodes" }, { "prog dump xlated id 1 file ", ":files\n", "linum" },
		{ "prog list --", "--columns\t", "-o" }, { "prog list --sort -", "-bytes_xlated\t", "--sort" },
		{ "prog list -o id,bytes_x", "id,bytes_xlated\t", "name" }, { "prog list -o +ta", "+tag\t", "id" },
		{ "-j prog -f list -o id --s", "--sort\t", "--columns" }, { "--color a", "auto\nalways\n", "never" },
		{ "--from ", ":files\n", "prog" }, { "--fr", "--from\t", "--json" }, { "help ", "prog\t", "show" },
		{ "help prog ", "dump\t", "map" }, { "batch ", "file\t", ":files" }, { "batch file ", ":files\n", "file\t" },
		{ "save ", ":files\n", "prog" }, { "link p", "pin\t", "unpin" }, { "prog show id x ", "", "i" },
		{ "bogus ", "", "s" }, { "prog show id 5 --fi", "--filter\t", "--from" }, { "__doc ", "", "m" },
		{ "prog list --sort=bytes_x", "--sort=bytes_xlated\t", "=name" }, { "prog list --sort=-ta", "--sort=-tag\t", "=tag" },
		{ "map list --columns=id,na", "--columns=id,name\t", "type" }, { "--color=a", "--color=auto\n--color=always\n", "never" },
		{ "prog list --color=n", "--color=never\n", "auto" }, { "prog --from=", ":files\n", "prog" },
		{ "prog list --json=", "", "-" }, { "prog list --bogus=", "", "-" }, { "prog list --sort id --sort=", "", "-" },
		{ "prog list --noheadings=", "", "-" },
		{ "prog pin id 5 /x extra ", "", "i" }, { "prog show id 5 ", "id\ntag\n", "--sort" }, { "prog pin foo ", ":files\n", "id" },
		{ "map update flows ", "key\t", "id" }, { "map update 5 key ", "hex\t", "id" }, { "map dump 5 flows n", "name\n", "pinned" },
		{ "btf find member x from a.o --fi", "--filter\t", "file" },
	};
	/* clang-format on */
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct lab l;
		const char *got = complete(&l, cases[i].line);

		if (!strstr(got, cases[i].has) || (*cases[i].hasnt && strstr(got, cases[i].hasnt)))
			fail_msg("'%s' is completed with\n%s", cases[i].line, got);
		lab_end(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_lines) };

	(void)lab_asked;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
