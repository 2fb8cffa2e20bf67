/* SPDX-License-Identifier: BSD-2-Clause */
#include "../cli/lab.h"

#include <time.h>

#include "base/base.h"
#include "pin/pin.h"
#include "render/branches.h"

static const char pins[] =
	"prog 3 /fs/b/x\nmap 2 /fs/b/a\\040b\nlink 7 /fs/c\nprog 3 /fs/a/deep/er\nprog 3 /fs/a/deep/er\n"
	"prog 9 /fsb\nnonsense\nprog 1 relative\n? 0 /fs/no\n? x\n? 13 no\n? 99999 /fs/no\n"
	"? 13 /fs/b/hid\\040den\n? 1 /fs/z\nmap 5 /fs/\x1b[31m\n";
static const struct fake_answer answers[] = { { "sys/pins", 0, pins, sizeof(pins) - 1 }, { 0 } };
static const struct fake_answer refused[] = { { "sys/pins", -EACCES, NULL, 0 }, { 0 } };

static const char *run(struct lab *l, struct globals opts, const struct fake_answer *source, const char *word,
		       const char *word2)
{
	const char *argv[] = { "pin", "list", word, word2 };

	lab_start(l, opts, source);
	command_main(&l->env, word2 ? 4 : word ? 3 : 2, argv, &l->e);
	return out_cstr(&l->out);
}

static void test_tree(void **state)
{
	struct lab l;

	(void)state;
	setenv("LC_ALL", "C", 1);
	assert_string_equal(
		run(&l, (struct globals){ .from = "x" }, answers, "--tree", NULL),
		"/fs/\n|- \\x1b[31m  map 5\n|- a/deep/\n|  `- er  prog 3\n|- b/\n|  |- a b  map 2\n|  `- x  prog 3\n"
		"`- c  link 7\n/fsb  prog 9\n");
	lab_end(&l);
}

/* The pins a, d/a, d/d/a, ...: a line for each, the margin of which does not grow with all of them. */
static void test_deep(void **state)
{
	enum { PINS = 2000 };
	STR text = { 0 }, path = { 0 };
	struct lab l;
	const char *tree;

	(void)state;
	for (size_t i = 0; i < PINS; i++, str_puts(&path, "d/"))
		str_fmt(&text, "prog 1 /fs/%sa\n", path.p ? path.p : "");
	tree = run(&l, (struct globals){ .from = "x" },
		   (struct fake_answer[]){ { "sys/pins", 0, text.p, text.n }, { 0 } }, "--tree", NULL);
	assert_in_range(strlen(tree), text.n / 2, text.n + (size_t)PINS * 3 * (BRANCHES_DEPTH + 2));
	assert_int_equal(str_lines(tree), PINS + 1 + BRANCHES_DEPTH);
	lab_end(&l);
}

/* One path of a million directories takes no longer than its length. */
static void test_long(void **state)
{
	enum { PARTS = 1000000 };
	STR text = { 0 };
	struct lab l;
	clock_t before;

	(void)state;
	str_puts(&text, "prog 1 /");
	for (size_t i = 0; i < PARTS; i++)
		str_puts(&text, "d/");
	str_puts(&text, "a\n");
	before = clock();
	run(&l, (struct globals){ .from = "x" }, (struct fake_answer[]){ { "sys/pins", 0, text.p, text.n }, { 0 } },
	    "--tree", NULL);
	assert_in_range(clock() - before, 0, 10 * CLOCKS_PER_SEC);
	lab_end(&l);
}

static void test_list(void **state)
{
	struct lab l;

	(void)state;
	assert_string_equal(
		run(&l, (struct globals){ .json = true, .from = "x" }, answers, "/fs/b/", NULL),
		"[{\"path\":\"/fs/b/a b\",\"kind\":\"map\",\"id\":2},{\"path\":\"/fs/b/x\",\"kind\":\"prog\",\"id\":3}]");
	lab_end(&l);
	assert_string_equal(run(&l, (struct globals){ .json = true, .from = "x" }, answers, "-Q", "kind == link"),
			    "[{\"path\":\"/fs/c\",\"kind\":\"link\",\"id\":7}]");
	lab_end(&l);
	/* An empty result is an error for a path, but not for a filter. */
	assert_string_equal(run(&l, (struct globals){ .json = true, .from = "x" }, answers, "-Q", "id == 99"), "[]");
	lab_end(&l);
	run(&l, (struct globals){ .json = true, .from = "x" }, answers, "/nowhere", NULL);
	assert_string_equal(l.e.msg, "nothing is pinned at /nowhere or below it");
	assert_int_equal(err_exit_status(&l.e), EXIT_NOT_FOUND);
	l.e = (struct err){ 0 };
	lab_end(&l);
	/* A file that could not be read may be a pin. */
	assert_string_equal(run(&l, (struct globals){ .json = true, .from = "x" }, answers, "/fs/b/hid den", NULL),
			    "[]");
	assert_int_equal(l.env.report->unread, 1);
	lab_end(&l);
	run(&l, (struct globals){ .from = "x" }, answers, "/fs/b", NULL);
	assert_int_equal(l.env.report->unread, 1);
	assert_string_equal(l.env.report->unread_why, "/fs/b/hid den: Permission denied");
	lab_end(&l);
	run(&l, (struct globals){ .from = "x" }, refused, NULL, NULL);
	assert_string_equal(l.e.msg, "cannot list pins: Permission denied");
	l.e = (struct err){ 0 };
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_list),
	};

	(void)lab_asked;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
