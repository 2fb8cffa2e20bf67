/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/paint.h"

static const char *painted(struct out *o, const struct palette *p, enum role r)
{
	o->n = 0;
	o->color = true;
	o->palette = p;
	out_paint(o, r);
	out_char(o, 'x');
	out_paint(o, ROLE_NONE);
	out_char(o, 0);
	return o->buf;
}

static void colors_of_roles(void **state)
{
	struct palette p;
	struct err e = { 0 };
	struct out o;

	(void)state;
	out_init(&o, -1);
	assert_string_equal(painted(&o, NULL, ROLE_ERROR), "\033[1;38;5;196mx\033[0m");
	assert_int_equal(palette_parse(&p, NULL, NULL, NULL, &e), 0);
	assert_string_equal(painted(&o, &p, ROLE_ERROR), "\033[1;38;5;196mx\033[0m");
	assert_int_equal(palette_parse(&p, "name=1;38;5;208::error=", NULL, NULL, &e), 0);
	assert_string_equal(painted(&o, &p, ROLE_NAME), "\033[1;38;5;208mx\033[0m");
	assert_string_equal(painted(&o, &p, ROLE_ERROR), "x");
	assert_string_equal(painted(&o, &p, ROLE_REMOVED), "\033[38;5;196mx\033[0m");
	assert_string_equal(painted(&o, &p, ROLE_NONE), "x");
	out_close(&o, NULL);
}

/* Correct entries next to a wrong one are used, and the first wrong one is reported. */
static void wrong_words(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "nam=1:id=4", "BPFLENS_COLORS: no role 'nam'" },
		{ "=1:id=4", "BPFLENS_COLORS: no role ''" },
		{ "name:id=4", "BPFLENS_COLORS: 'name' is not ROLE=SGR" },
		{ "name=red:id=4:x=1", "BPFLENS_COLORS: 'name=red' may contain only numbers and semicolons" },
		{ "name=1m\033[2J:id=4", "BPFLENS_COLORS: 'name=1m\033[2J' may contain only numbers and semicolons" },
	};
	char longer[600];
	struct palette p;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = { 0 };

		assert_int_equal(palette_parse(&p, cases[i].text, NULL, NULL, &e), -EINVAL);
		assert_string_equal(e.msg, cases[i].why);
		assert_string_equal(p.sgr[ROLE_ID], "4");
		assert_string_equal(p.sgr[ROLE_NAME], "38;5;28");
	}
	memset(longer, ':', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	assert_int_equal(palette_parse(&p, longer, NULL, NULL, &(struct err){ 0 }), -EINVAL);
	assert_string_equal(p.sgr[ROLE_NAME], "38;5;28");
}

/* One word for each role; contrasts() has what their colours must be. */
static void roles_are_described(void **state)
{
	struct palette p;

	(void)state;
	assert_int_equal(palette_parse(&p, NULL, NULL, NULL, NULL), 0);
	for (enum role r = ROLE_NONE + 1; r < ROLES; r++) {
		assert_true(*role_word(r) && *role_help(r));
		assert_null(strpbrk(role_word(r), ":= "));
		for (enum role o = ROLE_NONE + 1; o < r; o++)
			assert_string_not_equal(role_word(o), role_word(r));
	}
}

/* The backgrounds of eight terminals, dark and light, and the colours of themes for SGR 30 to 37, as 0xRRGGBB. */
static const struct terminal {
	const char *name;
	uint32_t dark, light, color[8];
} terminals[] = {
	{ "xterm",
	  0x000000,
	  0xffffff,
	  { 0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5 } },
	{ "GNOME",
	  0x171421,
	  0xffffff,
	  { 0x171421, 0xc01c28, 0x26a269, 0xa2734c, 0x12488b, 0xa347ba, 0x2aa1b3, 0xd0cfcc } },
	{ "Konsole",
	  0x232627,
	  0xfcfcfc,
	  { 0x232627, 0xed1515, 0x11d116, 0xf67400, 0x1d99f3, 0x9b59b6, 0x1abc9c, 0xfcfcfc } },
	{ "Solarized",
	  0x002b36,
	  0xfdf6e3,
	  { 0x073642, 0xdc322f, 0x859900, 0xb58900, 0x268bd2, 0xd33682, 0x2aa198, 0xeee8d5 } },
	{ "Windows Terminal",
	  0x0c0c0c,
	  0xf9f9f9,
	  { 0x0c0c0c, 0xc50f1f, 0x13a10e, 0xc19c00, 0x0037da, 0x881798, 0x3a96dd, 0xcccccc } },
	{ "macOS Terminal",
	  0x000000,
	  0xffffff,
	  { 0x000000, 0x990000, 0x00a600, 0x999900, 0x0000b2, 0xb200b2, 0x00a6b2, 0xbfbfbf } },
	{ "VS Code",
	  0x1e1e1e,
	  0xffffff,
	  { 0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8, 0xbc3fbc, 0x11a8cd, 0xe5e5e5 } },
	{ "PuTTY",
	  0x000000,
	  0xffffff,
	  { 0x000000, 0xbb0000, 0x00bb00, 0xbbbb00, 0x0000bb, 0xbb00bb, 0x00bbbb, 0xbbbbbb } },
};

