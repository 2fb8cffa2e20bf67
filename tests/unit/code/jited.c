/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <stdlib.h>

#include "../prog/program.h"
#include "render/doc.h"
#include "render/jsonw.h"

/* Two functions of 20 and 4 bytes; a disassembler is not needed. */
static const char kallsyms[] = "ffffffffc0000100 t bpf_prog_0011223344556677_first\t[bpf]\n";
static struct program program;

static struct scripted *scripted_new(void)
{
	static const struct program_form form = {
		.second = 5, .line = 3, .first_len = 20, .second_len = 4, .place = 18
	};
	static struct scripted m;

	scripted_init(&m);
	program_says(&m, &program, &form);
	scripted_says(&m, "sys/kallsyms", 0, kallsyms, sizeof(kallsyms) - 1);
	scripted_says(&m, "sys/uname", 0, "Linux 6.18 vax\n", 15);
	return &m;
}

static const char *dumped(struct scripted *m, struct jited_style style, bool json)
{
	static struct out o;
	struct jsonw w;
	struct doc d;
	struct jited x;
	struct err e = { 0 };

	free(o.buf);
	out_init(&o, -1);
	assert_int_equal(jited_read(&m->env, 9, &program.info, &x, &e), 0);
	jsonw_init(&w, &o, false);
	doc_init(&d, &o, json ? &w : NULL, m->env.keep);
	jited_write(&x, &style, &d, NULL);
	assert_int_equal(w.depth, 0);
	return out_cstr(&o);
}

static void test_bytes(void **state)
{
	struct scripted *m = scripted_new();

	(void)state;
	assert_string_equal(dumped(m, (struct jited_style){ .linum = true }, false),
			    "int first():\n"
			    "bpf_prog_0011223344556677_first:\n"
			    "; one [file:t.c line_num:1 line_col:0]\n"
			    "   0:\t00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n"
			    "  10:\t10 11\n"
			    "; two [file:t.c line_num:2 line_col:7]\n"
			    "  12:\t12 13\n"
			    "\n"
			    "int second():\n"
			    "0xffffffffc0000000:\n"
			    "; three [file:t.c line_num:3 line_col:0]\n"
			    "   0:\t14 15 16 17\n"
			    "\n");
	assert_string_equal(jited_machine(&m->env), "vax");
	scripted_end(m);
}

static void test_json(void **state)
{
	struct scripted *m = scripted_new();

	(void)state;
	program.lens[0] = 2;
	program.lens[1] = 1;
	scripted_says(m, "prog/9/jited", 0, program.code, 3);
	assert_string_equal(
		dumped(m, (struct jited_style){ .linum = true }, true),
		"[{\"proto\":\"int first()\",\"name\":\"bpf_prog_0011223344556677_first\",\"start\":\"0xffffffffc0000100\",\"insns\":[{\"src\":\"one\","
		"\"file\":\"t.c\",\"line_num\":1,\"pc\":\"0x0\",\"opcodes\":[\"0x00\",\"0x01\"]}]},"
		"{\"proto\":\"int second()\",\"name\":\"0xffffffffc0000000\",\"start\":\"0xffffffffc0000000\",\"insns\":[{\"src\":\"three\",\"file\":\"t.c\","
		"\"line_num\":3,\"pc\":\"0x0\",\"opcodes\":[\"0x02\"]}]}]");
	scripted_end(m);
}

/* Old kernels, and those that hide addresses: one function without a name. */
static void test_little_known(void **state)
{
	struct scripted *m = scripted_new();

	(void)state;
	program.info.nr_jited_ksyms = program.info.nr_jited_func_lens = program.info.btf_id = 0;
	scripted_says(m, "prog/9/jited", 0, program.code, 3);
	assert_string_equal(dumped(m, (struct jited_style){ 0 }, false), "unknown:\n   0:\t00 01 02\n\n");
	assert_int_equal(m->env.report->unread, 0);
	scripted_end(m);
}

static void test_lengths_that_lie(void **state)
{
	struct scripted *m = scripted_new();

	(void)state;
	program.info.btf_id = 0;
	program.lens[0] = UINT32_MAX;
	assert_string_equal(
		dumped(m, (struct jited_style){ 0 }, false),
		"bpf_prog_0011223344556677_first:\n"
		"   0:\t00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n  10:\t10 11 12 13 14 15 16 17\n\n");
	program.lens[0] = 0;
	dumped(m, (struct jited_style){ 0 }, false);
	/* Less than the image: the rest is also shown. */
	program.lens[0] = 1;
	program.lens[1] = 1;
	scripted_says(m, "prog/9/jited", 0, program.code, 4);
	assert_string_equal(dumped(m, (struct jited_style){ 0 }, false),
			    "bpf_prog_0011223344556677_first:\n   0:\t00\n\n"
			    "0xffffffffc0000000:\n   0:\t01\n\nunknown:\n   0:\t02 03\n\n");
	scripted_end(m);
}

