/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "code/disasm.h"

/* Skips without a disassembler: not built in, or the library is not installed. */
static struct disasm *x86(void)
{
	struct disasm *ret = NULL;
	struct err e = { 0 };

	if (!disasm_open(&ret, "x86_64", &e)) {
		assert_non_null(ret);
		return ret;
	}
	assert_int_equal(e.code, -ENOTSUP);
	assert_true(e.msg[0] && e.hint[0]);
	assert_null(ret);
	skip_because("built without the disassembler, or its library is missing");
	return NULL;
}

static void test_instructions(void **state)
{
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xe8, 0xf7, 0, 0, 0, 0xc3 };
	struct disasm *d = x86();
	struct disasm_insn i;

	(void)state;
	disasm_insn(d, code, sizeof(code), 0x1000, &i);
	assert_int_equal(i.size, 1);
	assert_memory_equal(i.text, "push", 4);
	assert_false(i.has_target);
	disasm_insn(d, code + 1, sizeof(code) - 1, 0x1001, &i);
	assert_int_equal(i.size, 3);
	assert_non_null(strstr(i.text, "%rsp,%rbp"));
	disasm_insn(d, code + 4, sizeof(code) - 4, 0xffffffff81000004, &i);
	assert_int_equal(i.size, 5);
	assert_true(i.has_target);
	assert_true(i.target == 0xffffffff81000100);
	assert_non_null(strstr(i.text, "0xffffffff81000100"));
	disasm_insn(d, code + 9, 1, 0x1009, &i);
	assert_false(i.has_target);
	assert_memory_equal(i.text, "ret", 3);
	disasm_close(&d);
	assert_null(d);
	disasm_close(&d);
}

/* Every start of an instruction, with 1 to 16 bytes left: never longer than these, and never 0. */
static void test_any_bytes(void **state)
{
	struct disasm *d = x86();
	unsigned char p[16];
	struct disasm_insn i;

	(void)state;
	for (unsigned start = 0; start < 0x10000; start += 7) {
		memset(p, (int)(start % 251), sizeof(p));
		memcpy(p, &start, 2);
		for (size_t n = 1; n <= sizeof(p); n += 5) {
			disasm_insn(d, p, n, UINT64_MAX - 3, &i);
			assert_true(i.size >= 1 && i.size <= n);
			assert_true(i.text[0] && strlen(i.text) < sizeof(i.text));
		}
	}
	disasm_close(&d);
}

static void test_unknown_machine(void **state)
{
	struct disasm *d = NULL;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(disasm_open(&d, "vax", &e), -ENOTSUP);
	assert_true(e.msg[0]);
	err_clear(&e);
	assert_int_equal(disasm_open(&d, "", &e), -ENOTSUP);
	assert_null(d);
}

/* Another version of the library than the headers, and for another architecture. */
static void test_other_library(void **state)
{
	static const struct {
		const char *machine;
		unsigned char code[4];
		size_t size;
		const char *text;
	} cases[] = {
		{ "aarch64", { 0xc0, 0x03, 0x5f, 0xd6 }, 4, "ret" },
		{ "s390x", { 0x07, 0xfe }, 2, "br" },
	};
	unsigned here = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct disasm *d = NULL;
		struct disasm_insn insn;

		if (disasm_open(&d, cases[i].machine, NULL))
			continue;
		disasm_insn(d, cases[i].code, cases[i].size, 0x1000, &insn);
		assert_int_equal(insn.size, cases[i].size);
		assert_memory_equal(insn.text, cases[i].text, strlen(cases[i].text));
		disasm_close(&d);
		here++;
	}
	if (!here)
		skip_because("no libopcodes for arm64 or s390x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_unknown_machine),
		cmocka_unit_test(test_other_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
