/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <stdlib.h>

#include "../types/build.h"
#include "../prog/machine.h"
#include "code/insn.h"
#include "code/labels.h"
#include "code/visual.h"
#include "code/xlated.h"
#include "render/doc.h"
#include "render/jsonw.h"
#include "kernel/abi.h"

/*
 * int first(void) calls second(7) and a helper by address, and loads a map's value:
 *   0 r1 = map[id:5][0]+8 (two slots); 2 call second; 3 call by address; 4 exit; 5 r0 = 1; 6 exit
 */
/* clang-format off */
static const unsigned char image[] = {
	0x18, 0x21, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0,
	0x85, 0x10, 2, 0, 1, 0, 0, 0,
	0x85, 0, 0, 0, 0, 0x10, 0, 0,
	0x95, 0, 0, 0, 0, 0, 0, 0,
	0xb7, 0, 0, 0, 1, 0, 0, 0,
	0x95, 0, 0, 0, 0, 0, 0, 0,
};
/* clang-format on */
static const char kallsyms[] =
	"ffffffff81000000 T __bpf_call_base\n"
	"ffffffff81001000 T bpf_helper_of_test\n"
	"ffffffffc0000000 t bpf_prog_0011223344556677_first\t[bpf]\n"
	"ffffffffc0000100 t bpf_prog_8899aabbccddeeff_second\t[bpf]\n";
static const uint64_t ksyms[] = { 0xffffffffc0000000, 0xffffffffc0000100 };

static struct btf_build types;
static struct func_record funcs[2];
static struct line_record lines[4];
static struct abi_btf_info btf_info;
static struct abi_prog_info info;

static struct scripted *scripted_new(void)
{
	static struct scripted m;
	uint32_t integer, proto, file, text;

	build_init(&types);
	integer = build_int(&types, "int", 4, BTF_INT_SIGNED, 0, 32);
	proto = build_type(&types, NULL, BTF_KIND_FUNC_PROTO, 1, 0, integer);
	build_pair(&types, "a", integer);
	funcs[0] = (struct func_record){ 0, build_type(&types, "first", BTF_KIND_FUNC, 0, 0, proto) };
	funcs[1] = (struct func_record){ 5, build_type(&types, "second", BTF_KIND_FUNC, 0, 0, proto) };
	file = build_str(&types, "t.c");
	text = build_str(&types, "\t  return \"1\";");
	lines[0] = (struct line_record){ 0, file, text, 12 << 10 | 3 };
	lines[1] = (struct line_record){ 3, file, text, 13 << 10 };
	lines[2] = (struct line_record){ 4, file, 0, 0 };
	lines[3] = (struct line_record){ 5, 0, text, 14 << 10 | 1023 };
	build_done(&types);

	scripted_init(&m);
	scripted_says(&m, "prog/9/xlated", 0, image, sizeof(image));
	scripted_says(&m, "prog/9/func_info", 0, funcs, sizeof(funcs));
	scripted_says(&m, "prog/9/line_info", 0, lines, sizeof(lines));
	scripted_says(&m, "prog/9/jited_ksyms", 0, ksyms, sizeof(ksyms));
	scripted_says(&m, "btf/3/info", 0, &btf_info, sizeof(btf_info));
	scripted_says(&m, "btf/3/data", 0, types.out, types.out_n);
	scripted_says(&m, "sys/kallsyms", 0, kallsyms, sizeof(kallsyms) - 1);
	info = (struct abi_prog_info){
		.id = 9,
		.xlated_prog_len = sizeof(image),
		.btf_id = 3,
		.nr_func_info = 2,
		.func_info_rec_size = sizeof(funcs[0]),
		.nr_line_info = 4,
		.line_info_rec_size = sizeof(lines[0]),
		.nr_jited_ksyms = 2,
	};
	return &m;
}