static void test_places_that_lie(void **state)
{
	static const uint64_t wrong[][3] = {
		{ 0, 0, 0 },
		{ UINT64_MAX, 1, UINT64_MAX },
		{ 0xffffffffc0000113, 0xffffffffc0000101, 0xffffffffc0000004 },
	};
	struct scripted *m = scripted_new();

	(void)state;
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		scripted_says(m, "prog/9/jited_line_info", 0, wrong[i], sizeof(wrong[i]));
		assert_null(strstr(dumped(m, (struct jited_style){ 0 }, false), "three"));
		assert_non_null(strstr(dumped(m, (struct jited_style){ 0 }, false), "int second():"));
	}
	program.info.jited_line_info_rec_size = 7;
	assert_null(strstr(dumped(m, (struct jited_style){ 0 }, false), "; "));
	program.info.jited_line_info_rec_size = sizeof(program.places[0]);
	program.funcs[1].insn_off = 0; /* all lines are the second's */
	scripted_says(m, "prog/9/jited_line_info", 0, program.places, sizeof(program.places));
	dumped(m, (struct jited_style){ 0 }, false);
	scripted_end(m);
}

/* jne +2; jmp to its own middle; two equal functions; the second function jumps into the first, which is outside of
 * itself. */
static void test_labels(void **state)
{
	static const unsigned char code[] = { 0x75, 0x02, 0xeb, 0xff, 0xc3, 0x74, 0xfd, 0xeb, 0xfc, 0xc3 };
	struct scripted *m = scripted_new();
	struct jited_style style = { .labels = m->env.arena };
	struct err e = { 0 };
	const char *text;

	(void)state;
	program.info.btf_id = program.info.nr_jited_ksyms = 0;
	program.lens[0] = program.lens[1] = 5;
	scripted_says(m, "prog/9/jited", 0, code, sizeof(code));
	/* Without a disassembler there are no instructions. */
	assert_string_equal(dumped(m, style, false),
			    "unknown:\n   0:\t75 02 eb ff c3\n\nunknown:\n   0:\t74 fd eb fc c3\n\n");
	if (disasm_open(&style.disasm, "x86_64", &e))
		skip_because("the disassembler is not available");
	text = dumped(m, style, false);
	/* The number of blanks after the operation depends on the library. */
	assert_non_null(strstr(text, "\n/--    0:\tjne "));
	assert_non_null(strstr(text, " L1\n|      2:\tjmp "));
	assert_non_null(strstr(text, " 0x3 <+0x3>\n|   L1:\n\\->    4:\tret\n\nunknown:\n    L2:\n/->    0:\tje "));
	assert_non_null(strstr(text, " 0xffffffffffffffff\n\\--    2:\tjmp "));
	text = dumped(m, style, true);
	assert_non_null(strstr(text, "{\"pc\":\"0x0\",\"operation\":\"jne\",\"operands\":[\"L1\"],\"disasm\":\"jne"));
	assert_non_null(strstr(text, " L1\",\"jump_target\":\"L1\",\"symbol\":\"+0x4\"}"));
	assert_non_null(strstr(text, "{\"label\":\"L1\",\"pc\":\"0x4\""));
	disasm_close(&style.disasm);
	scripted_end(m);
}

static void refused(struct scripted *m, int code, const char *msg, const char *hint)
{
	struct jited x;
	struct err e = { 0 };

	assert_int_equal(jited_read(&m->env, 9, &program.info, &x, &e), code);
	if (!strstr(e.msg, msg) || !strstr(e.hint, hint))
		fail_msg("%s | %s", e.msg, e.hint);
}

static void test_refused(void **state)
{
	static const struct {
		const char *limits;
		uint32_t len;
		const char *msg, *hint;
	} cases[] = {
		{ "kptr_restrict 2\nbpf_jit_enable 1\n", 24, "does not show its machine code", "kptr_restrict is 2" },
		{ "kptr_restrict 1\nbpf_jit_enable 1\n", 24, "does not show its machine code",
		  "CAP_SYSLOG, or kernel.kptr_restrict 0 (it is 1)" },
		{ "kptr_restrict 0\nbpf_jit_enable 1\n", 24, "does not show its machine code", "perf_event_paranoid" },
		{ "kptr_restrict 0\nbpf_jit_enable 0\n", 0, "was not compiled", "net.core.bpf_jit_enable" },
		{ "kptr_restrict 0\nbpf_jit_enable 1\n", 0, "was not compiled",
		  "may have been loaded before net.core.bpf_jit_enable was set to 1" },
		{ "kptr_restrict 0\nbpf_jit_enable -\n", 0, "was not compiled", "is not visible here" },
		{ "", 24, "does not show",
		  "kernel.kptr_restrict 0 and kernel.perf_event_paranoid at most 1, then save again" },
	};
	struct scripted *m;

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		m = scripted_new();
		scripted_saved(m);
		scripted_says(m, "sys/limits", 0, cases[i].limits, strlen(cases[i].limits));
		scripted_says(m, "prog/9/jited", 0, program.code, 0);
		program.info.jited_prog_len = cases[i].len;
		refused(m, -ENODATA, cases[i].msg, cases[i].hint);
		scripted_end(m);
	}
	m = scripted_new();
	scripted_says(m, "prog/9/jited", -EPERM, NULL, 0);
	refused(m, -EPERM, "cannot read its machine code", "");
	scripted_saved(m);
	scripted_says(m, "prog/9/jited", -ENODATA, NULL, 0);
	refused(m, -ENODATA, "not in this archive", "save it again");
	scripted_says(m, "sys/uname", -EPERM, NULL, 0);
	assert_string_equal(jited_machine(&m->env), "");
	scripted_end(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),		cmocka_unit_test(test_json),
		cmocka_unit_test(test_little_known),	cmocka_unit_test(test_lengths_that_lie),
		cmocka_unit_test(test_places_that_lie), cmocka_unit_test(test_labels),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
