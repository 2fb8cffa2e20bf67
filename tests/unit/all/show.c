/* SPDX-License-Identifier: BSD-2-Clause */
#include "../cli/lab.h"
#include "cli/parse/parse.h"

static struct lab l;

/* show or list of the test's own kind; the words after the verb. */
static const char *run(struct globals opts, const struct command *c, const char *line)
{
	const char *argv[16];
	char *text, *p, *save;
	void *values;
	int argc = 0;

	lab_start(&l, opts, lab_answers);
	text = arena_fmt(l.env.keep, "%s", line);
	for (p = strtok_r(text, " ", &save); p; p = strtok_r(NULL, " ", &save))
		argv[argc++] = p;
	values = arena_alloc(l.env.keep, c->opts_size);
	lab_asked = 0;
	l.env.command = c;
	if (!command_parse(c, &lab_kind, false, argc, argv, l.env.keep, values, &l.e))
		c->run(&l.env, values, &l.e);
	return out_cstr(&l.out);
}

static void done(void)
{
	l.e = (struct err){ 0 };
	lab_end(&l);
}

static void test_all(void **state)
{
	(void)state;
	assert_string_equal(
		run((struct globals){ .json = true }, &command_show, ""),
		"[{\"id\":1,\"type\":\"green\",\"name\":\"one\"},{\"id\":2,\"type\":\"red\",\"name\":\"same\"},"
		"{\"id\":5,\"type\":\"green\",\"name\":null},{\"id\":6,\"type\":\"red\",\"name\":\"same\"},"
		"{\"id\":7,\"type\":\"green\",\"name\":\"a_very_long_na\"}]");
	assert_int_equal(l.e.code, 0);
	assert_int_equal(l.env.report->unread, 2);
	assert_string_equal(l.env.report->unread_why, "thing 4: cannot open: Operation not permitted");
	assert_int_equal(lab_asked & NEED_PINS, 0);
	done();
}

static void test_some(void **state)
{
	static const struct {
		const char *line, *says;
	} cases[] = {
		{ "id 2", "{\"id\":2,\"type\":\"red\",\"name\":\"same\"}" },
		{ "tag 0000000000000002", "{\"id\":2,\"type\":\"red\",\"name\":\"same\"}" },
		{ "name same",
		  "[{\"id\":2,\"type\":\"red\",\"name\":\"same\"},{\"id\":6,\"type\":\"red\",\"name\":\"same\"}]" },
		{ "name same --sort -id -Q id>2", "[{\"id\":6,\"type\":\"red\",\"name\":\"same\"}]" },
		{ "--filter=id==1000", "[]" },
		{ "2", "{\"id\":2,\"type\":\"red\",\"name\":\"same\"}" },
		/* Several objects are a list, each once, in the order of ids. */
		{ "7 id 2",
		  "[{\"id\":2,\"type\":\"red\",\"name\":\"same\"},{\"id\":7,\"type\":\"green\",\"name\":\"a_very_long_na\"}]" },
		{ "same 2 /p/two",
		  "[{\"id\":2,\"type\":\"red\",\"name\":\"same\"},{\"id\":6,\"type\":\"red\",\"name\":\"same\"}]" },
		{ "2 2", "[{\"id\":2,\"type\":\"red\",\"name\":\"same\"}]" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_string_equal(run((struct globals){ .json = true }, &command_show, cases[i].line), cases[i].says);
		assert_int_equal(l.e.code, 0);
		done();
	}
}

/* Existing objects are printed; missing ones are reported. */
static void test_missing(void **state)
{
	static const struct {
		const char *line, *prints, *says;
	} cases[] = {
		{ "2 3 99", "[{\"id\":2,\"type\":\"red\",\"name\":\"same\"}]",
		  "no thing with id 3 (there is a program 3); no thing with id 99" },
		{ "/p/none 2 99 --sort id", "[{\"id\":2,\"type\":\"red\",\"name\":\"same\"}]",
		  "/p/none: no such pin; no thing with id 99" },
		{ "/p/none /p/gone", "", "/p/none: no such pin; /p/gone: no such pin in this archive" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_string_equal(run((struct globals){ .json = true }, &command_show, cases[i].line),
				    cases[i].prints);
		assert_string_equal(l.e.msg, cases[i].says);
		assert_int_equal(err_exit_status(&l.e), EXIT_NOT_FOUND);
		done();
	}
	run((struct globals){ .json = true }, &command_show, "2 /p/nine");
	assert_string_equal(l.e.msg, "/p/nine is a map, not a thing");
	done();
	/* A refused object of several is counted, as in a list. */
	run((struct globals){ .json = true }, &command_show, "2 4");
	assert_true(!l.e.code && l.env.report->unread == 1);
	done();
}

static void test_failures(void **state)
{
	static const struct {
		const char *line, *says;
		int status;
	} cases[] = {
		{ "id 3", "no thing with id 3 (there is a program 3)", EXIT_NOT_FOUND },
		{ "id 99", "no thing with id 99", EXIT_NOT_FOUND },
		{ "id 4", "thing 4: cannot open: Operation not permitted", EXIT_PERMISSION },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_string_equal(run((struct globals){ .json = true }, &command_show, cases[i].line), "");
		assert_string_equal(l.e.msg, cases[i].says);
		assert_int_equal(err_exit_status(&l.e), cases[i].status);
		done();
	}
	run((struct globals){ 0 }, &command_list, "-o id,nmae");
	assert_int_equal(err_exit_status(&l.e), EXIT_USAGE);
	done();
}

static void test_pins(void **state)
{
	(void)state;
	assert_string_equal(run((struct globals){ .json = true, .show_pins = true }, &command_show, "id 1"),
			    "{\"id\":1,\"type\":\"green\",\"name\":\"one\",\"pinned\":\"/pin\"}");
	done();
	run((struct globals){ .json = true }, &command_list, "-o id,pinned id 1");
	assert_int_equal(lab_asked, NEED_PINS);
	done();
	run((struct globals){ 0 }, &command_list, "id 1");
	assert_int_equal(lab_asked, 0);
	done();
	/* For programs, list prints the same as show. */
	assert_string_equal(run((struct globals){ .json = true, .show_pins = true }, &command_list, "id 1"),
			    "{\"id\":1,\"type\":\"green\",\"name\":\"one\",\"pinned\":\"/pin\"}");
	assert_int_equal(lab_asked, NEED_PINS);
	done();
	assert_string_equal(run((struct globals){ .json = true, .ndjson = true }, &command_list, "id 1 --sort -pinned"),
			    "{\"id\":1,\"type\":\"green\",\"name\":\"one\"}\n");
	done();
}

static void test_list(void **state)
{
	(void)state;
	assert_string_equal(run((struct globals){ .json = true }, &command_list, "-o id --sort -type -Q id<6"),
			    "[{\"id\":2},{\"id\":1},{\"id\":5}]");
	done();
	assert_string_equal(run((struct globals){ 0 }, &command_list, "-o id --noheadings -Q type==red"), "2\n6\n");
	done();
	assert_string_equal(run((struct globals){ .json = true, .ndjson = true }, &command_list, "-o id -Q id<3"),
			    "{\"id\":1}\n{\"id\":2}\n");
	assert_true(l.env.report->streamed);
	done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),	 cmocka_unit_test(test_some), cmocka_unit_test(test_missing),
		cmocka_unit_test(test_failures), cmocka_unit_test(test_pins), cmocka_unit_test(test_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
