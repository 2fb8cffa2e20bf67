/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab.h"

#include "cli/parse/arg.h"

/* Runs a line on the fake source; returns the text on standard output. */
static const char *run(struct lab *l, struct globals opts, const char *line)
{
	const char *argv[16];
	char *text, *p, *save;
	int argc = 0;

	lab_start(l, opts, lab_answers);
	text = arena_fmt(l->env.keep, "%s", line);
	for (p = strtok_r(text, " ", &save); p; p = strtok_r(NULL, " ", &save))
		argv[argc++] = p;
	command_main(&l->env, argc, argv, &l->e);
	return out_cstr(&l->out);
}

static void done(struct lab *l)
{
	l->e = (struct err){ 0 };
	lab_end(l);
}

static void test_find(void **state)
{
	static const struct {
		const char *words[3];
		int n;
		const char *group, *command;
		int used;
	} cases[] = {
		{ { "prog" }, 1, "prog", "show", 1 },	     { { "p", "s" }, 2, "prog", "show", 2 },
		{ { "b" }, 1, "batch", "batch", 1 },	     { { "bt" }, 1, "btf", "show", 1 },
		{ { "prog", "p" }, 2, "prog", "pin", 2 },    { { "prog", "d" }, 2, "prog", "dump", 2 },
		{ { "prog", "l" }, 2, "prog", "list", 2 },   { { "prog", "un" }, 2, "prog", "unpin", 2 },
		{ { "m", "-Q", "x" }, 3, "map", "show", 1 }, { { "h" }, 1, "help", "help", 1 },
		{ { "v" }, 1, "version", "version", 1 },     { { "pin" }, 1, "pin", "list", 1 },
		{ { "pin", "help" }, 2, "pin", "help", 2 },  { { "l" }, 1, "link", "show", 1 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = { 0 };
		const struct group *g = NULL;
		const struct command *c;
		int used = -1;

		c = command_find(cases[i].n, cases[i].words, &g, &used, &e);
		assert_non_null(c);
		assert_string_equal(g->name, cases[i].group);
		assert_string_equal(c->name, cases[i].command);
		assert_int_equal(used, cases[i].used);
	}
}

static void test_options(void **state)
{
	static const struct {
		const char *words[5];
		int n, want;
	} cases[] = {
		{ { "prog" }, 1, 0 },
		{ { "-L", "prog", "load" }, 3, 1 },
		{ { "--sort", "id", "prog" }, 3, 2 },
		{ { "--sort=id", "prog" }, 2, 1 },
		{ { "--sort", "id", "-L", "prog" }, 4, 3 },
		{ { "--sort" }, 1, 1 },
		{ { "--watch", "prog" }, 2, 1 },
		{ { "-Z", "prog" }, 2, -EINVAL },
		{ { "-", "prog" }, 2, -EINVAL },
	};
	struct lab l;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = { 0 };

		assert_int_equal(command_options(cases[i].n, cases[i].words, &e), cases[i].want);
		assert_int_equal(e.status == EXIT_USAGE, cases[i].want < 0);
	}
	assert_string_equal(run(&l, (struct globals){ .json = true }, "-o id link list"), "[]");
	done(&l);
	run(&l, (struct globals){ 0 }, "--sort bogus link list");
	assert_true(strstr(l.e.msg, "bogus"));
	done(&l);
	run(&l, (struct globals){ 0 }, "-L link list");
	assert_string_equal(l.e.msg, "unknown option '-L'");
	done(&l);
	run(&l, (struct globals){ 0 }, "--nohaedings link list");
	assert_string_equal(l.e.hint, "did you mean --noheadings?");
	done(&l);
	run(&l, (struct globals){ 0 }, "link list --nohaedings");
	assert_string_equal(l.e.hint, "did you mean --noheadings?");
	done(&l);
	run(&l, (struct globals){ 0 }, "attach --lst");
	assert_non_null(strstr(l.e.hint, "--list"));
	done(&l);
}

/* A word that follows is no value, unless it is a number. */
static bool alone(const struct arg *a)
{
	return a->type == ARG_FLAG || a->flags & ARG_OPTIONAL;
}

/* Before the command is known: it must not decide whether a word is the value of the one before. */
static void same_options(const struct arg *a)
{
	const struct command *c;

	for (const struct group *g = groups; g->name; g++)
		for (size_t i = 0; (c = group_command(g, i)); i++)
			for (size_t k = 0; k < c->nargs; k++)
				if (c->args[k].name &&
				    (!strcmp(a->name, c->args[k].name) ||
				     (a->alias && c->args[k].alias && !strcmp(a->alias, c->args[k].alias))))
					assert_int_equal(alone(a), alone(&c->args[k]));
}