/* The text of the machine's program, valid until the next one. */
static const char *dumped(struct scripted *m, struct xlated_style style, bool json)
{
	static struct out o;
	struct jsonw w;
	struct doc d;
	struct xlated x;
	struct err e = { 0 };

	free(o.buf);
	out_init(&o, -1);
	assert_int_equal(xlated_read(&m->env, 9, &info, &x, &e), 0);
	assert_int_equal(e.code, 0);
	jsonw_init(&w, &o, false);
	doc_init(&d, &o, json ? &w : NULL, m->env.keep);
	xlated_write(&x, &style, &d, NULL);
	assert_int_equal(w.depth, 0);
	return out_cstr(&o);
}

static void test_plain(void **state)
{
	struct scripted *m = scripted_new();

	(void)state;
	assert_string_equal(dumped(m, (struct xlated_style){ 0 }, false),
			    "int first(int a):\n"
			    "; return \"1\";\n"
			    "   0: (18) r1 = map[id:5][0]+8\n"
			    "   2: (85) call pc+2#bpf_prog_8899aabbccddeeff_second\n"
			    "; return \"1\";\n"
			    "   3: (85) call bpf_helper_of_test#4096\n"
			    "; \n"
			    "   4: (95) exit\n"
			    "int second(int a):\n"
			    "; return \"1\";\n"
			    "   5: (b7) r0 = 1\n"
			    "   6: (95) exit\n");
	assert_int_equal(m->env.report->unread, 0);
	scripted_end(m);
}

static void test_plain_with_all(void **state)
{
	struct scripted *m = scripted_new();

	(void)state;
	assert_string_equal(dumped(m, (struct xlated_style){ .opcodes = true, .linum = true }, false),
			    "int first(int a):\n"
			    "; return \"1\"; [file:t.c line_num:12 line_col:3]\n"
			    "   0: (18) r1 = map[id:5][0]+8\n"
			    "       18 21 00 00 05 00 00 00 00 00 00 00 08 00 00 00\n"
			    "   2: (85) call pc+2#bpf_prog_8899aabbccddeeff_second\n"
			    "       85 10 02 00 01 00 00 00\n"
			    "; return \"1\"; [file:t.c line_num:13 line_col:0]\n"
			    "   3: (85) call bpf_helper_of_test#4096\n"
			    "       85 00 00 00 00 10 00 00\n"
			    ";  [file:t.c line_num:0 line_col:0]\n"
			    "   4: (95) exit\n"
			    "       95 00 00 00 00 00 00 00\n"
			    "int second(int a):\n"
			    "; return \"1\"; [file: line_num:14 line_col:1023]\n"
			    "   5: (b7) r0 = 1\n"
			    "       b7 00 00 00 01 00 00 00\n"
			    "   6: (95) exit\n"
			    "       95 00 00 00 00 00 00 00\n");
	scripted_end(m);
}

static void test_json(void **state)
{
	struct scripted *m = scripted_new();

	(void)state;
	info.nr_line_info = 0;
	scripted_says(m, "prog/9/xlated", 0, image + 40, 16);
	assert_string_equal(dumped(m, (struct xlated_style){ 0 }, true),
			    "[{\"proto\":\"int first(int a)\",\"disasm\":\"(b7) r0 = 1\"},{\"disasm\":\"(95) exit\"}]");
	info.nr_line_info = 4;
	scripted_says(m, "prog/9/xlated", 0, image, 16);
	assert_string_equal(
		dumped(m, (struct xlated_style){ .opcodes = true, .linum = true }, true),
		"[{\"proto\":\"int first(int a)\",\"src\":\"return \\\"1\\\";\",\"file\":\"t.c\",\"line_num\":12,"
		"\"line_col\":3,\"disasm\":\"(18) r1 = map[id:5][0]+8\",\"opcodes\":{\"code\":\"0x18\","
		"\"src_reg\":\"0x2\",\"dst_reg\":\"0x1\",\"off\":[\"0x00\",\"0x00\"],\"imm\":[\"0x05\",\"0x00\","
		"\"0x00\",\"0x00\",\"0x00\",\"0x00\",\"0x00\",\"0x00\",\"0x08\",\"0x00\",\"0x00\",\"0x00\"]}}]");
	scripted_end(m);
}

