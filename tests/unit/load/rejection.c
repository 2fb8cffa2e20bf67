/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "load/rejection.h"
#include "render/doc.h"

static void checked(void **state)
{
	static const char log[] =
		"arg#0 reference type('UNKNOWN ') size cannot be determined: -22\n"
		"0: R1=ctx() R10=fp0\n"
		"; if (!v) @ x.bpf.c:39\n"
		"9: (15) if r0 == 0x0 goto pc+4        ; R0=map_value(map=values,ks=4,vs=32)\n"
		"; return v[i]; @ x.bpf.c:41\n"
		"10: (61) r1 = *(u32 *)(r6 +0)         ; R1=scalar(smin=0,var_off=(0x0; 0xffffffff)) R6=ctx()\n"
		"13: (79) r1 = *(u64 *)(r0 +0)\n"
		"R0 unbounded memory access, make sure to bounds check any such access\n"
		"processed 13 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0 mark_read 0\n";
	ARENA a = arena_new();
	struct rejection r;

	(void)state;
	rejection_read(&r, log, a);
	assert_string_equal(r.cause, "out_of_bounds");
	assert_int_equal(r.insn, 13);
	assert_string_equal(r.code, "(79) r1 = *(u64 *)(r0 +0)");
	assert_string_equal(r.source, "return v[i];");
	assert_string_equal(r.at, "x.bpf.c:41");
	assert_int_equal(r.nregisters, 2);
	assert_string_equal(r.registers[0], "R0=map_value(map=values,ks=4,vs=32)");
	assert_string_equal(r.registers[1], "R1=scalar(smin=0,var_off=(0x0; 0xffffffff))");
	assert_int_equal(r.nmessages, 1);
	assert_int_equal(r.nbranches, 1);
	assert_int_equal(r.branches[0].insn, 9);
	assert_false(r.branches[0].taken);
	assert_int_equal(r.processed, 13);
}

/* Two paths: the first succeeds, the second, from 2 on, fails; states of the first are not on the path. */
static void another_way(void **state)
{
	static const char log[] =
		"0: (b7) r1 = 1                        ; R1=1\n"
		"1: (15) if r2 == 0x1 goto pc+1        ; R2=scalar()\n"
		"2: (15) if r3 == 0x1 goto pc+2        ; R3=scalar()\n"
		"3: (55) if r4 != 0x1 goto pc+1        ; R4=scalar()\n"
		"4: (95) exit\n"
		"\n"
		"from 3 to 5: R0=0 R10=fp0\n"
		"5: (95) exit\n"
		"\n"
		"from 2 to 5: safe\n"
		"\n"
		"from 1 to 3: R1_w=1 R2=1 R10=fp0\n"
		"3: (55) if r4 != 0x1 goto pc+1\n"
		"5: (79) r0 = *(u64 *)(r2 +0)\n"
		"R2 invalid mem access 'inv'\n";
	ARENA a = arena_new();
	struct rejection r;

	(void)state;
	rejection_read(&r, log, a);
	assert_string_equal(r.cause, "not_a_pointer");
	assert_int_equal(r.insn, 5);
	assert_null(r.source);
	assert_int_equal(r.nbranches, 2);
	assert_int_equal(r.branches[0].insn, 1);
	assert_int_equal(r.branches[0].to, 3);
	assert_true(r.branches[0].taken);
	assert_int_equal(r.branches[1].insn, 3);
	assert_true(r.branches[1].taken);
	assert_int_equal(r.nregisters, 1);
	assert_string_equal(r.registers[0], "R2=1");
}

