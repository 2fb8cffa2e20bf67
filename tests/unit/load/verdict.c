/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <bpf/libbpf.h>
#include <stdlib.h>

#include "load/verdict.h"
#include "own/bpf/trie.bpf.inc"
#include "record/field.h"

/* The end of a log of 6.12, of 5.10, and of one that was refused before it was verified. */
static void stats(void **state)
{
	ARENA a = arena_new();
	struct verifier_stats s;

	(void)state;
	verifier_stats_read(
		&s,
		"processed 1 insns\n0: safe\nverification time 94 usec\nstack depth 40+0+16\n"
		"processed 45 insns (limit 1000000) max_states_per_insn 1 total_states 4 peak_states 3 mark_read 2\n",
		a);
	assert_int_equal(s.has, AVAIL_YES);
	assert_int_equal(s.insns, 45);
	assert_int_equal(s.insns_most, 1000000);
	assert_int_equal(s.per_insn, 1);
	assert_int_equal(s.states, 4);
	assert_int_equal(s.peak_states, 3);
	assert_int_equal(s.nsec, 94000);
	assert_int_equal(s.nstacks, 3);
	assert_int_equal(s.stacks[0], 40);
	assert_int_equal(s.stacks[2], 16);
	verifier_stats_read(&s, "processed 7 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0",
			    a);
	assert_int_equal(s.insns, 7);
	assert_int_equal(s.has_nsec, AVAIL_NO);
	assert_int_equal(s.nstacks, 0);
	verifier_stats_read(&s, "Unrecognized arg#0 type PTR\nit was processed 7 insns\n", a);
	assert_int_equal(s.has, AVAIL_NO);
	verifier_stats_read(&s, "stack depth 99999999999999999999\nprocessed 1 insns\n", a);
	assert_int_equal(s.stacks[0], UINT32_MAX);
	assert_int_equal(s.states, 0);
}

static const struct verified_line *line_find(const struct verified_line *lines, uint32_t n, const char *source)
{
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(lines[i].source, source))
			return &lines[i];
	fail_msg("no line '%s'", source);
	return NULL;
}

/* An instruction that is met again belongs to its own line, not to the last one printed. */
static void lines(void **state)
{
	static const char log[] =
		"func#0 @0\n"
		"0: R1=ctx() R10=fp0\n"
		"; int i = 0; @ x.c:3\n"
		"0: (b7) r1 = 0                        ; R1_w=0\n"
		"; if (a) @ x.c:4\n"
		"1: (15) if r2 == 0x1 goto pc+1        ; R2=scalar()\n"
		"2: (07) r1 += 1\n"
		"; return i; @ x.c:5\n"
		"3: (95) exit\n"
		"\n"
		"from 1 to 3: safe\n"
		"\n"
		"from 1 to 2: R1=1 R10=fp0\n"
		"; if (a) @ x.c:4\n"
		"2: safe\n"
		"mark_precise: frame0: last_idx 3 first_idx 0\n"
		"processed 6 insns (limit 1000000)\n";
	ARENA a = arena_new();
	static const struct verified_func of[] = { { 0, "main" }, { 2, "called" } };
	struct verified_lines v;
	const struct verified_line *l;

	(void)state;
	assert_int_equal(verified_lines_read(log, &(struct verified_funcs){ of, 1 }, a, &v), 6);
	assert_int_equal(v.nlines, 3);
	l = v.lines;
	assert_string_equal(l[0].source, "if (a)");
	assert_string_equal(l[0].at, "x.c:4");
	assert_int_equal(l[0].insns, 3);
	assert_true(l[0].share == 50);
	assert_int_equal(line_find(l, v.nlines, "return i;")->insns, 2);
	assert_true(line_find(l, v.nlines, "int i = 0;")->share == 16.6);
	assert_int_equal(v.nfuncs, 1);
	assert_int_equal(v.funcs[0].insns, 6);
	/* A line of two functions is one of each. */
	assert_int_equal(verified_lines_read(log, &(struct verified_funcs){ of, 2 }, a, &v), 6);
	assert_int_equal(v.nlines, 4);
	assert_int_equal(v.nfuncs, 2);
	assert_string_equal(v.funcs[0].func, "called");
	assert_int_equal(v.funcs[0].insns, 4);
	assert_int_equal(line_find(v.lines, v.nlines, "return i;")->insns, 2);
	assert_string_equal(line_find(v.lines, v.nlines, "return i;")->func, "called");
}

