/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include "../prog/program.h"
#include "code/heat.h"
#include "code/insn_heat.h"
#include "code/visual.h"
#include "code/xlated.h"
#include "source/samples.h"

#define FIRST 0xffffffffc0000100
#define SECOND 0xffffffffc0000000
/* if; mov; exit; exit of first, two lines: the second begins at the mov; then mov; exit of second. */
static const unsigned char insns[] = {
	0x15, 0, 2, 0, 0, 0, 0, 0, 0xb7, 0, 0, 0, 1, 0, 0, 0, 0x95, 0, 0, 0, 0, 0, 0, 0,
	0x95, 0, 0, 0, 0, 0, 0, 0, 0xb7, 0, 0, 0, 2, 0, 0, 0, 0x95, 0, 0, 0, 0, 0, 0, 0,
};
static const struct program_form form = { .second = 4, .line = 1, .first_len = 20, .second_len = 10, .place = 5 };

static struct setup {
	struct scripted m;
	struct program p;
	struct xlated x;
	struct jited j;
	struct heat heat;
	struct samples_head how;
	struct insn_heat ret;
	struct out o;
} s;

/* 1 sample in the first line, 6 in the second, 3 in the other function. @missing: an answer to leave out. */
static void setup(const char *missing)
{
	struct err e = { 0 };

	memset(&s, 0, sizeof(s));
	scripted_init(&s.m);
	program_says(&s.m, &s.p, &form);
	s.p.info.xlated_prog_len = sizeof(insns);
	scripted_says(&s.m, "prog/9/xlated", 0, insns, sizeof(insns));
	if (missing)
		scripted_says(&s.m, missing, -ENODATA, NULL, 0);
	assert_int_equal(xlated_read(&s.m.env, 9, &s.p.info, &s.x, &e), 0);
	jited_read_places(&s.m.env, 9, &s.p.info, &s.j);
	assert_null(s.j.image.p);
	heat_init(&s.heat, &s.j, &s.how, s.m.env.arena);
	heat_add(&s.heat, FIRST);
	for (unsigned i = 0; i < 6; i++)
		heat_add(&s.heat, FIRST + 5 + i);
	for (unsigned i = 0; i < 3; i++)
		heat_add(&s.heat, SECOND + 9);
	insn_heat_read(&s.heat, &s.x, s.m.env.arena, &s.ret);
}

static void test_lines(void **state)
{
	uint64_t shared = 0;

	(void)state;
	setup(NULL);
	assert_int_equal(s.j.image.n, 30);
	assert_int_equal(s.ret.samples, 10);
	assert_int_equal(s.ret.n, 3);
	assert_true(s.ret.lines);
	assert_int_equal(insn_heat_at(&s.ret, 0)->samples, 1);
	assert_int_equal(insn_heat_at(&s.ret, 1)->samples, 6);
	assert_int_equal(insn_heat_at(&s.ret, 1)->end, 4);
	assert_int_equal(insn_heat_at(&s.ret, 4)->samples, 3);
	assert_null(insn_heat_at(&s.ret, 2));
	assert_null(insn_heat_at(&s.ret, 6));
	assert_true(insn_heat_sum(&s.ret, 0, 1, &shared) == 1 && insn_heat_sum(&s.ret, 0, 6, &shared) == 10 &&
		    insn_heat_sum(&s.ret, 4, 6, &shared) == 3);
	assert_int_equal(shared, 0);
	/* The second line is in two blocks. */
	assert_true(insn_heat_sum(&s.ret, 0, 3, &shared) == 7 && shared == 6);
	assert_true(insn_heat_sum(&s.ret, 3, 5, &shared) == 9 && shared == 15);
	scripted_end(&s.m);
}

/* Without addresses of lines, functions still have samples; without those of functions, there are none. */
static void test_less(void **state)
{
	(void)state;
	setup("prog/9/jited_line_info");
	assert_int_equal(s.ret.n, 2);
	assert_false(s.ret.lines);
	assert_int_equal(insn_heat_at(&s.ret, 0)->samples, 7);
	assert_int_equal(insn_heat_at(&s.ret, 4)->samples, 3);
	scripted_end(&s.m);
	setup("prog/9/jited_ksyms");
	assert_int_equal(s.heat.nfuncs, 0);
	assert_int_equal(s.ret.samples, 0);
	scripted_end(&s.m);
	setup("prog/9/jited_func_lens");
	assert_int_equal(s.j.image.n, 0);
	assert_int_equal(s.ret.samples, 0);
	scripted_end(&s.m);
}

static const char *drawn(const struct visual_writer *w, bool collapse)
{
	struct xlated_style style = { 0 };

	out_close(&s.o, NULL);
	out_init(&s.o, -1);
	visual_write(&s.x, &style, collapse, w, &s.ret, s.m.env.arena, &s.o);
	return out_cstr(&s.o);
}

static void test_graph(void **state)
{
	const char *text;

	(void)state;
	setup(NULL);
	text = drawn(&visual_dot, false);
	assert_non_null(strstr(
		text,
		"\tfn_0_bb_2 [shape=record,style=filled,label=\"{10.0% of the samples\\l\\\n| ; int\\ first():\\l\\\n"));
	assert_non_null(strstr(text, "\tfn_0_bb_2 [fillcolor=\"#fdbb84\"];\n"));
	assert_non_null(strstr(text, "label=\"{up to 60.0% of the samples\\l\\\n| ; two"));
	assert_non_null(strstr(text, "\tfn_0_bb_3 [fillcolor=\"#f16c4b\"];\n"));
	assert_non_null(strstr(text, "label=\"{30.0% of the samples\\l\\\n| ; int\\ second():"));
	text = drawn(&visual_mermaid, true);
	assert_non_null(strstr(text, "[\"up to 60.0% of the samples<br/>; two"));
	assert_non_null(strstr(text, "\t\tstyle fn_0_bb_3 fill:#f16c4b,color:#000000\n"));
	out_close(&s.o, NULL);
	scripted_end(&s.m);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_lines), cmocka_unit_test(test_less),
					    cmocka_unit_test(test_graph) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