/* The state of all registers, or a message, on the line of an instruction; a loop is one branch. */
static void on_one_line(void **state)
{
	static const char log[] =
		"14: (6d) if r1 s> r2 goto pc-7 8: R1=0x989680 R2=scalar()\n"
		"; for (;;)\n"
		"8: (07) r0 += 1\n"
		"14: (6d) if r1 s> r2 goto pc-7        ; R2=7\n"
		"8: (07) r0 += 1\n"
		"14: (6d) if r1 s> r2 goto pc-7 infinite loop detected at insn 8\n"
		"cur state: R0=1\n";
	ARENA a = arena_new();
	struct rejection r;

	(void)state;
	rejection_read(&r, log, a);
	assert_string_equal(r.cause, "infinite_loop");
	assert_string_equal(r.code, "(6d) if r1 s> r2 goto pc-7");
	assert_string_equal(r.messages[0], "infinite loop detected at insn 8");
	assert_string_equal(r.source, "for (;;)");
	assert_null(r.at);
	assert_int_equal(r.nregisters, 2);
	assert_string_equal(r.registers[1], "R2=7");
	assert_int_equal(r.branches[r.nbranches - 1].insn, 14);
}

static void not_walked(void **state)
{
	ARENA a = arena_new();
	struct rejection r;

	(void)state;
	rejection_read(&r, "unreachable insn 1\nprocessed 0 insns (limit 1000000)\n", a);
	assert_string_equal(r.cause, "unreachable");
	assert_null(r.code);
	rejection_read(&r, "kfunc bpf_rdonly_cast type ID argument must be of a struct\n", a);
	assert_string_equal(r.cause, "wrong_type");
	rejection_read(&r, "R1 invalid rdonly buffer access: off=-4, size=4\n", a);
	assert_string_equal(r.cause, "out_of_bounds");
	rejection_read(&r, "R1 type=rdonly_mem expected=fp\n", a);
	assert_string_equal(r.cause, "read_only");
	rejection_read(&r, "something that no kernel said before\n", a);
	assert_null(r.cause);
	assert_string_equal(r.messages[0], "something that no kernel said before");
	rejection_read(&r, "", a);
	assert_int_equal(r.nmessages, 0);
}

/* A log that is truncated or damaged anywhere is read. */
static void damaged(void **state)
{
	static const char log[] =
		"4294967295: (15) if\nfrom 99 to\nfrom\nR0=\n1: (\n1: (x ; R99=1 R1=(((\nfrom 1 to 2: R1\n; \n:\n";
	ARENA a = arena_new();
	struct rejection r;
	char text[sizeof(log)];

	(void)state;
	for (size_t n = 0; n < sizeof(log); n++) {
		snprintf(text, sizeof(text), "%.*s", (int)n, log);
		rejection_read(&r, text, a);
	}
	assert_true(r.nmessages > 0);
}

/*
 * Logs of Linux 6.12 for programs of the kernel's selftests (verifier_*) without source lines: "== PROGRAM
 * CAUSE", the log. Counts the logs, and those for which another cause is found.
 */
static unsigned logs_read(const char *path, unsigned *ret_wrong)
{
	ARENA a = arena_new();
	STR file = { 0 };
	unsigned n = 0;
	char *p;

	*ret_wrong = 0;
	assert_int_equal(str_read_file(&file, path, 1 << 20), 0);
	for (p = file.p; p && !strncmp(p, "== ", 3); n++) {
		char prog[64], cause[32], *log = strchr(p, '\n'), *next = log ? strstr(log, "\n== ") : NULL;
		struct rejection r;

		assert_non_null(log);
		assert_int_equal(sscanf(p, "== %63s %31s", prog, cause), 2);
		if (next)
			*next++ = '\0';
		rejection_read(&r, log + 1, a);
		if (strcmp(r.cause ? r.cause : "-", cause)) {
			print_message("%s: %s, not %s\n", prog, r.cause ? r.cause : "no cause", cause);
			++*ret_wrong;
		}
		p = next;
	}
	return n;
}

/* Causes that bpflens found and that were reviewed: they must not change. */
static void selftests(void **state)
{
	unsigned wrong;

	(void)state;
	assert_int_equal(logs_read("tests/unit/load/rejected.txt", &wrong), 50);
	assert_int_equal(wrong, 0);
}

/* Drawn at random from 443, with the cause that a reader of the log gave before bpflens was run; "-": none of its
 * causes.
 */
static void drawn(void **state)
{
	unsigned wrong;

	(void)state;
	assert_int_equal(logs_read("tests/unit/load/drawn.txt", &wrong), 40);
	assert_true(wrong <= 4);
}