/* Without lines of source each instruction is one. */
static void bare(void **state)
{
	static const char log[] =
		"0: (b7) r0 = 0                        ; R0=0\n"
		"1: (95) exit\n"
		"99999999999: (95) exit\n"
		"1: safe";
	ARENA a = arena_new();
	const struct verified_funcs none = { 0 };
	struct verified_lines v;

	(void)state;
	assert_int_equal(verified_lines_read(log, &none, a, &v), 3);
	assert_int_equal(v.nlines, 2);
	assert_int_equal(v.nfuncs, 0);
	assert_string_equal(v.lines[0].source, "1: (95) exit");
	assert_null(v.lines[0].at);
	assert_int_equal(v.lines[0].insns, 2);
	assert_int_equal(verified_lines_read("", &none, a, &v), 0);
	assert_int_equal(v.nlines, 0);
}

/* The instruction at which the verifier gives up has a message for a line. */
static void given_up(void **state)
{
	static const char log[] =
		"infinite loop detected at insn\n"
		"BPF program is too large. Processed 1000001 insn\n"
		"; once @ x.c:1\n"
		"0: (b7) r0 = 0                        ; R0=0\n"
		"; again @ x.c:2\n"
		"1: (05) goto pc-1\n"
		"; again @ x.c:2\n"
		"infinite loop detected at insn 1\n"
		"infinite loop detected at insn 1 of many\n"
		"BPF program is too large. Processed 1000001 insn\n";
	ARENA a = arena_new();
	const struct verified_funcs none = { 0 };
	struct verified_lines v;

	(void)state;
	assert_int_equal(verified_lines_read(log, &none, a, &v), 4);
	assert_int_equal(v.nlines, 2);
	assert_string_equal(v.lines[0].source, "again");
	assert_int_equal(v.lines[0].insns, 3);
}

#define CALLS(n) \
	{ \
		.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = (n) \
	}
#define TAKES(n) \
	{ .code = BPF_LD | BPF_IMM | BPF_DW, .src_reg = BPF_PSEUDO_FUNC, .imm = (n) }, \
	{ \
		0 \
	}
#define HELPER \
	{ \
		.code = BPF_JMP | BPF_CALL, .imm = 5 \
	}
#define ENDS \
	{ \
		.code = BPF_JMP | BPF_EXIT \
	}

/* The first function calls the second, which takes the address of the fourth, and the third. */
static void chain(void **state)
{
	static struct bpf_insn insns[] = { CALLS(3), HELPER, CALLS(4), ENDS, TAKES(4), ENDS, HELPER, ENDS, ENDS };
	static const uint32_t deep[] = { 8, 100, 24, 64 }, flat[] = { 8, 16, 40, 1 };
	struct verifier_stats s = { .stacks = deep, .nstacks = ARRAY_SIZE(deep) };
	struct bpf_object *o = bpf_object__open_mem(elf_trie, sizeof(elf_trie), NULL);
	struct bpf_program *p;
	uint32_t stack = 0;

	(void)state;
	assert_non_null(o);
	p = bpf_object__next_program(o, NULL);
	assert_int_equal(bpf_program__set_insns(p, insns, ARRAY_SIZE(insns)), 0);
	assert_true(verified_chain(p, &s, &stack));
	assert_int_equal(stack, 8 + 100 + 64);
	s.stacks = flat;
	assert_true(verified_chain(p, &s, &stack));
	assert_int_equal(stack, 8 + 40);
	s.nstacks--;
	assert_false(verified_chain(p, &s, &stack));
	bpf_object__close(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(stats), cmocka_unit_test(lines), cmocka_unit_test(bare),
					    cmocka_unit_test(given_up), cmocka_unit_test(chain) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
