/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/frame.h"

static void begin(struct frame *f, struct out *o, const char *rows, const char *columns)
{
	setenv("LINES", rows, 1);
	setenv("COLUMNS", columns, 1);
	out_init(o, -1);
	*f = (struct frame){ .out = o };
	frame_begin(f);
}

static void end(struct out *o)
{
	unsetenv("LINES");
	unsetenv("COLUMNS");
	out_close(o, NULL);
}

/* The first picture makes room for itself; each replaces the one before, line by line, and clears what is left of it.
 */
static void test_pictures(void **state)
{
	struct frame f;
	struct out o;

	(void)state;
	begin(&f, &o, "4", "20");
	frame_put(&f, "one", 3);
	frame_put(&f, "two", 3);
	frame_add(&f, "+", 1);
	frame_end(&f);
	assert_string_equal(out_cstr(&o), "\n\n\n\033[Hone\033[K\ntwo+\033[K\n\033[J");
	o.n = 0;
	frame_begin(&f);
	frame_put(&f, "next", 4);
	frame_end(&f);
	assert_string_equal(out_cstr(&o), "\033[Hnext\033[K\n\033[J");
	end(&o);
}

/* Text with the properties of the terminal; lines beyond its edges are left out. */
static void test_lines(void **state)
{
	struct out o, text;
	struct frame f;

	(void)state;
	begin(&f, &o, "4", "5");
	o.tty = o.color = true;
	o.n = 0;
	frame_text(&f, &text);
	assert_true(text.tty && text.color);
	out_str(&text, "one\n\nlong line\nno room");
	frame_lines(&f, &text);
	assert_non_null(strstr(out_cstr(&o), "one\033[K\n\033[K\nlong "));
	assert_null(strstr(out_cstr(&o), "room"));
	out_close(&text, NULL);
	end(&o);
}

/* One row is kept free for the cursor. */
static void test_rows(void **state)
{
	struct frame f;
	struct out o;

	(void)state;
	begin(&f, &o, "3", "20");
	o.n = 0;
	assert_true(frame_line(&f));
	assert_true(frame_line(&f));
	assert_false(frame_line(&f));
	frame_put(&f, "no room", 7);
	assert_string_equal(out_cstr(&o), "\033[K\n");
	assert_int_equal(f.used, 2);
	end(&o);
}

static const char *cut(struct out *o, const char *text)
{
	static char got[80];
	struct frame f;

	begin(&f, o, "5", "6");
	o->n = 0;
	frame_put(&f, text, strlen(text));
	snprintf(got, sizeof(got), "%s|%u", out_cstr(o), f.filled);
	end(o);
	return got;
}

/* Text is cut at the edge: a character of several bytes is one column, an escaped byte four. */
static void test_columns(void **state)
{
	struct out o;

	(void)state;
	assert_string_equal(cut(&o, "abcdef"), "abcdef|6");
	assert_string_equal(cut(&o, "abcdefg"), "abcdef|6");
	assert_string_equal(cut(&o, "abcde\xc3\xa9g"), "abcde\xc3\xa9|6");
	assert_string_equal(cut(&o, "ab\033d"), "ab\\x1b|6");
	assert_string_equal(cut(&o, "a\033bcd"), "a\\x1bb|6");
	assert_string_equal(cut(&o, "abc\033"), "abc|3");
	assert_string_equal(cut(&o, "ab\x7f"), "ab\\x7f|6");
	assert_string_equal(cut(&o, "ab\xff"), "ab\\xff|6");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pictures),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
