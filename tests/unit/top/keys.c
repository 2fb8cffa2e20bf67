/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include "top/screen.h"

static enum screen_act press(struct screen *s, int key)
{
	enum screen_ask about;

	return screen_key(s, key, &about);
}

static void typing(void **state)
{
	struct screen s = { .message = "old" };
	enum screen_ask about;

	(void)state;
	assert_int_equal(press(&s, '/'), ACT_DRAW);
	assert_true(s.ask == ASK_FILTER && !*s.message);
	assert_int_equal(press(&s, 'q'), ACT_DRAW);
	press(&s, 0xe4);
	press(&s, 0x20ac);
	press(&s, 0x1f600);
	press(&s, 7);
	press(&s, TERMINAL_UP);
	press(&s, 0xd800);
	assert_string_equal(s.typed, "q\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
	press(&s, TERMINAL_BACKSPACE);
	press(&s, TERMINAL_BACKSPACE);
	assert_string_equal(s.typed, "q\xc3\xa4");
	assert_int_equal(screen_key(&s, TERMINAL_ENTER, &about), ACT_TYPED);
	assert_true(about == ASK_FILTER && s.ask == ASK_NOTHING);
	press(&s, 's');
	assert_string_equal(s.typed, "");
	press(&s, TERMINAL_BACKSPACE);
	assert_int_equal(press(&s, TERMINAL_ESCAPE), ACT_DRAW);
	assert_true(s.ask == ASK_NOTHING);
	assert_int_equal(press(&s, 'q'), ACT_QUIT);
}

/* What is too long is left out, and never half a character. */
static void typing_long(void **state)
{
	struct screen s = { .ask = ASK_FILE };

	(void)state;
	for (int i = 0; i < 300; i++)
		press(&s, 0xe4);
	assert_int_equal(strlen(s.typed), 254);
	press(&s, 'x');
	press(&s, 'y');
	assert_int_equal(strlen(s.typed), 255);
}

static void moving(void **state)
{
	struct screen s = { .rows = 100, .page = 10 };

	(void)state;
	press(&s, TERMINAL_UP);
	assert_int_equal(s.at, 0);
	press(&s, TERMINAL_DOWN);
	press(&s, TERMINAL_PAGE_DOWN);
	assert_true(s.at == 11 && s.follows && !s.id);
	press(&s, TERMINAL_LAST);
	assert_int_equal(s.at, 99);
	press(&s, TERMINAL_PAGE_DOWN);
	assert_int_equal(s.at, 99);
	press(&s, TERMINAL_PAGE_UP);
	assert_int_equal(s.at, 89);
	press(&s, TERMINAL_HOME);
	assert_int_equal(s.at, 0);
	s.rows = 0;
	press(&s, TERMINAL_DOWN);
	assert_int_equal(s.at, 0);
}

static void modes(void **state)
{
	struct screen s = { .rows = 3 };

	(void)state;
	assert_int_equal(press(&s, 'm'), ACT_READ);
	assert_true(s.mode == SCREEN_MAPS);
	assert_int_equal(press(&s, 'u'), ACT_READ);
	assert_true(s.counts);
	s.rows = 3;
	press(&s, TERMINAL_DOWN);
	assert_int_equal(s.first, 1);
	press(&s, 'm');
	assert_true(s.mode == SCREEN_PROGS && !s.first);
	s.rows = 3;
	assert_int_equal(press(&s, TERMINAL_ENTER), ACT_READ);
	assert_true(s.mode == SCREEN_PROG);
	assert_int_equal(press(&s, 'a'), ACT_READ);
	assert_true(s.mode == SCREEN_CODE);
	assert_int_equal(press(&s, TERMINAL_ESCAPE), ACT_READ);
	assert_true(s.mode == SCREEN_PROG);
	assert_int_equal(press(&s, TERMINAL_ENTER), ACT_NOTHING);
	assert_int_equal(press(&s, '?'), ACT_DRAW);
	s.rows = 3;
	assert_int_equal(press(&s, TERMINAL_DOWN), ACT_DRAW);
	assert_true(s.mode == SCREEN_HELP && s.first == 1);
	assert_int_equal(press(&s, 'x'), ACT_READ);
	assert_true(s.mode == SCREEN_PROGS);
	press(&s, ' ');
	assert_true(s.frozen);
	press(&s, ' ');
	assert_false(s.frozen);
	assert_int_equal(press(&s, 'e'), ACT_READ);
	assert_true(s.mode == SCREEN_EVENTS && !s.rows);
	assert_int_equal(press(&s, 'q'), ACT_READ);
	assert_true(s.mode == SCREEN_PROGS);
	assert_int_equal(press(&s, 'a'), ACT_NOTHING);
	s.rows = 0;
	assert_int_equal(press(&s, TERMINAL_ENTER), ACT_NOTHING);
	assert_int_equal(press(&s, '['), ACT_BACK);
	assert_int_equal(press(&s, '}'), ACT_FAR_FORTH);
	assert_int_equal(press(&s, TERMINAL_RESIZED), ACT_DRAW);
	assert_int_equal(press(&s, 'y'), ACT_NOTHING);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(typing), cmocka_unit_test(typing_long),
					    cmocka_unit_test(moving), cmocka_unit_test(modes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