static void test_json(void **state)
{
	static const struct {
		const char *line, *says;
		int status;
		bool told;
	} cases[] = {
		{ "help", "null", 0, false },
		{ "link show", "[]", 0, false },
		{ "map show", "{\"error\":\"cannot list maps: Operation not permitted\",\"errno\":\"EPERM\"}", 4,
		  true },
		{ "map", "{\"error\":\"cannot list maps: Operation not permitted\",\"errno\":\"EPERM\"}", 4, true },
		{ "prog shwo",
		  "{\"error\":\"unknown command 'shwo'; did you mean 'show'?\","
		  "\"hint\":\"'bpflens prog help' lists the commands\"}",
		  2, true },
		{ "prog list sort id",
		  "{\"error\":\"'id' needs a value: N\",\"hint\":\"`bpflens prog list --sort id`\"}", 2, true },
		{ "prog stats interval 2 count 1",
		  "{\"error\":\"unexpected argument '1'\",\"hint\":\"`bpflens prog stats interval 2 --count 1`\"}", 2,
		  true },
		{ "prog list filter name==a;b sort id",
		  "{\"error\":\"'id' needs a value: N\",\"hint\":\"`bpflens prog list --filter 'name==a;b' --sort id`\"}",
		  2, true },
		{ "link pin id 1 /x",
		  "{\"error\":\"'pin' changes the system: it cannot be used with --from\","
		  "\"hint\":\"without --from and BPFLENS_FROM it changes the running system\"}",
		  2, true },
	};
	struct lab l;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_string_equal(run(&l, (struct globals){ .json = true, .from = "x" }, cases[i].line),
				    cases[i].says);
		assert_int_equal(err_exit_status(&l.e), cases[i].status);
		assert_int_equal(l.env.report->in_document, cases[i].told);
		done(&l);
	}
}

static void test_plain(void **state)
{
	struct lab l;

	(void)state;
	assert_string_equal(run(&l, (struct globals){ .from = "x" }, "map show"), "");
	assert_string_equal(l.e.msg, "cannot list maps: Operation not permitted");
	assert_false(l.env.report->in_document);
	done(&l);
	run(&l, (struct globals){ 0 }, "link list --bogus");
	assert_string_equal(l.e.msg, "unknown option '--bogus'");
	assert_true(strstr(l.e.hint, "usage: bpflens link list [LINK]"));
	done(&l);
	run(&l, (struct globals){ 0 }, "--bogus");
	assert_string_equal(l.e.msg, "unknown option '--bogus'");
	done(&l);
	/* Under the name bpftool, list is show: no line with headings. */
	assert_string_equal(run(&l, (struct globals){ .as_bpftool = true }, "link list"), "");
	done(&l);
	assert_non_null(
		strstr(run(&l, (struct globals){ .help = true }, "prog list id 5"), "Usage: bpflens prog list [PROG]"));
	done(&l);
	assert_non_null(strstr(run(&l, (struct globals){ 0 }, ""), "\n  OBJECT  see     prog map link "));
	done(&l);
	assert_non_null(strstr(run(&l, (struct globals){ .as_bpftool = true }, ""),
			       "OBJECT := { prog | map | link | cgroup | net | perf | feature | btf | gen | "));
	done(&l);
	assert_string_equal(run(&l, (struct globals){ .json = true, .ndjson = true, .from = "x" }, "link show"), "");
	done(&l);
}

/* Rows of files that are written, but for those of bpftool that may be the input. */
static bool is_output(const struct arg *a)
{
	static const char *const words[] = { "output file", "to write", "write the" };

	if (a->type != ARG_PATH || !strcmp(a->name, "data_out") || !strcmp(a->name, "ctx_out"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(a->help, words[i]))
			return true;
	return false;
}

static void test_tables(void **state)
{
	const struct group *g;
	const struct command *c;
	size_t i, j;

	(void)state;
	for (g = groups; g->name; g++) {
		assert_true(g->raw || g->help);
		for (i = 0; (c = group_command(g, i)); i++) {
			assert_non_null(c->summary);
			assert_true(!c->run != !c->collect);
			assert_true(c->nargs <= 32);
			for (j = 0; j < c->nargs; j++) {
				const struct arg *a = &c->args[j];

				assert_non_null(a->help);
				assert_true(a->name || a->type == ARG_OBJECT);
				if (arg_is_option(a))
					same_options(a);
				assert_true(a->off < c->opts_size);
				assert_true(a->type != ARG_WORD || a->words);
				if (a->output != is_output(a))
					fail_msg("%s %s: is %s an output?", g->name, c->name, a->name);
				assert_true(a->type != ARG_REST || j + 1 == c->nargs || arg_is_option(&c->args[j + 1]));
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),  cmocka_unit_test(test_options), cmocka_unit_test(test_json),
		cmocka_unit_test(test_plain), cmocka_unit_test(test_tables),
	};

	(void)lab_asked;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
