/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../prog/program.h"
#include "code/both.h"
#include "code/xlated.h"
#include "render/doc.h"
#include "render/jsonw.h"

/* Two functions: 0 call 3; 1 r0 = map (two slots); 3 r0 = 1; 4 exit. 24 and 8 bytes of machine code, which are not
 * disassembled. */
static const unsigned char image[] = {
	0x85, 0x10, 2, 0, 1,	0, 0, 0, 0x18, 0x10, 0, 0, 7,	 0, 0, 0, 0, 0, 0, 0,
	0,    0,    0, 0, 0xb7, 0, 0, 0, 1,    0,    0, 0, 0x95, 0, 0, 0, 0, 0, 0, 0,
};
#define INSNS 4
static struct program program;

static struct scripted *scripted_new(void)
{
	static const struct program_form form = {
		.second = 3, .line = 1, .first_len = 24, .second_len = 8, .place = 20
	};
	static struct scripted m;

	scripted_init(&m);
	program_says(&m, &program, &form);
	scripted_says(&m, "prog/9/xlated", 0, image, sizeof(image));
	program.info.xlated_prog_len = sizeof(image);
	return &m;
}

static const char *dumped(struct scripted *m, unsigned columns, bool json)
{
	static struct out o;
	struct xlated_style xlated = { .opcodes = json };
	struct jited_style jited = { .opcodes = true };
	struct xlated x;
	struct jited j;
	struct both b = { .x = &x, .xlated = &xlated, .j = &j, .jited = &jited, .columns = columns };
	struct jsonw w;
	struct doc d;
	struct err e = { 0 };

	free(o.buf);
	out_init(&o, -1);
	assert_int_equal(xlated_read(&m->env, 9, &program.info, &x, &e), 0);
	assert_int_equal(jited_read(&m->env, 9, &program.info, &j, &e), 0);
	jsonw_init(&w, &o, false);
	doc_init(&d, &o, json ? &w : NULL, m->env.keep);
	both_write(&b, m->env.arena, &d, NULL);
	assert_int_equal(w.depth, 0);
	return out_cstr(&o);
}

static void test_below(void **state)
{
	struct scripted *m = scripted_new();

	(void)state;
	assert_string_equal(dumped(m, 0, false),
			    "int first():\n0xffffffffc0000100:\n"
			    "; one\n"
			    "   0: (85) call pc+2#0xffffffffc0000000\n"
			    "\t   0:\t00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n"
			    "\t  10:\t10 11 12 13\n"
			    "; two\n"
			    "   1: (18) r0 = map[id:7]\n"
			    "\t  14:\t14 15 16 17\n\n"
			    "int second():\n0xffffffffc0000000:\n"
			    "; three\n"
			    "   3: (b7) r0 = 1\n"
			    "   4: (95) exit\n"
			    "\t   0:\t18 19 1a 1b 1c 1d 1e 1f\n\n");
	scripted_end(m);
}

static void test_beside(void **state)
{
	struct scripted *m = scripted_new();
	const char *text = dumped(m, 50, false);

	(void)state;
	/* The first column is wider than half of the line. */
	assert_non_null(strstr(
		text,
		"; one\n   0: (85) call pc+2#0xffffffffc0000000 |    0:\t00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n"
		"                          |   10:\t10 11 12 13\n; two\n"));
	assert_non_null(
		strstr(text, "   3: (b7) r0 = 1         |    0:\t18 19 1a 1b 1c 1d 1e 1f\n   4: (95) exit\n\n"));
	scripted_end(m);
}

static void test_json(void **state)
{
	struct scripted *m = scripted_new();
	const char *text = dumped(m, 0, true);

	(void)state;
	assert_non_null(strstr(
		text,
		"[{\"proto\":\"int first()\",\"name\":\"0xffffffffc0000100\",\"start\":\"0xffffffffc0000100\",\"groups\":["
		"{\"src\":\"one\",\"xlated\":[{\"insn\":0,\"disasm\":\"(85) call pc+2#0xffffffffc0000000\",\"opcodes\":{"));
	assert_non_null(strstr(text, "]}}],\"jited\":[{\"pc\":\"0x0\",\"opcodes\":[\"0x00\",\"0x01\","));
	assert_non_null(strstr(text, "{\"src\":\"two\",\"xlated\":[{\"insn\":1,"));
	scripted_end(m);
}

