/* SPDX-License-Identifier: BSD-2-Clause */
#include "../cli/lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "all/all.h"

static char path[] = "/tmp/bpflens-batch-XXXXXX";

static void write_file(const char *text)
{
	CLEAN_FILE f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
}

/* The batch commands themselves need no source. */
static const char *run(struct lab *l, struct globals opts, const char *text)
{
	const char *argv[] = { "batch", "file", path };

	write_file(text);
	lab_start(l, opts, lab_answers);
	command_main(&l->env, 3, argv, &l->e);
	return out_cstr(&l->out);
}

static void done(struct lab *l)
{
	l->e = (struct err){ 0 };
	lab_end(l);
}

static void test_plain(void **state)
{
	struct lab l;

	(void)state;
	assert_string_equal(run(&l, (struct globals){ 0 }, "# nothing\n\n"), "processed 0 commands\n");
	done(&l);
	assert_non_null(strstr(run(&l, (struct globals){ 0 }, "version\nversion\n"), "processed 2 commands\n"));
	done(&l);
	assert_null(strstr(run(&l, (struct globals){ 0 }, "version\nprog shwo\nversion\n"), "processed"));
	assert_string_equal(l.e.msg, "command 1, line 2: unknown command 'shwo'; did you mean 'show'?");
	assert_int_equal(err_exit_status(&l.e), EXIT_USAGE);
	done(&l);
	run(&l, (struct globals){ 0 }, "-j version\n");
	assert_string_equal(l.e.hint, "options like -j belong on the command line of the batch, not in its file");
	done(&l);
}

#define UNCLOSED "\"hint\":\"a word that begins with ' must end with another one on the same line\""

static void test_json_errors(void **state)
{
	static const struct {
		const char *text, *json;
	} cases[] = {
		{ "version 'x\n",
		  "[{\"command\":[\"version\"],\"output\":{\"error\":\"unterminated quoted string\"," UNCLOSED "}}]" },
		{ "'x\n", "[{\"command\":[],\"output\":{\"error\":\"unterminated quoted string\"," UNCLOSED "}}]" },
		{ "link \\\n", "[{\"command\":[],\"output\":{\"error\":\"missing continuation line\"}}]" },
		{ "link shwo\n",
		  "[{\"command\":[\"link\",\"shwo\"],\"output\":{\"error\":\"unknown command 'shwo'; did you mean "
		  "'show'?\",\"hint\":\"'bpflens link help' lists the commands\"}}]" },
		{ "map list\n",
		  "[{\"command\":[\"map\",\"list\"],\"output\":{\"error\":\"cannot list maps: Operation not "
		  "permitted\",\"errno\":\"EPERM\"}}]" },
		{ "link show id 1\n", "[{\"command\":[\"link\",\"show\",\"id\",\"1\"],\"output\":{\"error\":\"" },
		{ "batch file /\n",
		  "[{\"command\":[\"batch\",\"file\",\"/\"],\"output\":{\"error\":\"cannot read file /: Is a "
		  "directory\",\"errno\":\"EISDIR\"}}]" },
	};
	struct lab l;
	size_t i;

	(void)state;
	for (i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		const char *want = cases[i / 2].json;

		run(&l, (struct globals){ .json = true, .ndjson = i & 1, .from = "x" }, cases[i / 2].text);
		if (strncmp(out_cstr(&l.out), want, strlen(want)))
			fail_msg("%s is answered with\n%s, not\n%s", cases[i / 2].text, out_cstr(&l.out), want);
		assert_true(l.e.code < 0);
		done(&l);
	}
}

static void test_archive(void **state)
{
	struct lab l;

	(void)state;
	/* Every command reads the archive of the batch, which stays open. */
	assert_string_equal(
		run(&l, (struct globals){ .json = true, .from = "x" }, "link show\nlink list\nmap show\nversion\n"),
		"[{\"command\":[\"link\",\"show\"],\"output\":[]},{\"command\":[\"link\",\"list\"],\"output\":[]},"
		"{\"command\":[\"map\",\"show\"],\"output\":{\"error\":\"cannot list maps: Operation not permitted\","
		"\"errno\":\"EPERM\"}}]");
	assert_int_equal(err_exit_status(&l.e), EXIT_PERMISSION);
	assert_false(l.env.report->in_document);
	assert_non_null(l.env.machine->src);
	done(&l);
	assert_string_equal(
		run(&l, (struct globals){ .json = true, .ndjson = true, .from = "x" }, "link show\nhelp\n"),
		"[{\"command\":[\"link\",\"show\"],\"output\":[]},{\"command\":[\"help\"],\"output\":null}]");
	done(&l);
}

static void test_endless(void **state)
{
	char text[64];
	struct lab l;

	(void)state;
	snprintf(text, sizeof(text), "batch file %s\n", path);
	run(&l, (struct globals){ 0 }, text);
	assert_int_equal(l.e.code, -ELOOP);
	assert_non_null(strstr(l.e.msg, "batches are nested deeper than 8"));
	done(&l);
}

static void test_no_file(void **state)
{
	const char *argv[] = { "batch", "file", "/nonexistent/x" };
	struct lab l;

	(void)state;
	lab_start(&l, (struct globals){ 0 }, lab_answers);
	command_main(&l.env, 3, argv, &l.e);
	assert_string_equal(l.e.msg, "cannot open file /nonexistent/x: No such file or directory");
	assert_int_equal(err_exit_status(&l.e), EXIT_NOT_FOUND);
	done(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),	cmocka_unit_test(test_json_errors), cmocka_unit_test(test_archive),
		cmocka_unit_test(test_endless), cmocka_unit_test(test_no_file),
	};
	int fd = mkstemp(path), failed;

	(void)lab_asked;
	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
