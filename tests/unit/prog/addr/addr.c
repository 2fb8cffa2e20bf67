/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <stdio.h>
#include <stdlib.h>

#include "../../types/build.h"
#include "../machine.h"
#include "prog/addr/addr.h"
#include "code/info.h"
#include "prog/addr/trace.h"
#include "record/field.h"
#include "source/codes.h"
#include "kernel/abi.h"

/* Programs 1 and 2 are equal, with two functions; 3 has no BTF; 4 was not compiled; 5 is gone. */
#define A 0xffffffffc0001000
#define B 0xffffffffc0003000
#define C 0xffffffffc0005000
static const uint32_t ids[] = { 1, 2, 3, 4, 5 };
static const uint64_t ksyms1[] = { A, A + 0x100 }, ksyms2[] = { B, B - 0x100 }, ksyms3[] = { C, C + 16, C + 24 };
static const uint64_t interpreter = 0xffffffff81234560;
static const uint32_t lens[] = { 16, 8 }, lens3[] = { 16, 8, 4 };
static const unsigned char tags
	[] = "AAAAAAAABBBBBBBBCCCCCCCC",
    kallsyms[] =
	    "ffffffff81000000 T _text\nffffffffc0000f00 t first\t[mod]\nffffffffc0001000 t bpf_prog_4141414141414141_first\t[bpf]\n";
static const uint64_t places1[] = { A, A + 8, A + 4, A + 0x102 };
static struct btf_build types;
static struct func_record funcs[2];
static struct line_record lines[4];
static struct abi_btf_info btf_info;
static struct abi_prog_info infos[4];

static struct scripted *scripted_new(void)
{
	static struct scripted m;
	uint32_t integer, proto, file;

	build_init(&types);
	integer = build_int(&types, "int", 4, BTF_INT_SIGNED, 0, 32);
	proto = build_type(&types, NULL, BTF_KIND_FUNC_PROTO, 0, 0, integer);
	funcs[0] = (struct func_record){ 0, build_type(&types, "first_of_a_long_name", BTF_KIND_FUNC, 0, 0, proto) };
	funcs[1] = (struct func_record){ 5, build_type(&types, "second", BTF_KIND_FUNC, 0, 0, proto) };
	file = build_str(&types, "t.c");
	for (unsigned i = 0; i < 4; i++)
		lines[i] = (struct line_record){ i < 3 ? i : 5, file, build_str(&types, &"  text"[i]), i << 10 | i };
	build_done(&types);
	for (unsigned i = 0; i < 4; i++) {
		infos[i] = (struct abi_prog_info){ .type = 1,
						   .id = i + 1,
						   .jited_prog_len = i == 2 ? 28 :
								     i == 3 ? 0 :
									      24,
						   .xlated_prog_len = 64,
						   .nr_jited_ksyms = i == 2 ? 3 : 2,
						   .nr_jited_func_lens = i == 2 ? 3 : 2,
						   .nr_prog_tags = i == 2 ? 3 : 2 };
		memcpy(infos[i].tag, i == 2 ? "CCCCCCCC" : "AAAAAAAA", 8);
		memcpy(infos[i].name, i == 2 ? "nameless_progra" : "first_of_a_long", 15);
		infos[i].btf_id = i < 2 ? 3 : 0;
		infos[i].nr_func_info = 2;
		infos[i].func_info_rec_size = sizeof(funcs[0]);
		infos[i].nr_line_info = infos[i].nr_jited_line_info = 4;
		infos[i].line_info_rec_size = sizeof(lines[0]);
		infos[i].jited_line_info_rec_size = 8;
	}
	scripted_init(&m);
	scripted_says(&m, "prog/ids", 0, ids, sizeof(ids));
	scripted_says(&m, "prog/1/info", 0, &infos[0], sizeof(infos[0]));
	scripted_says(&m, "prog/2/info", 0, &infos[1], sizeof(infos[0]));
	scripted_says(&m, "prog/3/info", 0, &infos[2], sizeof(infos[0]));
	scripted_says(&m, "prog/4/info", 0, &infos[3], sizeof(infos[0]));
	scripted_says(&m, "prog/5/info", -ENOENT, NULL, 0);
	scripted_says(&m, "prog/1/jited_ksyms", 0, ksyms1, sizeof(ksyms1));
	scripted_says(&m, "prog/2/jited_ksyms", 0, ksyms2, sizeof(ksyms2));
	scripted_says(&m, "prog/3/jited_ksyms", 0, ksyms3, sizeof(ksyms3));
	scripted_says(&m, "prog/4/jited_ksyms", 0, &interpreter, sizeof(interpreter));
	scripted_says(&m, "prog/1/jited_func_lens", 0, lens, sizeof(lens));
	scripted_says(&m, "prog/2/jited_func_lens", 0, lens, sizeof(lens));
	scripted_says(&m, "prog/3/jited_func_lens", 0, lens3, sizeof(lens3));
	scripted_says(&m, "prog/1/prog_tags", 0, tags, 16);
	scripted_says(&m, "prog/2/prog_tags", 0, tags, 16);
	scripted_says(&m, "prog/3/prog_tags", 0, tags, 24);
	scripted_says(&m, "prog/1/func_info", 0, funcs, sizeof(funcs));
	scripted_says(&m, "prog/2/func_info", 0, funcs, sizeof(funcs));
	scripted_says(&m, "prog/1/line_info", 0, lines, sizeof(lines));
	scripted_says(&m, "prog/2/line_info", 0, lines, sizeof(lines));
	scripted_says(&m, "prog/1/jited_line_info", 0, places1, sizeof(places1));
	scripted_says(&m, "btf/3/info", 0, &btf_info, sizeof(btf_info));
	scripted_says(&m, "btf/3/data", 0, types.out, types.out_n);
	scripted_says(&m, "sys/kallsyms", 0, kallsyms, sizeof(kallsyms) - 1);
	return &m;
}

