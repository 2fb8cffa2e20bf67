/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "all/line.h"

/* All words, with | after each and / after each line; then the error, if any. */
static void words_of(const char *text, size_t n, char *ret, size_t size)
{
	CLEAN_FILE f = fmemopen((void *)(uintptr_t)text, n, "r");
	struct lines l = { .file = f };
	ARENA a = arena_new();
	struct err e = { 0 };
	struct line line;
	size_t i;

	ret[0] = '\0';
	while (lines_next(&l, a, &line, &e) > 0) {
		for (i = 0; i < line.n; i++)
			snprintf(ret + strlen(ret), size - strlen(ret), "%s|", line.word[i]);
		snprintf(ret + strlen(ret), size - strlen(ret), "/");
	}
	if (e.code)
		snprintf(ret + strlen(ret), size - strlen(ret), "%s@%zu", e.msg, l.number);
}

static void test_lines(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "\n", "" },
		{ "prog show\n", "prog|show|/" },
		{ "a\tb\r\nc", "a|b|/c|/" },
		{ "# all\n a # b\n\n", "a|/" },
		{ "a#b c\n", "a|/" },
		{ "name 'a # b' c\n", "name|a # b|c|/" },
		{ "\"x y\"z\n", "x y|z|/" },
		{ "a'b c'\n", "a'b|c'|/" },
		{ "''\n", "|/" },
		{ "ver\\\nsion\n", "version|/" },
		{ "a \\\n b\\\n\nc\n", "a|b|/c|/" },
		{ "a\\\\ b\n", "a\\\\|b|/" },
		{ "ok\n'never\nx\n", "ok|/unterminated quoted string@2" },
		{ "a\\\n", "missing continuation line@1" },
	};
	char got[256];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		words_of(cases[i].text, strlen(cases[i].text), got, sizeof(got));
		assert_string_equal(got, cases[i].words);
	}
	words_of("a\0b\n", 4, got, sizeof(got));
	assert_string_equal(got, "the batch file contains a NUL byte@1");
}

static void test_long(void **state)
{
	size_t n = 300000, i;
	CLEAN_PTR char *text = malloc(LINE_LENGTH + 3);
	CLEAN_FILE f = NULL;
	CLEAN_FILE fits = NULL;
	CLEAN_FILE too_long = NULL;
	struct lines l = { 0 };
	ARENA a = arena_new();
	struct err e = { 0 };
	struct line line;

	(void)state;
	for (i = 0; i < n; i++)
		text[i] = i % 2 ? ' ' : 'x';
	text[n] = '\0';
	f = fmemopen(text, n, "r");
	l.file = f;
	assert_int_equal(lines_next(&l, a, &line, &e), 1);
	assert_int_equal(line.n, n / 2);
	assert_int_equal(lines_next(&l, a, &line, &e), 0);
	memset(text, 'x', LINE_LENGTH + 2);
	text[LINE_LENGTH / 2] = '\\';
	text[LINE_LENGTH / 2 + 1] = '\n';
	fits = fmemopen(text, LINE_LENGTH + 2, "r");
	l.file = fits;
	assert_int_equal(lines_next(&l, a, &line, &e), 1);
	assert_int_equal(strlen(line.word[0]), LINE_LENGTH);
	text[LINE_LENGTH + 2] = 'x';
	too_long = fmemopen(text, LINE_LENGTH + 3, "r");
	l.file = too_long;
	assert_int_equal(lines_next(&l, a, &line, &e), -EINVAL);
	assert_string_equal(e.msg, "the line is longer than 1048576 bytes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
