/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <stdlib.h>

#include "base/base.h"
#include "render/branches.h"

static void leaf(struct branches *b, const char *name, const char *owner, bool last)
{
	branches_open(b, last);
	branches_cell(b, ROLE_ID, "prog 7");
	branches_word(b, ROLE_NAME, name);
	branches_cell(b, ROLE_OWNER, owner);
	branches_line(b);
	branches_close(b);
}

static void draw(struct out *o)
{
	struct branches b;

	branches_begin(&b, o);
	branches_cell(&b, ROLE_PLACE, "map:12");
	branches_glue(&b, "[", "3]");
	branches_line(&b);
	branches_open(&b, false);
	branches_cell(&b, ROLE_NONE, "x\ty");
	branches_line(&b);
	leaf(&b, "first", NULL, false);
	leaf(&b, "a_name_that_is_so_long_that_it_fills_lines", "agent(1)", true);
	branches_close(&b);
	leaf(&b, "", "agent(2)", true);
	branches_end(&b);
}

static void test_ascii(void **state)
{
	struct out o;

	(void)state;
	setenv("LC_ALL", "C", 1);
	out_init(&o, -1);
	draw(&o);
	assert_string_equal(
		out_cstr(&o),
		"map:12[3]\n|- x\\x09y\n|  |- prog 7 first\n|  `- prog 7 a_name_that_is_so_long_that_it_fills_lines  agent(1)\n"
		"`- prog 7  agent(2)\n");
	out_close(&o, NULL);
}

static void test_utf8(void **state)
{
	struct out o;

	(void)state;
	setenv("LC_ALL", "", 1);
	setenv("LC_CTYPE", "de_DE.utf8", 1);
	setenv("LANG", "C", 1);
	out_init(&o, -1);
	draw(&o);
	assert_string_equal(
		out_cstr(&o),
		"map:12[3]\n├─ x\\x09y\n│  ├─ prog 7 first\n│  └─ prog 7 a_name_that_is_so_long_that_it_fills_lines  agent(1)\n"
		"└─ prog 7  agent(2)\n");
	out_close(&o, NULL);
}

/* On a terminal of 40 columns: the widest text is elided; of deep branches the outermost are left out. */
static void test_fits(void **state)
{
	struct branches b;
	struct out o;

	(void)state;
	setenv("LC_ALL", "C", 1);
	setenv("COLUMNS", "40", 1);
	out_init(&o, -1);
	o.tty = true;
	draw(&o);
	assert_non_null(strstr(out_cstr(&o), "\n|  `- prog 7 a_name_t~ls_lines  agent(1)\n"));
	o.n = 0;
	branches_begin(&b, &o);
	for (size_t i = 0; i < 30; i++)
		branches_open(&b, true);
	branches_cell(&b, ROLE_NONE, "a text of more than thirty characters");
	branches_line(&b);
	branches_end(&b);
	assert_string_equal(out_cstr(&o), ".. `- a text of more th~hirty characters\n");
	out_close(&o, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ascii),
		cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
