/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../../test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "host/elf/symbols.h"

/* The text is exactly as long as its allocation: ASan notices a read past the end. */
static struct symbols *parse(struct arena *a, const char *text, size_t n)
{
	CLEAN_PTR char *copy = malloc(n ? n : 1);

	assert_non_null(copy);
	memcpy(copy, text, n);
	return symbols_parse(copy, n, a);
}

#define PARSE(a, text) parse(a, text, sizeof(text) - 1)

static void test_lookup(void **state)
{
	ARENA a = arena_new();
	struct symbols *s = PARSE(a,
				  "ffffffff81000000 T _text\n"
				  "ffffffffa0000100 t two\t[mod_a]\n"
				  "ffffffffa0000000 t one\t[mod_a]\n"
				  "ffffffff81000010 t alias_a\n"
				  "ffffffff81000010 t alias_b\n"
				  "ffffffffc0000000 t bpf_prog_1234_x\t[bpf]");

	(void)state;
	assert_int_equal(symbols_count(s), 6);
	assert_null(symbols_find(s, 0));
	assert_null(symbols_find(s, 0xffffffff80ffffff));
	assert_string_equal(symbols_find(s, 0xffffffff81000000)->name, "_text");
	assert_string_equal(symbols_find(s, 0xffffffff8100000f)->name, "_text");
	assert_string_equal(symbols_find(s, 0xffffffff81000010)->name, "alias_a");
	assert_string_equal(symbols_find(s, 0xffffffff81000019)->name, "alias_a");
	assert_null(symbols_find(s, 0xffffffff81000010)->module);
	assert_string_equal(symbols_find(s, 0xffffffffa00000ff)->name, "one");
	assert_string_equal(symbols_find(s, 0xffffffffa00000ff)->module, "mod_a");
	assert_string_equal(symbols_find(s, UINT64_MAX)->name, "bpf_prog_1234_x");
	assert_string_equal(symbols_find(s, UINT64_MAX)->module, "bpf");
	assert_int_equal(symbols_find_named(s, "two")->addr, 0xffffffffa0000100);
	assert_int_equal(symbols_find_named(s, "alias_a")->addr, 0xffffffff81000010);
	assert_null(symbols_find_named(s, "three"));
	assert_null(symbols_find_named(s, ""));
}

static void test_hidden(void **state)
{
	ARENA a = arena_new();
	struct symbols *s = PARSE(a, "0000000000000000 T _text\n0000000000000000 t x\t[m]\n");

	(void)state;
	assert_int_equal(symbols_count(s), 0);
	assert_null(symbols_find(s, 1));
	assert_null(symbols_find_named(s, "_text"));
}

static void test_empty(void **state)
{
	ARENA a = arena_new();

	(void)state;
	assert_int_equal(symbols_count(symbols_parse("", 0, a)), 0);
	assert_int_equal(symbols_count(PARSE(a, "\n\n\n")), 0);
}

static void test_hostile(void **state)
{
	static const char *const bad[] = {
		"1",	     "1 ",	  "1 t",       "1 t ",	    "zz t name", "11111111111111111 t name",
		"-1 t name", "1  t name", "1\tt name", " 1 t name", "1 t \t[m]", "t name",
	};
	ARENA a = arena_new();
	struct symbols *s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(symbols_count(parse(a, bad[i], strlen(bad[i]))), 0);
	assert_int_equal(symbols_count(PARSE(a, "1 t na\0me\n2 t ok\n")), 1);
	assert_int_equal(symbols_count(PARSE(a, "1 t x\t[a\0b]\n")), 0);
	s = PARSE(a, "1 t x\t[\n2 t y\t[]\n3 t z\tm]\nffffffffffffffff t top\t[m]");
	assert_int_equal(symbols_count(s), 4);
	assert_null(symbols_find(s, 1)->module);
	assert_null(symbols_find(s, 2)->module);
	assert_null(symbols_find(s, 3)->module);
	assert_string_equal(symbols_find(s, UINT64_MAX)->module, "m");
	assert_string_equal(symbols_find(s, UINT64_MAX)->name, "top");
}

/* Names that are all the same take as long as others. */
static void test_same_names(void **state)
{
	const unsigned n = 200000;
	ARENA a = arena_new();
	const struct symbols *s;
	STR text = { 0 };
	clock_t begin;

	(void)state;
	for (unsigned i = 0; i < n; i++)
		str_fmt(&text, "%016x t same\n", 0x1000 + i);
	str_puts(&text,
		 "ffffffffff600000 t same\t[mod]\nffffffffff600001 t last\nffffffffff600002 t two\t[mod]\n"
		 "ffffffffff600003 t two\t[mod]\nffffffffff600004 t two\n");
	begin = clock();
	s = symbols_parse(text.p, text.n, a);
	assert_int_equal(symbols_find_named(s, "same")->addr, 0x1000);
	assert_null(symbols_only(s, "same", NULL));
	assert_int_equal(symbols_only(s, "same", "mod")->addr, 0xffffffffff600000);
	assert_int_equal(symbols_only(s, "last", NULL)->addr, 0xffffffffff600001);
	assert_null(symbols_only(s, "last", "mod"));
	assert_null(symbols_only(s, "two", "mod"));
	assert_int_equal(symbols_only(s, "two", NULL)->addr, 0xffffffffff600004);
	assert_null(symbols_find_named(s, "none"));
	assert_true((clock() - begin) / CLOCKS_PER_SEC < 3);
}