static void test_unknown_addresses(void **state)
{
	static const uint64_t hidden[] = { 0, 0 };
	struct scripted *m = scripted_new();

	(void)state;
	scripted_says(m, "sys/kallsyms", -EACCES, NULL, 0);
	scripted_says(m, "prog/9/xlated", 0, image + 16, 16);
	info.btf_id = 0;
	assert_string_equal(dumped(m, (struct xlated_style){ 0 }, false),
			    "   0: (85) call pc+2#0xffffffffc0000100\n   1: (85) call 0x1000#4096\n");
	scripted_says(m, "prog/9/jited_ksyms", 0, hidden, sizeof(hidden));
	assert_string_equal(dumped(m, (struct xlated_style){ 0 }, false),
			    "   0: (85) call pc+2#0x0\n   1: (85) call 0x1000#4096\n");
	/* Instruction 1 needs two addresses. */
	scripted_says(m, "prog/9/jited_ksyms", 0, ksyms, sizeof(ksyms[0]) + 7);
	assert_string_equal(dumped(m, (struct xlated_style){ 0 }, false),
			    "   0: (85) call pc+2\n   1: (85) call 0x1000#4096\n");
	scripted_end(m);
}

static void test_symbols_only_if_needed(void **state)
{
	static const unsigned char by_number[] = { 0x85, 0, 0, 0, 1, 0, 0, 0, 0x95, 0, 0, 0, 0, 0, 0, 0 };
	struct scripted *m = scripted_new();

	(void)state;
	scripted_says(m, "prog/9/xlated", 0, by_number, sizeof(by_number));
	info.btf_id = 0;
	assert_string_equal(dumped(m, (struct xlated_style){ 0 }, false),
			    "   0: (85) call bpf_map_lookup_elem#1\n   1: (95) exit\n");
	assert_int_equal(scripted_asked(m, "sys/kallsyms"), 0);
	/* A call inside a program that was not compiled has no address to look up. */
	scripted_says(m, "prog/9/xlated", 0, image + 16, 8);
	info.nr_jited_ksyms = 0;
	assert_string_equal(dumped(m, (struct xlated_style){ 0 }, false), "   0: (85) call pc+2\n");
	assert_int_equal(scripted_asked(m, "sys/kallsyms"), 0);
	scripted_end(m);
}

static void test_records_that_lie(void **state)
{
	struct scripted *m = scripted_new();
	unsigned char cut[16 + 5] = { 0 };
	char longer[3 * 20];

	(void)state;
	memcpy(cut, image + 40, 16);
	scripted_says(m, "prog/9/xlated", 0, cut, sizeof(cut));
	info.func_info_rec_size = 7;
	info.line_info_rec_size = 15;
	assert_string_equal(dumped(m, (struct xlated_style){ 0 }, false), "   0: (b7) r0 = 1\n   1: (95) exit\n");
	assert_int_equal(scripted_asked(m, "prog/9/func_info"), 0);
	/* Records that are longer than the known ones, and fewer than announced; several for one instruction: the last
	 * is used. */
	memset(longer, 0, sizeof(longer));
	lines[0].insn_off = lines[1].insn_off = 0;
	lines[2].insn_off = 0xffffffff;
	for (int i = 0; i < 3; i++)
		memcpy(longer + i * 20, &lines[i], sizeof(lines[i]));
	scripted_says(m, "prog/9/line_info", 0, longer, sizeof(longer) - 1);
	info.line_info_rec_size = 20;
	info.nr_line_info = 0xffffffff;
	assert_string_equal(dumped(m, (struct xlated_style){ .linum = true }, false),
			    "; return \"1\"; [file:t.c line_num:13 line_col:0]\n   0: (b7) r0 = 1\n   1: (95) exit\n");
	/* Offsets and types that do not exist. */
	lines[0] = (struct line_record){ 0, 0xfffffff0, 0x7fffffff, 0xffffffff };
	funcs[0] = (struct func_record){ 0, 4711 };
	funcs[1] = (struct func_record){ 1, 1 };
	info.func_info_rec_size = sizeof(funcs[0]);
	info.line_info_rec_size = sizeof(lines[0]);
	scripted_says(m, "prog/9/line_info", 0, lines, sizeof(lines[0]));
	assert_string_equal(dumped(m, (struct xlated_style){ .linum = true }, false),
			    ";  [file: line_num:4194303 line_col:1023]\n   0: (b7) r0 = 1\n   1: (95) exit\n");
	scripted_end(m);
}