static double luminance(uint32_t rgb)
{
	static const double weight[] = { 0.0722, 0.7152, 0.2126 };
	double ret = 0;

	for (unsigned i = 0; i < 3; i++) {
		const double c = (rgb >> 8 * i & 0xff) / 255.0;

		ret += weight[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
	}
	return ret;
}

/* As in WCAG 2. */
static double contrast(uint32_t a, uint32_t b)
{
	const double x = luminance(a) + 0.05, y = luminance(b) + 0.05;

	return x > y ? x / y : y / x;
}

/* False: the colour of the text is the terminal's own. */
static bool color_of(const char *sgr, const struct terminal *t, uint32_t *ret)
{
	static const uint32_t level[] = { 0, 95, 135, 175, 215, 255 };
	const char *cube = strstr(sgr, "38;5;");
	const unsigned long n = strtoul(cube ? cube + 5 : sgr, NULL, 10);

	if (!cube) {
		assert_true(!*sgr || n == 1 || (n >= 30 && n <= 37));
		*ret = n >= 30 ? t->color[n - 30] : 0;
		return n >= 30;
	}
	assert_in_range(n, 16, 231);
	*ret = level[(n - 16) / 36] << 16 | level[(n - 16) / 6 % 6] << 8 | level[(n - 16) % 6];
	return true;
}

static void check_set(const char *colors, const char *fgbg, bool dark, bool light, double least)
{
	struct err e = { 0 };
	struct palette p;
	uint32_t rgb;

	assert_int_equal(palette_parse(&p, colors, fgbg, NULL, &e), 0);
	for (size_t i = 0; i < ARRAY_SIZE(terminals); i++)
		for (enum role r = ROLE_NONE + 1; r < ROLES; r++) {
			const struct terminal *t = &terminals[i];

			if (!color_of(p.sgr[r], t, &rgb))
				continue;
			if ((dark && (contrast(rgb, t->dark) < least || contrast(rgb, 0) < least)) ||
			    (light && (contrast(rgb, t->light) < least || contrast(rgb, 0xffffff) < least)))
				fail_msg("%s: %s is %.2f and %.2f to 1", t->name, role_word(r), contrast(rgb, t->dark),
					 contrast(rgb, t->light));
		}
}

/* Every role can be read: by default on dark and light backgrounds, with a set for one of them better on that. */
static void contrasts(void **state)
{
	(void)state;
	check_set(NULL, NULL, true, true, 3);
	check_set(NULL, "15;junk", true, true, 3);
	check_set("default", "0;15", true, true, 3);
	check_set("light", NULL, false, true, 4.5);
	check_set(NULL, "0;15", false, true, 4.5);
	check_set("dark:hole=", NULL, true, false, 4.5);
	check_set(NULL, "15;default;0", true, false, 4.5);
}

/* Linux shows the numbers of 256 colours in its 16: the hue of the brighter half, and bold. */
static uint32_t on_console(uint32_t rgb)
{
	const unsigned c[] = { rgb >> 16, rgb >> 8 & 0xff, rgb & 0xff };
	const unsigned rg = c[0] > c[1] ? c[0] : c[1], max = rg > c[2] ? rg : c[2];
	uint32_t ret = 0;

	for (unsigned i = 0; i < 3; i++)
		ret = ret << 8 | (c[i] > max / 2 ? 0xaa : 0) | (max > 0xaa ? 0x55 : 0);
	return ret;
}

static void linux_console(void **state)
{
	uint32_t rgb;
	struct palette p;

	(void)state;
	assert_int_equal(palette_parse(&p, NULL, NULL, "linux", NULL), 0);
	for (enum role r = ROLE_NONE + 1; r < ROLES; r++)
		if (color_of(p.sgr[r], &terminals[0], &rgb) && contrast(on_console(rgb), 0) < 4.5)
			fail_msg("%s is %06x, %.2f to 1", role_word(r), on_console(rgb), contrast(on_console(rgb), 0));
}

/* Terminals without 256 colours take "38;5;30" for blinking black; they have no colours, unless a set is named. */
static void few_colors(void **state)
{
	static const char *const few[] = { "vt100", "vt220", "ansi", "xterm-color", "xterm-16color", "rxvt" };
	static const char *const many[] = { "xterm", "xterm-256color",	      "screen",
					    "tmux",  "rxvt-unicode-256color", "linux",
					    "foot" };
	struct palette p;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(few); i++) {
		assert_int_equal(palette_parse(&p, "bar=31", "15;0", few[i], NULL), 0);
		for (enum role r = ROLE_NONE + 1; r < ROLES; r++)
			assert_true(r == ROLE_BAR || !p.sgr[r][strspn(p.sgr[r], "147;")]);
		assert_string_equal(p.sgr[ROLE_BAR], "31");
		assert_int_equal(palette_parse(&p, "dark", NULL, few[i], NULL), 0);
		assert_string_equal(p.sgr[ROLE_NAME], "38;5;40");
	}
	for (size_t i = 0; i < ARRAY_SIZE(many); i++) {
		assert_int_equal(palette_parse(&p, NULL, NULL, many[i], NULL), 0);
		assert_string_equal(p.sgr[ROLE_NAME], "38;5;28");
		assert_int_equal(palette_parse(&p, "mono", NULL, many[i], NULL), 0);
		assert_string_equal(p.sgr[ROLE_NAME], "4");
	}
	/* What says how good it is differs without colours, too. */
	assert_string_not_equal(p.sgr[ROLE_OK], p.sgr[ROLE_LIMITED]);
	assert_string_not_equal(p.sgr[ROLE_LIMITED], p.sgr[ROLE_PROBLEM]);
	assert_string_not_equal(p.sgr[ROLE_UNKNOWN], p.sgr[ROLE_PROBLEM]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(colors_of_roles), cmocka_unit_test(wrong_words), cmocka_unit_test(contrasts),
		cmocka_unit_test(linux_console),   cmocka_unit_test(few_colors),  cmocka_unit_test(roles_are_described),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
