/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
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
	assert_string_equal(painted(&o, NULL, ROLE_ERROR), "\033[1;31mx\033[0m");
	assert_int_equal(palette_parse(&p, NULL, &e), 0);
	assert_string_equal(painted(&o, &p, ROLE_ERROR), "\033[1;31mx\033[0m");
	assert_int_equal(palette_parse(&p, "name=1;38;5;208::error=", &e), 0);
	assert_string_equal(painted(&o, &p, ROLE_NAME), "\033[1;38;5;208mx\033[0m");
	assert_string_equal(painted(&o, &p, ROLE_ERROR), "x");
	assert_string_equal(painted(&o, &p, ROLE_REMOVED), "\033[31mx\033[0m");
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

		assert_int_equal(palette_parse(&p, cases[i].text, &e), -EINVAL);
		assert_string_equal(e.msg, cases[i].why);
		assert_string_equal(p.sgr[ROLE_ID], "4");
		assert_string_equal(p.sgr[ROLE_NAME], "32");
	}
	memset(longer, ':', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	assert_int_equal(palette_parse(&p, longer, &(struct err){ 0 }), -EINVAL);
	assert_string_equal(p.sgr[ROLE_NAME], "32");
}

/* One word for each role, and no colour that is unreadable on black or white: 30, 33, 34, 37, and the bright ones from
 * 90 on.
 */
static void roles_are_described(void **state)
{
	struct palette p;

	(void)state;
	assert_int_equal(palette_parse(&p, NULL, NULL), 0);
	for (enum role r = ROLE_NONE + 1; r < ROLES; r++) {
		assert_true(*role_word(r) && *role_help(r));
		assert_null(strpbrk(role_word(r), ":= "));
		for (const char *s = p.sgr[r]; *s; s += strcspn(s, ";") + (s[strcspn(s, ";")] == ';'))
			assert_true(*s == '1' || strspn(s, "3") == 1);
		assert_null(strstr(p.sgr[r], "30"));
		assert_null(strstr(p.sgr[r], "33"));
		assert_null(strstr(p.sgr[r], "34"));
		assert_null(strstr(p.sgr[r], "37"));
		for (enum role o = ROLE_NONE + 1; o < r; o++)
			assert_string_not_equal(role_word(o), role_word(r));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(colors_of_roles),
		cmocka_unit_test(wrong_words),
		cmocka_unit_test(roles_are_described),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