/* "ID.FUNCTION+OFFSET" of each function that the address may be in. */
static const char *resolved(struct addr_index *x, const char *word, enum trace_how how)
{
	static char text[256];
	const struct addr_func *const *f;
	struct trace_frame frame;
	size_t n = 0, found;

	assert_true(trace_frame_parse(word, &frame));
	frame.how = how;
	found = addr_resolve(x, &frame, &f);
	text[0] = '\0';
	for (size_t i = 0; i < found; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u.%u+%u", i ? " " : "", addr_prog_id(x, f[i]),
				      f[i]->i, (unsigned)addr_off(f[i], &frame));
	return text;
}

static void test_resolve(void **state)
{
	struct scripted *m = scripted_new();
	struct addr_index *x;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(addr_index_new(&m->env, &x, &e), 0);
	assert_int_equal(m->env.report->unread, 0);
	assert_string_equal(resolved(x, "ffffffffc0001000", TRACE_PC), "1.0+0");
	assert_string_equal(resolved(x, "ffffffffc000100f", TRACE_PC), "1.0+15");
	assert_string_equal(resolved(x, "ffffffffc0001010", TRACE_PC), "");
	assert_string_equal(resolved(x, "ffffffffc0001010", TRACE_RETURN), "1.0+16");
	assert_string_equal(resolved(x, "ffffffffc0001000", TRACE_RETURN), "1.0+0");
	assert_string_equal(resolved(x, "ffffffffc0000fff", TRACE_PC), "");
	assert_string_equal(resolved(x, "ffffffffc0002f07", TRACE_PC), "2.1+7");
	assert_string_equal(resolved(x, "ffffffffc0005010", TRACE_PC), "3.1+0");
	assert_string_equal(resolved(x, "ffffffffc0005010", TRACE_RETURN), "3.0+16");
	assert_string_equal(resolved(x, "ffffffff81234560", TRACE_PC), "");
	assert_string_equal(resolved(x, "0", TRACE_RETURN), "");
	/* Only the places were needed. */
	assert_int_equal(scripted_asked(m, "prog/1/line_info") + scripted_asked(m, "prog/1/prog_tags"), 0);
	assert_int_equal(scripted_asked(m, "sys/kallsyms"), 0);

	assert_string_equal(resolved(x, "bpf_prog_4141414141414141_first_of_a_long_name+1", TRACE_PC),
			    "1.0+1 2.0+1 4.0+1");
	assert_string_equal(resolved(x, "bpf_prog_4141414141414141_first_of_a_long_name+1/0x10", TRACE_PC),
			    "1.0+1 2.0+1");
	assert_string_equal(resolved(x, "bpf_prog_4141414141414141_first_of_a_long_name+1/0x99", TRACE_PC),
			    "1.0+1 2.0+1 4.0+1");
	assert_string_equal(resolved(x, "bpf_prog_4242424242424242_second", TRACE_PC), "1.1+0 2.1+0 3.1+0");
	assert_string_equal(resolved(x, "bpf_prog_4242424242424242_second+7", TRACE_PC), "1.1+7 2.1+7 3.1+7");
	assert_string_equal(resolved(x, "bpf_prog_4242424242424242_second+8", TRACE_PC), "");
	assert_string_equal(resolved(x, "bpf_prog_4242424242424242_second+8", TRACE_RETURN), "1.1+8 2.1+8 3.1+8");
	assert_string_equal(resolved(x, "bpf_prog_4343434343434343_F", TRACE_PC), "3.2+0");
	assert_string_equal(resolved(x, "bpf_prog_4343434343434343_nameless_program", TRACE_PC), "3.0+0 3.2+0");
	assert_string_equal(resolved(x, "bpf_prog_4141414141414141_other", TRACE_PC), "");
	assert_string_equal(resolved(x, "bpf_prog_4040404040404040_second", TRACE_PC), "");
	scripted_end(m);
}

