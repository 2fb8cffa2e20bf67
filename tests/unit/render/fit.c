/* SPDX-License-Identifier: BSD-2-Clause */
#include "render/fit.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "render/text.h"
#include "../test.h"

static const char *fitted(struct str *s, const char *text, size_t width)
{
	str_reset(s);
	fit_text(s, text, strlen(text), width);
	assert_true(render_width(s->p, s->n) <= width);
	return s->p;
}

static void middles_and_ends(void **state)
{
	static const struct {
		const char *text, *want;
		size_t width;
	} cases[] = {
		{ "eth0", "eth0", 4 },
		{ "eth0", "\xe2\x80\xa6", 1 },
		{ "cgroup_inet_egress", "cgroup_i\xe2\x80\xa6t_egress", 17 },
		{ "raw_tp/sys_enter", "raw_t\xe2\x80\xa6nter", 10 },
		{ "/sys/fs/cgroup/web.slice/web.service", "\xe2\x80\xa6/web.service", 17 },
		{ "/sys/fs/cgroup/web.slice/web.service", "\xe2\x80\xa6/web.slice/web.service", 24 },
		{ "/sys/fs/cgroup/web.slice/web.service",
		  "\xe2\x80\xa6"
		  "ervice",
		  7 },
		{ "/sys/fs/bpf/a_long_name_of_a_directory/x",
		  "\xe2\x80\xa6"
		  "me_of_a_directory/x",
		  20 },
		{ "./tests/live/tasks.bpf.c", "\xe2\x80\xa6/tasks.bpf.c", 16 },
		{ "/caf\xc3\xa9/caf\xc3\xa9", "\xe2\x80\xa6/caf\xc3\xa9", 6 },
		{ "/", "/", 1 },
		{ "/x/", "\xe2\x80\xa6/", 2 },
		{ "\u6d41\u91cf\u8ba1\u6570", "\u6d41\u91cf\u8ba1\u6570", 8 },
		{ "\u6d41\u91cf\u8ba1\u6570", "\u6d41\u2026\u6570", 6 },
		{ "/\u6d41\u91cf/\u8ba1\u6570", "\u2026/\u8ba1\u6570", 6 },
		{ "cafe\u0301s", "cafe\u0301s", 5 },
		{ "e\u0301e\u0301e\u0301e\u0301", "e\u0301\u2026e\u0301", 3 },
	};
	STR s = { 0 };

	(void)state;
	setenv("LC_ALL", "C.UTF-8", 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(fitted(&s, cases[i].text, cases[i].width), cases[i].want);
}

/* Columns of a terminal: two for wide characters, none for combining ones and colours, one for each other byte or
 * character. */
static void widths(void **state)
{
	static const struct {
		const char *text;
		size_t want;
	} rows[] = {
		{ "", 0 },
		{ "eth0", 4 },
		{ "caf\u00e9", 4 },
		{ "e\u0301", 1 },
		{ "\u6d41\u91cf", 4 },
		{ "\u200d", 0 },
		{ "\033[1;31mred\033[0m", 3 },
		{ "\xff\xfe", 2 },
		{ "\033[", 2 },
		{ "\U0001f41d", 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(render_width(rows[i].text, strlen(rows[i].text)), rows[i].want);
}

static void lines_of_words(void **state)
{
	static const char text[] = "one two three";

	(void)state;
	assert_int_equal(fit_line(text, strlen(text), 13), 13);
	assert_int_equal(fit_line(text, strlen(text), 12), 7);
	assert_int_equal(fit_line(text, strlen(text), 7), 7);
	assert_int_equal(fit_line(text, strlen(text), 6), 3);
	assert_int_equal(fit_line(text, strlen(text), 2), 2);
	assert_int_equal(fit_line("caf\xc3\xa9s x", 8, 4), 5);
	assert_int_equal(fit_line("\u6d41\u91cf", 6, 3), 3);
	assert_int_equal(fit_line("\u6d41\u91cf", 6, 1), 3);
}

/* Empty columns are left out before any is narrowed, others if the rest could not be wide enough. */
static void columns_that_are_left_out(void **state)
{
#define COLUMNS \
	{ \
		{ .width = 20, .least = 16 }, { .width = 7, .least = 7, .drop = FIT_EMPTY }, \
		{ \
			.width = 20, .least = 16, .drop = 1 \
		} \
	}
	struct fit c[] = COLUMNS, narrow[] = COLUMNS, room[] = COLUMNS;

	(void)state;
	assert_int_equal(fit_columns(c, 3, 42), 42);
	assert_true(!c[0].gone && c[1].gone && !c[2].gone && c[0].width == 20 && c[2].width == 20);
	assert_int_equal(fit_columns(narrow, 3, 30), 20);
	assert_true(!narrow[0].gone && narrow[1].gone && narrow[2].gone && narrow[0].width == 20);
	assert_int_equal(fit_columns(room, 3, 51), 51);
	assert_true(!room[0].gone && !room[1].gone && !room[2].gone);
}

/* The widest shrink first, none below what is useful: then the table is wider than there is room. */
static void columns_that_shrink(void **state)
{
	struct fit c[] = { { .width = 30, .least = 10 }, { .width = 12, .least = 12 }, { .width = 100, .least = 20 } };

	(void)state;
	assert_int_equal(fit_columns(c, 3, 76), 76);
	assert_true(c[0].width == 30 && c[1].width == 12 && c[2].width == 30);
	assert_int_equal(fit_columns(c, 3, 50), 50);
	assert_true(c[0].width == 14 && c[1].width == 12 && c[2].width == 20);
	assert_int_equal(fit_columns(c, 3, 40), 46);
	assert_true(!c[0].gone && !c[1].gone && !c[2].gone && c[0].width == 10);
}

/* The highest rank goes first, of equal ones the last column. */
static void columns_of_equal_rank(void **state)
{
	struct fit equal[] = { { .width = 20, .least = 16 },
			       { .width = 20, .least = 16, .drop = 1 },
			       { .width = 20, .least = 16, .drop = 1 } };
	struct fit ranks[] = { { .width = 20, .least = 16 },
			       { .width = 20, .least = 16, .drop = 2 },
			       { .width = 20, .least = 16, .drop = 1 } };

	(void)state;
	fit_columns(equal, 3, 42);
	assert_true(!equal[0].gone && !equal[1].gone && equal[2].gone);
	fit_columns(ranks, 3, 42);
	assert_true(!ranks[0].gone && ranks[1].gone && !ranks[2].gone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(middles_and_ends),    cmocka_unit_test(widths),
		cmocka_unit_test(lines_of_words),      cmocka_unit_test(columns_that_are_left_out),
		cmocka_unit_test(columns_that_shrink), cmocka_unit_test(columns_of_equal_rank),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
