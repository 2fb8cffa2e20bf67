/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <linux/bpf.h>
#include <string.h>

#include "base/base.h"
#include "base/bytes.h"
#include "map/view/stacks.h"
#include "record/field.h"
#include "host/elf/symbols.h"

static const char kallsyms[] =
	"0000000000001000 A fixed_percpu_data\n"
	"ffffffff81000000 T outer\n"
	"ffffffff81000100 t inner\n"
	"ffffffffc0000000 t bpf_prog_0123_x\t[bpf]\n";

static void test_addresses(void **state)
{
	const uint64_t value[] = {
		0xffffffffc0000010, 0xffffffff81000104, 0xffffffff81000001, 0x7f0000001000, 0x1234, 0,
		0xffffffff81000000
	};
	ARENA a = arena_new();
	const struct symbols *s = symbols_parse(kallsyms, sizeof(kallsyms) - 1, a);
	struct stack_rec rec = { 0 };
	char text[64];
	size_t (*text_of)(const void *, char *, size_t) = schema_find(&schema_stack, NULL, "frames", NULL)->rows->text;

	(void)state;
	stack_add(&rec, (const unsigned char *)value, sizeof(value), false, BIG_HERE, s, a);
	assert_int_equal(rec.nframes, 5);
	text_of(&rec.frames[0], text, sizeof(text));
	assert_string_equal(text, "bpf_prog_0123_x+0x10 [bpf]");
	text_of(&rec.frames[1], text, sizeof(text));
	assert_string_equal(text, "inner+0x4");
	/* Not in the kernel's half of the address space: no kernel symbol. */
	text_of(&rec.frames[4], text, sizeof(text));
	assert_string_equal(text, "0x1234");
	stack_fold(&rec, a);
	assert_string_equal(rec.folded, "0x1234;0x7f0000001000;outer;inner;bpf_prog_0123_x");
	/* A second stack is appended. */
	stack_add(&rec, (const unsigned char *)value, 8, false, BIG_HERE, s, a);
	assert_int_equal(rec.nframes, 6);
	assert_string_equal(rec.frames[5].symbol, "bpf_prog_0123_x");
}

static void test_no_symbols(void **state)
{
	const uint64_t value[] = { 0xffffffff81000104 };
	ARENA a = arena_new();
	struct stack_rec rec = { 0 }, none = { 0 };

	(void)state;
	stack_add(&rec, (const unsigned char *)value, sizeof(value), false, BIG_HERE, symbols_parse("", 0, a), a);
	stack_fold(&rec, a);
	assert_string_equal(rec.folded, "0xffffffff81000104");
	stack_add(&none, (const unsigned char *)value, 7, false, BIG_HERE, symbols_parse("", 0, a), a);
	stack_fold(&none, a);
	assert_int_equal(none.nframes, 0);
	assert_string_equal(none.folded, "");
}

static void test_build_ids(void **state)
{
	struct bpf_stack_build_id value[4] = {
		{ .status = BPF_STACK_BUILD_ID_VALID, .offset = 0x10 },
		{ .status = BPF_STACK_BUILD_ID_IP, .ip = 0x7f0000001000 },
		{ .status = BPF_STACK_BUILD_ID_EMPTY },
		{ .status = BPF_STACK_BUILD_ID_VALID },
	};
	ARENA a = arena_new();
	struct stack_rec rec = { 0 };

	(void)state;
	memset(value[0].build_id, 0xab, sizeof(value[0].build_id));
	stack_add(&rec, (const unsigned char *)value, sizeof(value), true, BIG_HERE, symbols_parse("", 0, a), a);
	assert_int_equal(rec.nframes, 2);
	assert_int_equal(rec.frames[0].has_offset, AVAIL_YES);
	stack_fold(&rec, a);
	assert_string_equal(rec.folded, "0x7f0000001000;abababababababababababababababababababab+0x10");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_no_symbols),
		cmocka_unit_test(test_build_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