static struct addr_rec described(struct addr_index *x, const char *word, enum trace_how how)
{
	struct addr_want want = { .how = how };
	const struct addr_func *const *f;
	struct addr_rec r = { 0 };
	struct trace_frame frame;

	assert_true(trace_frame_parse(word, &frame));
	frame.how = how;
	if (!addr_resolve(x, &frame, &f)) {
		addr_describe_other(x, frame.addr, &r);
		return r;
	}
	want.off = addr_off(f[0], &frame);
	addr_describe(x, f[0], &want, &r);
	return r;
}

static void test_describe(void **state)
{
	/* A line record after one with a higher offset begins with that one, as in the dump. */
	static const struct {
		const char *word;
		enum trace_how how;
		const char *place;
	} cases[] = {
		{ "ffffffffc0001000", TRACE_PC, "t.c:0:0" },	{ "ffffffffc0001007", TRACE_PC, "t.c:0:0" },
		{ "ffffffffc0001008", TRACE_PC, "t.c:2:2" },	{ "ffffffffc0001008", TRACE_RETURN, "t.c:0:0" },
		{ "ffffffffc0001010", TRACE_MAYBE, "t.c:2:2" }, { "ffffffffc0001100", TRACE_PC, NULL },
		{ "ffffffffc0001102", TRACE_PC, "t.c:3:3" },
	};
	struct scripted *m = scripted_new();
	struct addr_index *x;
	struct addr_rec r;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(addr_index_new(&m->env, &x, &e), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		r = described(x, cases[i].word, cases[i].how);
		assert_int_equal(r.has_line, cases[i].place ? AVAIL_YES : AVAIL_NO);
		if (cases[i].place)
			assert_string_equal(r.place, cases[i].place);
	}
	assert_string_equal(r.func, "second");
	assert_string_equal(r.name, "first_of_a_long_name");
	assert_string_equal(r.address, "0xffffffffc0001102");
	assert_memory_equal(r.tag, "BBBBBBBB", 8);
	assert_true(r.insn == 5 && r.insns == 3 && r.offset == 2 && r.size == 8);
	/* The lines of program 2 have no addresses; 3 has no lines. */
	assert_int_equal(described(x, "ffffffffc0003000", TRACE_PC).has_line, AVAIL_UNKNOWN);
	assert_int_equal(described(x, "ffffffffc0005000", TRACE_PC).has_line, AVAIL_NO);
	assert_int_equal(scripted_asked(m, "prog/1/line_info"), 1);
	r = described(x, "ffffffffc0000f01", TRACE_PC);
	assert_true(r.kind == ADDR_MODULE && r.offset == 1);
	assert_string_equal(r.name, "mod");
	assert_int_equal(described(x, "ffffffff8100ffff", TRACE_PC).kind, ADDR_KERNEL);
	assert_int_equal(described(x, "ffffffff81010000", TRACE_PC).kind, ADDR_NONE);
	assert_int_equal(described(x, "ffffffffc0001010", TRACE_PC).kind, ADDR_NONE);
	scripted_end(m);
}