static void test_long_name(void **state)
{
	ARENA a = arena_new();
	STR text = { 0 };
	struct symbols *s;

	(void)state;
	str_puts(&text, "10 t ");
	for (int i = 0; i < 5000; i++)
		str_puts(&text, "n");
	str_puts(&text, "\t[");
	for (int i = 0; i < 5000; i++)
		str_puts(&text, "m");
	str_puts(&text, "]\n20 t next\n");
	s = parse(a, text.p, text.n);
	assert_int_equal(symbols_count(s), 2);
	assert_int_equal(strlen(symbols_find(s, 0x1f)->name), 512);
	assert_int_equal(strlen(symbols_find(s, 0x1f)->module), 512);
	assert_string_equal(symbols_find(s, 0x20)->name, "next");
}

/* The shortest possible lines: the table must fit in the reserved memory. */
static void test_dense(void **state)
{
	ARENA a = arena_new();
	STR text = { 0 };
	struct symbols *s;

	(void)state;
	for (int i = 0; i < 20000; i++)
		str_puts(&text, i & 1 ? "1 t a\t[b]\n" : "2 t a\t[c]\n");
	s = parse(a, text.p, text.n);
	assert_int_equal(symbols_count(s), 20000);
	assert_string_equal(symbols_find(s, 1)->module, "b");
	assert_string_equal(symbols_find(s, 2)->module, "c");
}

/* Any order gives the same table. */
static void test_order(void **state)
{
	uint32_t seed = 7;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		ARENA a = arena_new();
		STR text = { 0 };
		unsigned n = 1 + (unsigned)round % 12, prefix = (unsigned)round % 5;
		uint64_t last = 0;
		struct symbols *s;

		for (unsigned i = 0; i < n; i++) {
			seed = seed * 1664525 + 1013904223;
			str_fmt(&text, "%x t s%u\n", i < prefix ? i + 1 : 1 + (seed >> 16) % 16, i);
		}
		s = parse(a, text.p, text.n);
		assert_int_equal(symbols_count(s), n);
		for (uint64_t at = 1; at <= 17; at++) {
			const struct symbol *sym = symbols_find(s, at);

			assert_true(!sym || (sym->addr <= at && sym->addr >= last));
			last = sym ? sym->addr : 0;
		}
		for (unsigned i = 0; i < n; i++) {
			char name[16];

			snprintf(name, sizeof(name), "s%u", i);
			assert_non_null(symbols_find_named(s, name));
			assert_int_equal(symbols_find(s, symbols_find_named(s, name)->addr)->addr,
					 symbols_find_named(s, name)->addr);
		}
	}
}

static void test_mutated(void **state)
{
	static const char text[] = "ffffffff81000000 T _text\nffffffffa0000100 t two\t[mod_a]\n1 t x\n";
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		ARENA a = arena_new();
		char buf[sizeof(text) - 1];
		struct symbols *s;
		size_t n;

		memcpy(buf, text, sizeof(buf));
		for (int i = 0; i < 4; i++) {
			seed = seed * 1664525 + 1013904223;
			buf[(seed >> 8) % sizeof(buf)] = "\n\t []\0a1 f"[(seed >> 24) % 10];
		}
		n = (seed >> 12) % (sizeof(buf) + 1);
		s = parse(a, buf, n);
		for (uint64_t at = 1; at; at <<= 4)
			if (symbols_find(s, at))
				assert_true(symbols_find(s, at)->addr <= at);
	}
}

static void test_this_kernel(void **state)
{
	ARENA a = arena_new();
	STR text = { 0 };
	const struct symbol *sym;
	struct symbols *s;

	(void)state;
	if (str_read_file(&text, "/proc/kallsyms", 64 << 20))
		skip_because("/proc/kallsyms cannot be read");
	s = symbols_parse(text.p, text.n, a);
	sym = symbols_find_named(s, "bpf_prog_load");
	if (!symbols_count(s) || !sym)
		skip_because("/proc/kallsyms hides its addresses");
	assert_string_equal(symbols_find(s, sym->addr + 1)->name, "bpf_prog_load");
	for (uint64_t i = 0, last = 0; i < 1000; i++, last = sym->addr) {
		sym = symbols_find(s, 0xffffffff81000000 + i * 4096);
		assert_true(!sym || sym->addr >= last);
		if (!sym)
			break;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lookup),	    cmocka_unit_test(test_hidden),     cmocka_unit_test(test_empty),
		cmocka_unit_test(test_hostile),	    cmocka_unit_test(test_same_names), cmocka_unit_test(test_long_name),
		cmocka_unit_test(test_dense),	    cmocka_unit_test(test_order),      cmocka_unit_test(test_mutated),
		cmocka_unit_test(test_this_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
