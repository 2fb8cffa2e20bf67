/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../types/build.h"
#include "../prog/machine.h"
#include "code/insn.h"
#include "code/visual.h"
#include "code/xlated.h"
#include "kernel/abi.h"

#define INSN(code, regs, off, imm) \
	code, regs, (off)&0xff, ((off) >> 8) & 0xff, (imm)&0xff, ((imm) >> 8) & 0xff, ((imm) >> 16) & 0xff, \
		((imm) >> 24) & 0xff
#define MOV(n) INSN(0xb7, 0, 0, n)
#define EXIT INSN(0x95, 0, 0, 0)
#define JA(off) INSN(0x05, 0, off, 0)
#define JEQ(off) INSN(0x15, 0, off, 0)

static const char hostile[] = "x = \"*a\" < `b` & \\c > #d; \x1b \xff end";

static struct scripted *scripted_new(struct xlated *x, const unsigned char *image, size_t n, bool typed)
{
	static struct btf_build types;
	static struct func_record func;
	static struct line_record lines[2];
	static struct abi_btf_info btf_info;
	static struct scripted m;
	struct abi_prog_info info = {
		.id = 9,
		.xlated_prog_len = (uint32_t)n,
		.btf_id = typed ? 3 : 0,
		.nr_func_info = 1,
		.func_info_rec_size = sizeof(func),
		.nr_line_info = 2,
		.line_info_rec_size = sizeof(lines[0]),
	};
	struct err e = { 0 };
	uint32_t integer, proto, file;

	build_init(&types);
	integer = build_int(&types, "int", 4, BTF_INT_SIGNED, 0, 32);
	proto = build_type(&types, NULL, BTF_KIND_FUNC_PROTO, 0, 0,
			   build_type(&types, NULL, BTF_KIND_PTR, 0, 0, integer));
	func = (struct func_record){ 0, build_type(&types, "first", BTF_KIND_FUNC, 0, 0, proto) };
	file = build_str(&types, "/a/rather/long/way/to/a/file/which/is/called/t.c");
	lines[0] = (struct line_record){ 0, file, build_str(&types, hostile), 1 << 10 };
	lines[1] = (struct line_record){ 1, file, build_str(&types, "y"), 2 << 10 };
	build_done(&types);
	scripted_init(&m);
	scripted_says(&m, "prog/9/xlated", 0, image, n);
	scripted_says(&m, "prog/9/func_info", 0, &func, sizeof(func));
	scripted_says(&m, "prog/9/line_info", 0, lines, sizeof(lines));
	scripted_says(&m, "btf/3/info", 0, &btf_info, sizeof(btf_info));
	scripted_says(&m, "btf/3/data", 0, types.out, types.out_n);
	assert_int_equal(xlated_read(&m.env, 9, &info, x, &e), 0);
	return &m;
}

static const char *drawn(const unsigned char *image, size_t n, bool typed, bool collapse, const struct visual_writer *w)
{
	static struct out o;
	struct xlated_style style = { .linum = typed, .opcodes = typed };
	struct xlated x;
	struct scripted *m = scripted_new(&x, image, n, typed);

	free(o.buf);
	out_init(&o, -1);
	visual_write(&x, &style, collapse, w, NULL, m->env.arena, &o);
	scripted_end(m);
	return out_cstr(&o);
}

/* Moves past one quoted label: it has only text, breaks and #number; in place of markup. */
static const char *label_end(const char *p)
{
	assert_int_equal(*p, '"');
	for (p++; *p != '"'; p++) {
		assert_true(*p && *p != '\n' && !strchr("&>`*", *p));
		if (*p == '<') {
			assert_memory_equal(p, "<br/>", 5);
			p += 4;
		} else if (*p == '#') {
			p++;
			assert_true(*p >= '0' && *p <= '9');
			p += strspn(p, "0123456789");
			assert_int_equal(*p, ';');
		}
	}
	return p + 1;
}

/* The part of Mermaid's grammar that is used: edges only between existing nodes. Returns the number of nodes. */
static unsigned mermaid_check(const char *text)
{
	static const char head[] = "flowchart TD\n\tclassDef default text-align:left,font-family:monospace\n";
	unsigned func, node, to_func, to, nodes = 0, depth = 0;
	char edge[16], line[1024];

	assert_memory_equal(text, head, sizeof(head) - 1);
	for (const char *p = text + sizeof(head) - 1, *end; *p; p = end + 1) {
		end = strchr(p, '\n');
		assert_non_null(end);
		snprintf(line, sizeof(line), "%.*s", (int)(end - p), p);
		if (!strncmp(p, "\tend\n", 5)) {
			assert_int_equal(depth--, 1);
		} else if (sscanf(line, "\tsubgraph fn_%u[", &func) == 1) {
			assert_int_equal(depth++, 0);
			assert_memory_equal(label_end(strchr(p, '"')), "]\n", 2);
		} else if (sscanf(line, "\t\tfn_%u_bb_%u %15s fn_%u_bb_%u\n", &func, &node, edge, &to_func, &to) == 5) {
			char from_name[32], to_name[32];

			assert_true(!strcmp(edge, "-->") || !strcmp(edge, "-->|else|") || !strcmp(edge, "-->|taken|"));
			assert_int_equal(func, to_func);
			snprintf(from_name, sizeof(from_name), node > 1 ? "fn_%u_bb_%u[\"" : "fn_%u_bb_%u([\"", func,
				 node);
			snprintf(to_name, sizeof(to_name), to > 1 ? "fn_%u_bb_%u[\"" : "fn_%u_bb_%u([\"", func, to);
			assert_non_null(strstr(text, from_name));
			assert_non_null(strstr(text, to_name));
		} else {
			assert_int_equal(sscanf(line, "\t\tfn_%u_bb_%u", &func, &node), 2);
			assert_memory_equal(label_end(strchr(p, '"')), node > 1 ? "]\n" : "])\n", node > 1 ? 2 : 3);
			assert_int_equal(depth, 1);
			nodes++;
		}
	}
	assert_int_equal(depth, 0);
	return nodes;
}