/* Without program.lines: functions from their records, or from calls; or one function. */
static void test_little_known(void **state)
{
	struct scripted *m = scripted_new();
	const char *text;

	(void)state;
	program.info.nr_jited_line_info = 0;
	text = dumped(m, 0, false);
	assert_null(strstr(text, "; "));
	assert_non_null(
		strstr(text, "int second():\n0xffffffffc0000000:\n   3: (b7) r0 = 1\n   4: (95) exit\n\t   0:\t18 "));
	program.info.btf_id = 0;
	text = dumped(m, 0, false);
	assert_non_null(strstr(text, "\n\n0xffffffffc0000000:\n   3: (b7) r0 = 1\n   4: (95) exit\n\t   0:\t18 "));
	program.info.nr_jited_func_lens = 0;
	text = dumped(m, 0, false);
	assert_non_null(strstr(text, "   3: (b7) r0 = 1\n   4: (95) exit\n\t   0:\t00 "));
	assert_null(strstr(text, "\n\n0x"));
	scripted_end(m);
}

/* The line of the second function was moved: its address in the machine code is right, its instruction is not. */
static void test_moved_lines(void **state)
{
	struct scripted *m = scripted_new();

	(void)state;
	program.lines[1].insn_off = 4;
	program.lines[2].insn_off = 7;
	assert_string_equal(dumped(m, 0, false),
			    "int first():\n0xffffffffc0000100:\n"
			    "   0: (85) call pc+2#0xffffffffc0000000\n"
			    "   1: (18) r0 = map[id:7]\n"
			    "; one\n"
			    "\t   0:\t00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n"
			    "\t  10:\t10 11 12 13\n"
			    "; two\n"
			    "\t  14:\t14 15 16 17\n\n"
			    "int second():\n0xffffffffc0000000:\n"
			    "   3: (b7) r0 = 1\n"
			    "   4: (95) exit\n"
			    "; three\n"
			    "\t   0:\t18 19 1a 1b 1c 1d 1e 1f\n\n");
	scripted_end(m);
}

/* For any records, each instruction is shown once and in order. */
static void expect_all(const char *text)
{
	unsigned insns = 0, bytes = 0, last = 0, n;
	char *end;

	for (const char *p = text; *p; p = strchr(p, '\n') + 1) {
		if (*p == ' ' && sscanf(p, "%u", &n) == 1) {
			assert_true(insns ? n > last : n == 0);
			last = n;
			insns++;
		} else if (*p == '\t') {
			for (p = strchr(p, ':') + 2; *p != '\n'; p = *end == ' ' ? end + 1 : end) {
				assert_int_equal(strtoul(p, &end, 16), bytes);
				bytes++;
			}
		}
	}
	assert_int_equal(insns, INSNS);
	assert_int_equal(bytes, sizeof(program.code));
}

static void test_records_that_lie(void **state)
{
	static const uint32_t odd[] = { 0, 1, 2, 3, 4, 5, 0x7fffffff, UINT32_MAX };
	unsigned seed = 1;
	struct scripted *m;

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		m = scripted_new();
		for (unsigned i = 0; i < 3; i++) {
			program.lines[i].insn_off = odd[(seed = seed * 1103515245 + 12345) >> 16 & 7];
			program.places[i] = program.ksyms[i > 1] +
					    (odd[(seed = seed * 1103515245 + 12345) >> 16 & 7] << (round & 3));
		}
		for (unsigned i = 0; i < 2; i++) {
			program.funcs[i].insn_off = odd[(seed = seed * 1103515245 + 12345) >> 16 & 7];
			program.lens[i] = odd[(seed = seed * 1103515245 + 12345) >> 16 & 7];
		}
		expect_all(dumped(m, 0, false));
		dumped(m, 80, false);
		dumped(m, 0, true);
		scripted_end(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_below),	    cmocka_unit_test(test_beside),
		cmocka_unit_test(test_json),	    cmocka_unit_test(test_little_known),
		cmocka_unit_test(test_moved_lines), cmocka_unit_test(test_records_that_lie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