static void test_cut_image(void **state)
{
	struct scripted *m = scripted_new();
	struct xlated x;
	struct err e = { 0 };

	(void)state;
	info.btf_id = 0;
	scripted_says(m, "prog/9/xlated", 0, image, 15);
	assert_string_equal(dumped(m, (struct xlated_style){ .opcodes = true }, false),
			    "   0: (18) r1 = map[id:5][0]+0\n       18 21 00 00 05 00 00 00\n");
	scripted_says(m, "prog/9/xlated", 0, image, 7);
	assert_int_equal(xlated_read(&m->env, 9, &info, &x, &e), -ENODATA);
	scripted_end(m);
}

static void test_failures(void **state)
{
	static const char restricted[] = "kptr_restrict 2\n";
	struct scripted *m = scripted_new();
	struct xlated x = { .insns = 77 };
	struct err e = { 0 };

	(void)state;
	scripted_saved(m);
	scripted_says(m, "sys/limits", 0, restricted, sizeof(restricted) - 1);
	scripted_says(m, "prog/9/xlated", 0, image, 0);
	assert_int_equal(xlated_read(&m->env, 9, &info, &x, &e), -ENODATA);
	assert_string_equal(e.msg,
			    "program 9: the kernel does not show its instructions, because their constants are blinded "
			    "(net.core.bpf_jit_harden)");
	assert_string_equal(
		e.hint,
		"kernel.kptr_restrict is 2, which hides addresses from all processes: set it to 1 or 0, then save again");
	err_clear(&e);
	info.xlated_prog_len = 0;
	assert_int_equal(xlated_read(&m->env, 9, &info, &x, &e), -ENODATA);
	assert_string_equal(e.msg, "program 9: the kernel does not show its instructions");
	assert_non_null(strstr(e.hint, "CAP_SYS_ADMIN: save again"));
	info.xlated_prog_len = sizeof(image);
	err_clear(&e);
	scripted_says(m, "prog/9/xlated", -ENODATA, NULL, 0);
	assert_int_equal(xlated_read(&m->env, 9, &info, &x, &e), -ENODATA);
	assert_non_null(strstr(e.msg, "not in this archive"));
	err_clear(&e);
	scripted_says(m, "prog/9/xlated", -EPERM, NULL, 0);
	assert_int_equal(xlated_read(&m->env, 9, &info, &x, &e), -EPERM);
	assert_int_equal(x.insns, 77);
	scripted_end(m);
}

/* Without BTF the code is still shown; the missing types are counted. */
static void test_no_types(void **state)
{
	struct scripted *m = scripted_new();

	(void)state;
	scripted_says(m, "btf/3/data", -EPERM, NULL, 0);
	scripted_says(m, "prog/9/xlated", 0, image + 40, 16);
	assert_string_equal(dumped(m, (struct xlated_style){ .linum = true }, false),
			    "   0: (b7) r0 = 1\n   1: (95) exit\n");
	assert_int_equal(m->env.report->unread, 1);
	scripted_end(m);
}

/* 0 if r0 == 0 goto 2; 1 r0 = 1; 2 call 4; 3 exit; 4 goto 6; 5 the second function; 6 exit */
static const unsigned char jumps[] = {
	0x15, 0, 1, 0, 0,    0, 0, 0, 0xb7, 0, 0, 0, 1,	   0, 0, 0, 0x85, 0x10, 2, 0, 0,    0, 0, 0, 0x95, 0, 0, 0,
	0,    0, 0, 0, 0x95, 0, 0, 0, 0,    0, 0, 0, 0x06, 0, 0, 0, 0,	  0,	0, 0, 0x95, 0, 0, 0, 0,	   0, 0, 0,
};