static void test_mermaid(void **state)
{
	static const unsigned char image[] = { JEQ(1), MOV(1), EXIT };
	const char *text = drawn(image, sizeof(image), true, false, &visual_mermaid);

	(void)state;
	assert_int_equal(mermaid_check(text), 5);
	assert_non_null(strstr(text, "\tsubgraph fn_0[\"int #42; first()\"]\n\t\tfn_0_bb_0([\"ENTRY\"])\n"));
	assert_non_null(
		strstr(text,
		       "fn_0_bb_2[\"; x = #34;#42;a#34; #60; #96;b#96; #38; #92;c #62; #35;d; \\x1b \\xff end<br/>"
		       "; [.../to/a/file/which/is/called/t.c line:1 col:0]<br/>0: (15) if r0 == 0x0 goto pc+1<br/>"
		       "15 00 01 00 00 00 00 00\"]\n"));
	assert_non_null(strstr(
		text,
		"\t\tfn_0_bb_0 --> fn_0_bb_2\n\t\tfn_0_bb_2 -->|else| fn_0_bb_3\n"
		"\t\tfn_0_bb_2 -->|taken| fn_0_bb_4\n\t\tfn_0_bb_3 --> fn_0_bb_4\n\t\tfn_0_bb_4 --> fn_0_bb_1\n\tend\n"));
}

/* 0 goto 3; 1 2 never reached; 3..6 in one block; 7 if goto 9; 8; 9 exit. */
static void test_collapse(void **state)
{
	static const unsigned char image[] = {
		JA(2), MOV(1), EXIT, MOV(3), MOV(4), MOV(5), MOV(6), JEQ(1), MOV(8), EXIT
	};
	const char *text = drawn(image, sizeof(image), false, true, &visual_mermaid);

	(void)state;
	assert_int_equal(mermaid_check(text), 6);
	assert_non_null(
		strstr(text, "fn_0_bb_2[\"0: (05) goto pc+2<br/>... 4 more<br/>7: (15) if r0 == 0x0 goto pc+1\"]\n"));
	assert_non_null(strstr(text, "fn_0_bb_3[\"1: (b7) r0 = 1<br/>2: (95) exit\"]\n"));
	assert_non_null(strstr(text, "fn_0_bb_2 -->|else| fn_0_bb_5\n\t\tfn_0_bb_2 -->|taken| fn_0_bb_6\n"));
	text = drawn(image, sizeof(image), false, true, &visual_dot);
	assert_non_null(strstr(
		text,
		"label=\"{   0: (05) goto pc+2\\l\\\n| ... 4 more\\l\\\n   7: (15) if r0 == 0x0 goto pc+1\\l\\\n}\"];"));
	assert_non_null(strstr(
		text,
		"fn_0_bb_2:s -> fn_0_bb_5:n [style=\"solid,bold\", color=\"#b35900\", fontcolor=\"#b35900\", label=\"else\","));
	assert_non_null(strstr(
		text,
		"fn_0_bb_2:s -> fn_0_bb_6:n [style=\"solid,bold\", color=\"#0072b2\", fontcolor=\"#0072b2\", label=\"taken\","));
	assert_non_null(strstr(text, "\tlabel=\"func_0 ()\";\n"));
	/* With source lines, only the last instruction. */
	text = drawn(image, sizeof(image), true, true, &visual_mermaid);
	assert_non_null(strstr(text, "line:1 col:0]<br/>... 5 more<br/>7: (15) if r0 == 0x0 goto pc+1<br/>"));
	assert_non_null(strstr(text, "fn_0_bb_3[\"; y<br/>"));
}

/* Cycles, with and without an entry, and jumps without a target. */
static void test_circles(void **state)
{
	static const unsigned char circle[] = { JA(-1) }, apart[] = { EXIT, JA(0), JA(-2) },
				   nowhere[] = { JA(100), JEQ(-300), MOV(0) };

	(void)state;
	for (int collapse = 0; collapse < 2; collapse++) {
		assert_int_equal(mermaid_check(drawn(circle, sizeof(circle), false, collapse, &visual_mermaid)), 3);
		mermaid_check(drawn(apart, sizeof(apart), false, collapse, &visual_mermaid));
		assert_non_null(
			strstr(drawn(apart, sizeof(apart), false, collapse, &visual_mermaid), "1: (05) goto pc+0"));
		mermaid_check(drawn(nowhere, sizeof(nowhere), false, collapse, &visual_mermaid));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mermaid),
		cmocka_unit_test(test_collapse),
		cmocka_unit_test(test_circles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