/* kernel.kptr_restrict: no addresses, no code. Symbols still lead to the program. */
static void test_hidden(void **state)
{
	static const char *const keys[] = {
		"prog/1/jited_ksyms",	  "prog/2/jited_ksyms",	    "prog/3/jited_ksyms",     "prog/1/jited_func_lens",
		"prog/2/jited_func_lens", "prog/3/jited_func_lens", "prog/1/jited_line_info", "sys/kallsyms",
	};
	struct scripted *m = scripted_new();
	struct addr_index *x;
	struct addr_rec r;
	struct err e = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		scripted_says(m, keys[i], i < 3 ? 0 : -ENODATA, NULL, 0);
	assert_int_equal(addr_index_new(&m->env, &x, &e), 0);
	assert_string_equal(resolved(x, "ffffffffc0001000", TRACE_PC), "");
	assert_string_equal(resolved(x, "bpf_prog_4242424242424242_second+7/8", TRACE_PC), "1.1+7 2.1+7 3.1+7");
	r = described(x, "bpf_prog_4242424242424242_second+7/8", TRACE_PC);
	assert_true(r.prog_id == 1 && r.has_line == AVAIL_UNKNOWN && !*r.address);
	assert_string_equal(r.func, "second");
	assert_int_equal(addr_not_found(x, &e, "%d", 7), -ENOENT);
	assert_true(strstr(e.hint, "kptr_restrict") && !strcmp(e.msg, "7"));
	scripted_end(m);
}

/* A recording: program 2 was loaded at the address where 1 had been; before both there was longer code. */
static void test_reused(void **state)
{
	static const char lives[] = "recorded 1000 9000\n1 2000 3000 7 0 copied - a\n2 1500 - 7 0 copied - a\n";
	static const char codes[] =
		"0xffffffffc0000ff0 64 ? 1500 - ? - ? tramp\n0xffffffffc0003000 16 100 200 - ? - ? gone\n"
		"0xffffffffc0005000 4096 100 900 - ? - ? first\n0xffffffffc0005040 4096 110 900 - ? - ? second\n"
		"0xffffffffc0005020 4096 1000 - - ? - ? later\n";
	struct scripted *m = scripted_new();
	const struct addr_want want = { .life = true };
	const struct addr_func *const *f;
	struct addr_rec r = { 0 };
	struct addr_index *x;
	struct trace_frame frame;
	struct err e = { 0 };

	(void)state;
	scripted_saved(m);
	scripted_says(m, "sys/lives", 0, lives, sizeof(lives) - 1);
	scripted_says(m, "sys/code", 0, codes, sizeof(codes) - 1);
	scripted_says(m, "sys/clock", 0, "5000000000\n", 11);
	scripted_says(m, "prog/2/jited_ksyms", 0, ksyms1, sizeof(ksyms1));
	infos[0].load_time = 2000;
	infos[1].load_time = 1500;
	assert_int_equal(addr_index_new(&m->env, &x, &e), 0);
	assert_true(trace_frame_parse("ffffffffc0001004", &frame));
	assert_int_equal(addr_resolve(x, &frame, &f), 3);
	assert_string_equal(f[0]->code->name, "tramp");
	assert_int_equal(addr_off(f[0], &frame), 0x14);
	assert_true(addr_prog_id(x, f[1]) == 1 && addr_prog_id(x, f[2]) == 2 && addr_off(f[2], &frame) == 4);
	addr_describe(x, f[0], &want, &r);
	assert_true(r.kind == ADDR_MODULE && r.has_loaded == AVAIL_UNKNOWN && r.has_gone == AVAIL_YES &&
		    r.gone_at == 5);
	addr_describe(x, f[2], &want, &r);
	assert_true(r.kind == ADDR_PROG && r.has_loaded == AVAIL_YES && r.has_gone == AVAIL_NO);
	/* After the first functions of the programs there is only the other code, which has no symbol. */
	assert_true(trace_frame_parse("ffffffffc0001020", &frame));
	assert_int_equal(addr_resolve(x, &frame, &f), 1);
	assert_non_null(f[0]->code);
	/* Functions in one page: at each time, the last that begins before the address. */
	assert_true(trace_frame_parse("ffffffffc0005044", &frame));
	assert_int_equal(addr_resolve(x, &frame, &f), 2);
	assert_string_equal(f[0]->code->name, "second");
	assert_string_equal(f[1]->code->name, "later");
	assert_true(trace_frame_parse("bpf_prog_0000000000000000", &frame));
	assert_int_equal(addr_resolve(x, &frame, &f), 0);
	scripted_end(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resolve),
		cmocka_unit_test(test_describe),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_reused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