static void test_labels(void **state)
{
	struct scripted *m = scripted_new();
	struct xlated x = { .image = { jumps, sizeof(jumps) }, .insns = sizeof(jumps) / INSN_SIZE };
	struct labels l;

	(void)state;
	info.btf_id = info.nr_jited_ksyms = 0;
	scripted_says(m, "prog/9/xlated", 0, jumps, sizeof(jumps));
	xlated_labels(&x, m->env.arena, &l);
	assert_string_equal(dumped(m, (struct xlated_style){ .labels = &l }, false),
			    "/--    0: (15) if r0 == 0x0 goto L1\n"
			    "|      1: (b7) r0 = 1\n"
			    "|   L1:\n"
			    "\\->    2: (85) call pc+2\n"
			    "       3: (95) exit\n"
			    "       4: (95) exit\n"
			    "/--    5: (06) gotol L2\n"
			    "|   L2:\n"
			    "\\->    6: (95) exit\n");
	assert_non_null(strstr(
		dumped(m, (struct xlated_style){ .labels = &l }, true),
		"[{\"disasm\":\"(15) if r0 == 0x0 goto L1\",\"jump_target\":\"L1\"},{\"disasm\":\"(b7) r0 = 1\"},"
		"{\"label\":\"L1\",\"disasm\":\"(85) call pc+2\"}"));
	scripted_end(m);
}

/* Each function with its own signature and lines, and edges along the real control flow. */
static void test_visual(void **state)
{
	struct scripted *m = scripted_new();
	struct xlated_style style = { .linum = true, .opcodes = true };
	struct xlated x;
	struct err e = { 0 };
	struct out o;

	(void)state;
	out_init(&o, -1);
	scripted_says(m, "prog/9/xlated", 0, image + 32, 24);
	funcs[1].insn_off = 1;
	lines[1].insn_off = 1;
	info.nr_line_info = 2;
	assert_int_equal(xlated_read(&m->env, 9, &info, &x, &e), 0);
	/* exit; r0 = 1; exit: the second function is not called. */
	visual_write(&x, &style, false, &visual_dot, NULL, m->env.arena, &o);
	assert_string_equal(
		out_cstr(&o),
		"digraph \"DOT graph for eBPF program\" {\n"
		"\tnode [fontname=\"monospace\", fontsize=10, color=\"#808080\", fillcolor=\"#f3f4f6\"];\n"
		"\tedge [fontname=\"monospace\", fontsize=9, arrowsize=0.7];\n"
		"\tgraph [fontname=\"monospace\", fontsize=11];\n"
		"subgraph \"cluster_0\" {\n\tstyle=\"dashed\";\n\tcolor=\"#808080\";\n\tlabel=\"int first(int a)\";\n"
		"\tfn_0_bb_0 [shape=Mdiamond,style=filled,label=\"ENTRY\"];\n\n"
		"\tfn_0_bb_2 [shape=record,style=filled,label=\"{; int\\ first(int\\ a):\\l\\\n"
		"; return\\ \\\"1\\\";\\l\\\n; [t.c line:12 col:3]\\l\\\n"
		"   0: (95) exit\\l\\\n\\ \\ \\ \\ 95 00 00 00 00 00 00 00\\l\\\n}\"];\n\n"
		"\tfn_0_bb_3 [shape=record,style=filled,label=\"{; int\\ second(int\\ a):\\l\\\n"
		"; return\\ \\\"1\\\";\\l\\\n; [t.c line:13 col:0]\\l\\\n"
		"   1: (b7) r0 = 1\\l\\\n\\ \\ \\ \\ b7 00 00 00 01 00 00 00\\l\\\n"
		"|    2: (95) exit\\l\\\n\\ \\ \\ \\ 95 00 00 00 00 00 00 00\\l\\\n}\"];\n\n"
		"\tfn_0_bb_1 [shape=Mdiamond,style=filled,label=\"EXIT\"];\n\n"
		"\tfn_0_bb_0:s -> fn_0_bb_2:n [style=\"solid,bold\", color=black, weight=10, constraint=true];\n"
		"\tfn_0_bb_2:s -> fn_0_bb_1:n [style=\"solid,bold\", color=black, weight=10, constraint=true];\n"
		"\tfn_0_bb_3:s -> fn_0_bb_1:n [style=\"solid,bold\", color=black, weight=10, constraint=true];\n"
		"\tfn_0_bb_0:s -> fn_0_bb_1:n [style=\"invis\", constraint=true];\n}\n}\n");
	free(o.buf);
	scripted_end(m);
}