static void library(void **state)
{
	const char *odd = "libbpf: prog 'x': missing BPF prog type, check ELF section name 'sk_skb1'";
	const char *target = "libbpf: prog 'x': failed to prepare load attributes: -22", *end = "R0 !read_ok";
	const char *none =
		"libbpf: prog 'x': no BTF-based attach target is specified, use bpf_program__set_attach_target()";

	(void)state;
	assert_string_equal(reject_cause(&odd, 1)->word, "program_type");
	assert_true(reject_cause(&odd, 1)->library);
	assert_string_equal(reject_cause(&target, 1)->word, "attach_target");
	assert_string_equal(reject_cause(&none, 1)->word, "attach_target");
	assert_false(reject_cause(&end, 1)->library);
}

/* The turns of a loop with several branches are one, also if there is a loop in it; the last one is another. */
static void folded(void **state)
{
	static const struct {
		uint32_t insn, to, times;
	} want[] = { { 2, 5, 1 }, { 7, 8, 40 }, { 8, 8, 120 }, { 9, 7, 40 }, { 7, 12, 1 } };
	ARENA a = arena_new();
	struct rejection r;
	STR log = { 0 };

	(void)state;
	str_fmt(&log, "2: (15) if r1 == 0x0 goto pc+2\n");
	str_fmt(&log, "5: (b7) r0 = 0\n");
	for (unsigned turn = 0; turn < 40; turn++) {
		str_fmt(&log, "; if (a) @ x.c:4\n7: (15) if r1 == 0x1 goto pc+4\n");
		for (unsigned inner = 0; inner < 3; inner++)
			str_fmt(&log, "; while (b) @ x.c:5\n8: (15) if r2 == 0x1 goto pc-1\n");
		str_fmt(&log, "8: (07) r2 += 1\n9: (15) if r3 == 0x1 goto pc-3\n");
	}
	str_fmt(&log,
		"7: (15) if r1 == 0x1 goto pc+4\n12: (79) r0 = *(u64 *)(r0 +0)\nR0 invalid mem access 'scalar'\n");
	rejection_read(&r, log.p, a);
	assert_int_equal(r.nbranches, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_int_equal(r.branches[i].insn, want[i].insn);
		assert_int_equal(r.branches[i].to, want[i].to);
		assert_int_equal(r.branches[i].times, want[i].times);
	}
	assert_string_equal(r.branches[1].at, "x.c:4");
}

/* However long the text of a branch is, all of it is printed: the renderer asks again if its first buffer was too
 * small. */
static void long_branches(void **state)
{
	char at[300], want[400];

	(void)state;
	for (size_t n = 200; n < sizeof(at); n++) {
		ARENA a = arena_new();
		struct reject_branch b = { .insn = 1, .to = 2, .times = 3, .at = at };
		struct rejection r = { .branches = &b, .nbranches = 1 };
		struct out out;
		struct doc d;

		memset(at, 'x', n);
		at[n] = '\0';
		snprintf(want, sizeof(want), "after %s  1 -> 2, 3 times\n", at);
		out_init(&out, -1);
		doc_init(&d, &out, NULL, a);
		doc_fields(&d, &rejection_schema, &r);
		assert_non_null(strstr(out_cstr(&out), want));
		out_close(&out, NULL);
	}
}

/* Only the message names it. */
static void register_of_message(void **state)
{
	static const char log[] =
		"0: (b7) r2 = 7                        ; R2=7\n"
		"1: (95) exit\n"
		"R2 has a value that is not expected\n";
	ARENA a = arena_new();
	struct rejection r;

	(void)state;
	rejection_read(&r, log, a);
	assert_int_equal(r.nregisters, 1);
	assert_string_equal(r.registers[0], "R2=7");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checked),
		cmocka_unit_test(another_way),
		cmocka_unit_test(on_one_line),
		cmocka_unit_test(not_walked),
		cmocka_unit_test(damaged),
		cmocka_unit_test(selftests),
		cmocka_unit_test(drawn),
		cmocka_unit_test(library),
		cmocka_unit_test(long_branches),
		cmocka_unit_test(folded),
		cmocka_unit_test(register_of_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