/* Lines at 0, 3, 4 and 5, the first two equal: the addresses in machine code are kept with the lines. */
static void folded(struct scripted *m, bool columns, size_t lines_expected, const char *places_expected)
{
	static const unsigned char codes[] = "abcd";
	struct info_array places = { codes, 3, 1 };
	struct err e = { 0 };
	struct xlated x;

	assert_int_equal(xlated_read(&m->env, 9, &info, &x, &e), 0);
	code_info_fold(&x.src, &places, columns, m->env.arena);
	assert_int_equal(x.src.lines.n, lines_expected);
	assert_int_equal(places.n, strlen(places_expected));
	assert_memory_equal(places.p, places_expected, places.n);
	assert_int_equal(code_info_line(&x.src, x.src.lines.n - 1).insn_off, 5);
}

static void test_fold(void **state)
{
	struct scripted *m = scripted_new();

	(void)state;
	folded(m, false, 3, "ab");
	lines[1].line_col = 12 << 10 | 9;
	folded(m, false, 2, "a");
	folded(m, true, 3, "ab");
	lines[1] = (struct line_record){ 3, lines[0].file_off, 0, 0 };
	lines[2] = lines[0];
	lines[2].insn_off = 4;
	folded(m, true, 2, "a");
	/* A function begins with its line, even if that is also the last line of the previous function; a line without
	 * text is not shown then. */
	lines[3] = lines[0];
	lines[3].insn_off = 5;
	folded(m, false, 2, "a");
	lines[3].line_off = 0;
	folded(m, false, 2, "a");
	scripted_end(m);
}

static const char *folded_text(struct scripted *m, bool named)
{
	static struct out o;
	struct err e = { 0 };
	struct xlated x;
	struct doc d;

	free(o.buf);
	out_init(&o, -1);
	assert_int_equal(xlated_read(&m->env, 9, &info, &x, &e), 0);
	code_info_fold(&x.src, NULL, false, m->env.arena);
	if (named)
		xlated_refer(&m->env, &x);
	doc_init(&d, &o, NULL, m->env.keep);
	xlated_write(&x, &(struct xlated_style){ 0 }, &d, NULL);
	return out_cstr(&o);
}

static void test_folded(void **state)
{
	struct abi_map_info map = { .id = 5, .name = "demo.bss" };
	struct scripted *m = scripted_new();

	(void)state;
	scripted_says(m, "map/5/info", 0, &map, sizeof(map));
	lines[3].line_off = 0;
	assert_string_equal(folded_text(m, true),
			    "int first(int a):\n"
			    "; return \"1\";\n"
			    "   0: (18) r1 = map[id:5][0]+8  ; demo.bss\n"
			    "   2: (85) call pc+2#bpf_prog_8899aabbccddeeff_second\n"
			    "; return \"1\";\n"
			    "   3: (85) call bpf_helper_of_test#4096\n"
			    "   4: (95) exit\n"
			    "int second(int a):\n"
			    "   5: (b7) r0 = 1\n"
			    "   6: (95) exit\n");
	assert_int_equal(m->env.report->unread, 0);
	scripted_says(m, "map/5/info", -EPERM, NULL, 0);
	assert_non_null(strstr(folded_text(m, true), "r1 = map[id:5][0]+8  ; ?\n"));
	assert_int_equal(m->env.report->unread, 1);
	assert_null(strstr(folded_text(m, false), "  ; "));
	scripted_end(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_plain_with_all),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_unknown_addresses),
		cmocka_unit_test(test_symbols_only_if_needed),
		cmocka_unit_test(test_records_that_lie),
		cmocka_unit_test(test_cut_image),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_no_types),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_visual),
		cmocka_unit_test(test_fold),
		cmocka_unit_test(test_folded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
