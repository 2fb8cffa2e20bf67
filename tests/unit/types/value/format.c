/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "base/bytes.h"
#include "base/json/jsonr.h"
#include "types/btf.h"
#include "types/value/format.h"
#include "types/value/member.h"
#include "types/value/value.h"
#include "../build.h"
#include "../../../tools/fake_source.h"
#include "render/jsonw.h"
#include "source/facts.h"
#include "source/machine.h"
#include "source/source.h"

#define KALLSYMS "ffffffff81000000 T schedule\nffffffff81000100 T other\nffffffffc0000000 t there\t[a_module]\n"

/* Printed values are read back as the same, also numbers of values without a name. */
static void assert_reads(enum format f, struct machine *machine, const char *text, const char *bytes, size_t n)
{
	unsigned char back[17];
	uint64_t told = format_read(f, machine, text, back, n, false);

	assert_true(told && (told == n || !format_is_exact(f, n)));
	assert_memory_equal(back, bytes, told);
}

static void refusals(void **state)
{
	static const struct {
		enum format f;
		size_t n;
		const char *text;
	} rows[] = {
		{ FORMAT_IP, 4, "10.0.0" },
		{ FORMAT_IP, 4, "::1" },
		{ FORMAT_IP, 16, "10.0.0.1" },
		{ FORMAT_MAC, 6, "02:00:00:00:00:a" },
		{ FORMAT_MAC, 6, "02:00:00:00:00" },
		{ FORMAT_MAC, 6, "02:00:00:00:00:00:" },
		{ FORMAT_MAC, 6, "2:00:00:00:00:0000" },
		{ FORMAT_BE16, 2, "65536" },
		{ FORMAT_BE16, 2, "-1" },
		{ FORMAT_BE16, 2, "" },
		{ FORMAT_BE32, 4, "4294967296" },
		{ FORMAT_HEX, 2, "0x10000" },
		{ FORMAT_HEX, 2, "12" },
		{ FORMAT_HEX, 3, "01 02" },
		{ FORMAT_HEX, 3, "01 02 03 04" },
		{ FORMAT_STR, 3, "abcd" },
		{ FORMAT_KTIME, 8, "01" },
		{ FORMAT_KTIME, 8, "-1" },
		{ FORMAT_IFINDEX, 4, "4294967296" },
		{ FORMAT_IFINDEX, 4, "lo" },
	};
	unsigned char back[17];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(format_read(rows[i].f, NULL, rows[i].text, back, rows[i].n, false), 0);
	assert_int_equal(format_read(FORMAT_BE16, NULL, "0x50", back, 2, false), 2);
	assert_memory_equal(back, "\0\x50", 2);
	assert_int_equal(format_read(FORMAT_BE32, NULL, "64K", back, 4, false), 4);
	assert_memory_equal(back, "\0\1\0\0", 4);
	/* Without a name, these print a number. */
	for (enum format f = FORMAT_KTIME; f <= FORMAT_CGROUP; f++) {
		assert_int_equal(format_read(f, NULL, "18446744073709551614", back, 8, false), 8);
		assert_memory_equal(back, "\xfe\xff\xff\xff\xff\xff\xff\xff", 8);
	}
	assert_int_equal(format_read(FORMAT_IFINDEX, NULL, "0xfffffffe", back, 4, true), 4);
	assert_memory_equal(back, "\xff\xff\xff\xfe", 4);
	assert_false(format_is_exact(FORMAT_STR, 4));
	assert_false(format_is_exact(FORMAT_HEX, 4096));
}

static void texts(void **state)
{
	static const struct {
		const char *word;
		size_t n;
		const char *bytes, *want;
	} rows[] = {
		{ "ip", 4, "\x0a\0\0\x01", "10.0.0.1" },
		{ "ip", 16, "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\x01", "fe80::1" },
		{ "mac", 6, "\x02\0\0\0\0\xab", "02:00:00:00:00:ab" },
		{ "be16", 2, "\x01\xbb", "443" },
		{ "be32", 4, "\0\x01\0\0", "65536" },
		{ "be64", 8, "\0\0\0\0\0\0\x01\0", "256" },
		{ "ktime", 8, "\0\0\0\0\0\0\0", "0" },
		{ "ktime", 8, "\0\xca\x9a\x3b\0\0\0", "1970-01-01T00:00:02.000000000Z" },
		{ "ktime", 8, "\xff\xff\xff\xff\xff\xff\xff\xff", "18446744073709551615" },
		{ "ksym", 8, "\0\0\0\x81\xff\xff\xff\xff", "schedule" },
		{ "ksym", 8, "\x1a\0\0\x81\xff\xff\xff\xff", "schedule+0x1a" },
		{ "ksym", 8, "\x04\0\0\xc0\xff\xff\xff\xff", "there+0x4 [a_module]" },
		{ "ksym", 8, "\x04\0\0\0\0\0\0\0", "0x4" },
		{ "cgroup", 8, "\x07\0\0\0\0\0\0\0", "/system.slice" },
		{ "cgroup", 8, "\x08\0\0\0\0\0\0\0", "8" },
		{ "ifindex", 4, "\x01\0\0\0", "lo" },
		{ "ifindex", 4, "\x02\0\0\0", "2" },
		{ "str", 5, "abc\0d", "abc" },
		{ "str", 3, "abc", "abc" },
		{ "str", 6, "\xc3\xa4\xc3\xff\x1b", "\xc3\xa4\\xc3\\xff\x1b" },
		{ "str", 10, "a\\x41b\\x4\\", "a\\x5cx41b\\x4\\" },
		{ "hex", 2, "\x34\x12", "0x1234" },
		{ "hex", 3, "\x01\xff\0", "01 ff 00" },
	};
	static const struct fake_answer answers[] = {
		{ "sys/kallsyms", 0, KALLSYMS, sizeof(KALLSYMS) - 1 },
		{ "sys/ifaces", 0, "1 lo\n", 5 },
		{ "sys/cgroups", 0, "7 /system.slice\n", 16 },
		{ "sys/clock", 0, "1000000000\n", 11 },
		{ 0 },
	};
	struct source *s = NULL;
	struct machine *f;
	char text[FORMAT_TEXT];

	(void)state;
	assert_int_equal(source_fake(&s, answers), 0);
	f = machine_new(s);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum format format = format_parse(rows[i].word, strlen(rows[i].word));

		assert_true(format && format_fits(format, rows[i].n) && strstr(format_words(), rows[i].word));
		assert_int_equal(format_text(format, f, (const void *)rows[i].bytes, rows[i].n, false, text),
				 strlen(rows[i].want));
		assert_string_equal(text, rows[i].want);
		assert_reads(format, f, text, rows[i].bytes, rows[i].n);
		format_text(format, NULL, (const void *)rows[i].bytes, rows[i].n, false, text); /* no names, no crash */
	}
	/* In the other byte order; be16 has its own. */
	assert_int_equal(format_text(FORMAT_IFINDEX, f, (const void *)"\0\0\0\x01", 4, true, text), 2);
	assert_string_equal(text, "lo");
	assert_int_equal(format_read(FORMAT_IFINDEX, f, "lo", (unsigned char *)text, 4, true), 4);
	assert_memory_equal(text, "\0\0\0\x01", 4);
	assert_int_equal(format_text(FORMAT_BE16, f, (const void *)"\x01\xbb", 2, true, text), 3);
	assert_string_equal(text, "443");
	for (unsigned i = 1; i < FORMATS; i++) {
		static const unsigned char many[4096] = { [0 ... 4095] = 0xff };

		for (uint64_t n = 1; n <= sizeof(many); n++)
			if (format_fits((enum format)i, n))
				assert_true(format_text((enum format)i, f, many, n, n % 2, text) < FORMAT_TEXT);
		assert_false(format_fits((enum format)i, 0));
	}
	assert_int_equal(format_parse("ipx", 3), FORMAT_NONE);
	assert_int_equal(format_parse("", 0), FORMAT_NONE);
	assert_false(format_fits(FORMAT_IP, 68));
	machine_free(&f);
}

static const struct fake_answer names[] = {
	{ "sys/kallsyms", 0, KALLSYMS "ffffffff81000200 t twin\nffffffff81000300 t twin\n",
	  sizeof(KALLSYMS) - 1 + 2 * 24 },
	{ "sys/ifaces", 0, "1 lo\n2 eth0\n9 same\n10 same\n11 12\n", 33 },
	{ "sys/cgroups", 0, "7 /system.slice\n1 /\n", 20 },
	{ "sys/clock", 0, "1700000000123456789\n", 20 },
	{ 0 },
};

/* Ambiguous texts. */
static void ambiguous(void **state)
{
	static const struct {
		enum format f;
		size_t n;
		const char *text;
	} rows[] = {
		{ FORMAT_KSYM, 8, "twin" },
		{ FORMAT_KSYM, 8, "twin+0x4" },
		{ FORMAT_KSYM, 8, "there" },
		{ FORMAT_KSYM, 8, "schedule [a_module]" },
		{ FORMAT_KSYM, 8, "schedule+4" },
		{ FORMAT_KSYM, 8, "schedule [" },
		{ FORMAT_KSYM, 8, "" },
		{ FORMAT_IFINDEX, 4, "same" },
		{ FORMAT_IFINDEX, 4, "" },
		{ FORMAT_CGROUP, 8, "/none" },
		{ FORMAT_KTIME, 8, "2026-11-31" },
		{ FORMAT_KTIME, 8, "2026-11-21T09:30:00.1Z " },
		{ FORMAT_KTIME, 8, "1970-01-01T00:00:00Z" },
		{ FORMAT_KTIME, 8, "9999-01-01T00:00:00Z" },
	};
	unsigned char back[8];
	struct source *s = NULL;
	struct machine *m;

	(void)state;
	assert_int_equal(source_fake(&s, names), 0);
	m = machine_new(s);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(format_read(rows[i].f, m, rows[i].text, back, rows[i].n, false), 0);
	assert_int_equal(format_read(FORMAT_CGROUP, m, "/", back, 8, false), 8);
	assert_int_equal(format_read(FORMAT_IFINDEX, m, "12", back, 4, false), 4); /* not the device of that name */
	assert_memory_equal(back, "\x0c\0\0\0", 4);
	machine_free(&m);
}

/* Bytes that a format sometimes has names for. */
static uint64_t likely(enum format f)
{
	const uint64_t r = (uint64_t)random() << 32 ^ (uint64_t)random() << 11 ^ (uint64_t)random();

	switch (f) {
	case FORMAT_KSYM:
		return r & 1 ? r : (r & 2 ? 0xffffffff81000000 : 0xffffffffc0000000) + (r >> 8 & 0x1ff);
	case FORMAT_CGROUP:
	case FORMAT_IFINDEX:
		return r & 1 ? r : r >> 8 & 15;
	case FORMAT_KTIME:
		return r & 1 ? r : r >> 12;
	default:
		return r;
	}
}

/* The text of a value with a format is read back as the same value: alone, quoted, and in the form
 * without the format. */
static void printed_is_read(void **state)
{
	static const uint64_t sizes[] = { 1, 2, 3, 4, 6, 8, 16 };
	struct source *s = NULL;
	struct machine *m;

	(void)state;
	assert_int_equal(source_fake(&s, names), 0);
	m = machine_new(s);
	for (unsigned i = 0; i < 20000; i++) {
		enum format f = (enum format)(1 + i % (FORMATS - 1));
		uint64_t n = sizes[(size_t)random() % 7], words[2] = { likely(f), likely(f) };
		unsigned char back[16];
		const struct value_plan *p;
		struct err e = { 0 };
		struct jsonr r;
		const char *text;
		ARENA a = arena_new();

		if (!format_fits(f, n) || f == FORMAT_STR)
			continue;
		p = value_plan_untyped((uint32_t)n, BIG_HERE, a);
		assert_int_equal(format_apply(&p, "value", "", f, m, a, &e), 0);
		text = value_line(p, words, n, a);
		jsonr_init(&r, "value", 0, text, strlen(text));
		/* If two values have the same name, the text does not identify one. */
		if (strstr(text, "twin") || strstr(text, "same"))
			assert_true(value_read(p, &r, back, n, &e));
		else if (value_read(p, &r, back, n, &e))
			fail_msg("%s: %s", text, e.msg);
		else
			assert_memory_equal(back, words, n);
	}
	machine_free(&m);
}

static void assert_prints(const struct value_plan *p, const void *bytes, size_t n, const char *want)
{
	struct jsonw w;
	struct out o;

	out_init(&o, -1);
	jsonw_init(&w, &o, false);
	value_print(p, &w, bytes, n);
	assert_string_equal(out_cstr(&o), want);
	out_close(&o, NULL);
}

static void assert_value_read(const struct value_plan *p, const char *text, const void *want, size_t n,
			      const char *sentence)
{
	unsigned char got[32];
	struct err e = { 0 };
	struct jsonr r;

	jsonr_init(&r, "value", 0, text, strlen(text));
	if (value_read(p, &r, got, n, &e) && !sentence)
		fail_msg("%s: %s", text, e.msg);
	if (sentence)
		assert_string_equal(e.msg, sentence);
	else
		assert_memory_equal(got, want, n);
}

/* Formats that names of types imply, and none if that would be a guess; a tag has priority. */
static void named(void **state)
{
	static const unsigned char bytes[64] = { 10, 0, 0, 1, 10, 0, 0,	   2,	 0, 0, 1, 0,  0x01, 0xbb, 0,
						 0,  0, 0, 0, 0,  0, 0,	   0,	 7, 2, 0, 0,  0,    0,	  9,
						 2,  0, 0, 0, 0,  9, 0xfe, 0x80, 0, 0, 0, 0,  0,    0,	  0,
						 0,  0, 0, 0, 0,  0, 1,	   127,	 0, 0, 1, 10, 0,    0,	  3 };
	struct btf_build b;
	struct btf_types *t = NULL;
	uint32_t u32, u16, u64, u8, be16, be32, be64, four, six, in, top;
	ARENA a = arena_new();

	(void)state;
	build_init(&b);
	u32 = build_int(&b, "unsigned int", 4, 0, 0, 32);
	u16 = build_int(&b, "unsigned short", 2, 0, 0, 16);
	u64 = build_int(&b, "unsigned long long", 8, 0, 0, 64);
	u8 = build_int(&b, "unsigned char", 1, 0, 0, 8);
	be16 = build_ref(&b, BTF_KIND_CONST, NULL, build_ref(&b, BTF_KIND_TYPEDEF, "__be16", u16));
	be32 = build_ref(&b, BTF_KIND_TYPEDEF, "__be32", build_ref(&b, BTF_KIND_TYPEDEF, "__u32", u32));
	be64 = build_ref(&b, BTF_KIND_TYPEDEF, "__be64", u64);
	four = build_array(&b, be32, u32, 4);
	six = build_array(&b, u8, u32, 6);
	in = build_type(&b, "in_addr", BTF_KIND_STRUCT, 1, 0, 4);
	build_member(&b, "s_addr", be32, 0);
	top = build_type(&b, "t", BTF_KIND_STRUCT, 10, 0, 64);
	build_member(&b, "saddr", be32, 0);
	build_member(&b, "remote_ip4", be32, 32);
	build_member(&b, "zip", be32, 64);
	build_member(&b, "port", be16, 96);
	build_member(&b, "cookie", be64, 128);
	build_member(&b, "src_mac", six, 192);
	build_member(&b, "machine", six, 240);
	build_member(&b, "addr6", four, 288);
	build_member(&b, "in", in, 416);
	build_member(&b, "addr", u32, 448);
	build_done_little(&b);
	assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, NULL), 0);
	assert_prints(
		value_plan_tagged(t, top, VALUE_FORMATTED, VIEW_NAMED, NULL, a), bytes, sizeof(bytes),
		"{\"saddr\":\"10.0.0.1\",\"remote_ip4\":\"10.0.0.2\",\"zip\":\"256\",\"port\":\"443\",\"cookie\":\"7\","
		"\"src_mac\":\"02:00:00:00:00:09\",\"machine\":[2,0,0,0,0,9],\"addr6\":\"fe80::1\",\"in\":\"127.0.0.1\",\"addr\":50331658}");
	assert_prints(value_plan_tagged(t, be16, VALUE_FORMATTED, VIEW_NAMED, NULL, a), bytes + 12, 2, "443");
	assert_prints(value_plan_tagged(t, be16, VALUE_FORMATTED, VIEW_BPFTOOL, NULL, a), bytes + 12, 2, "47873");
	assert_prints(value_plan_tagged(t, u32, VALUE_FORMATTED, VIEW_NAMED, NULL, a), bytes, 4, "16777226");
	btf_release(&t);
}

/* struct { u32 addr; u16 port, more; u8 mac[6]; u32 addrs[2]; u8 odd; } with tags. */
static uint32_t build_tagged(struct btf_build *b)
{
	uint32_t u32, u16, u8, mac, addrs, top;

	u32 = build_int(b, "u32", 4, 0, 0, 32);
	u16 = build_int(b, "u16", 2, 0, 0, 16);
	u8 = build_int(b, "u8", 1, 0, 0, 8);
	mac = build_array(b, u8, u32, 6);
	addrs = build_array(b, u32, u32, 2);
	top = build_type(b, "t", BTF_KIND_STRUCT, 5, 0, 24);
	build_member(b, "addr", u32, 0);
	build_member(b, "port", u16, 32);
	build_member(b, "more", u16, 48);
	build_member(b, "mac", mac, 64);
	build_member(b, "addrs", addrs, 128);
	for (unsigned i = 0; i < 5; i++) {
		static const char *const tags[] = { "bpflens:ip", "bpflens:be16", "bpflens:ip", "bpflens:mac",
						    "bpflens:ip" };

		build_type(b, tags[i], BTF_KIND_DECL_TAG, 0, 0, top);
		build_word(b, i);
	}
	build_type(b, "bpflens:hex", BTF_KIND_DECL_TAG, 0, 0, top);
	build_word(b, UINT32_MAX);
	build_type(b, "user:hex", BTF_KIND_DECL_TAG, 0, 0, top);
	build_word(b, 2);
	return top;
}

static const unsigned char tagged_bytes[24] = { 10, 0, 0, 1, 0x01, 0xbb, 5, 0, 2, 0, 0, 0,
						0,  9, 0, 0, 1,	   2,	 3, 4, 5, 6, 7, 8 };

/* Formats of tags and of options. */
static void members(void **state)
{
	const unsigned char *bytes = tagged_bytes;
	const size_t n = sizeof(tagged_bytes);
	struct btf_build b;
	struct btf_types *t = NULL;
	const struct member_test *test;
	const struct value_plan *p;
	struct err e = { 0 };
	struct member m;
	uint32_t top;
	ARENA a = arena_new();

	(void)state;
	build_init(&b);
	top = build_tagged(&b);
	build_done_little(&b);
	assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, NULL), 0);
	assert_prints(
		value_plan(t, top, VALUE_FORMATTED, a), bytes, n,
		"{\"addr\":16777226,\"port\":47873,\"more\":5,\"mac\":[2,0,0,0,0,9],\"addrs\":[67305985,134678021]}");
	p = value_plan_tagged(t, top, VALUE_FORMATTED, VIEW_BPFTOOL, NULL, a);
	assert_prints(p, bytes, n,
		      "{\"addr\":\"10.0.0.1\",\"port\":443,\"more\":5,\"mac\":\"02:00:00:00:00:09\","
		      "\"addrs\":[\"1.2.3.4\",\"5.6.7.8\"]}");
	/* The same text is read, and also the text of the members without a format. */
	assert_value_read(p,
			  "{\"addr\":\"10.0.0.1\",\"port\":443,\"more\":5,\"mac\":\"02:00:00:00:00:09\","
			  "\"addrs\":[\"1.2.3.4\",\"5.6.7.8\"]}",
			  bytes, n, NULL);
	assert_value_read(
		p,
		"{\"addr\":16777226,\"port\":\"0x1bb\",\"more\":5,\"mac\":[2,0,0,0,0,9],\"addrs\":[67305985,134678021]}",
		bytes, n, NULL);
	assert_value_read(p, "{\"addr\":\"10.0.0.256\"", NULL, n, "value.addr: '10.0.0.256' is not an integer");
	assert_value_read(p, "{\"port\":65536}", NULL, n, "value.port: '65536' is not a number from 0 to 65535");
	assert_value_read(p, "{\"mac\":\"02\"}", NULL, n, "value.mac: '02' cannot be read in its format");
	assert_int_equal(value_exact(p, n), false); /* two bytes between the members */
	assert_prints(p, bytes, 5, "{\"addr\":\"10.0.0.1\",\"port\":null,\"more\":null,\"mac\":null,\"addrs\":null}");
	/* Comparisons use the printed text. */
	assert_int_equal(member_find(&m, p, "value", ".port", &e), 0);
	assert_int_equal(member_test_parse(&test, &m, "port", OP_EQ, "443", a, &e), 0);
	assert_true(member_match(test, bytes, n));
	assert_int_equal(member_find(&m, p, "value", ".addr", &e), 0);
	assert_int_equal(member_test_parse(&test, &m, "addr", OP_MATCH, "^10[.]0", a, &e), 0);
	assert_true(member_match(test, bytes, n));
	p = value_plan(t, top, VALUE_FORMATTED, a);
	assert_int_equal(format_apply(&p, "value", ".addrs", FORMAT_HEX, NULL, a, &e), 0);
	assert_int_equal(format_apply(&p, "value", ".more", FORMAT_HEX, NULL, a, &e), 0);
	assert_prints(p, bytes, n,
		      "{\"addr\":16777226,\"port\":47873,\"more\":\"0x5\",\"mac\":[2,0,0,0,0,9],"
		      "\"addrs\":\"0x807060504030201\"}");
	assert_int_equal(format_apply(&p, "value", "", FORMAT_HEX, NULL, a, &e), 0);
	assert_prints(p, bytes, n, "\"0a 00 00 01 01 bb 05 00 02 00 00 00 00 09 00 00 01 02 03 04 05 06 07 08\"");
	p = value_plan(t, top, VALUE_FORMATTED, a);
	assert_int_equal(format_apply(&p, "value", ".port", FORMAT_IP, NULL, a, &e), -EINVAL);
	assert_string_equal(e.msg, "value.port has 2 bytes, which that format does not support");
	err_clear(&e);
	assert_int_equal(format_apply(&p, "value", ".none", FORMAT_IP, NULL, a, &e), -EINVAL);
	assert_string_equal(e.msg, "value.none: no member 'none'");
	btf_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(texts),	 cmocka_unit_test(refusals),
					    cmocka_unit_test(members),	 cmocka_unit_test(named),
					    cmocka_unit_test(ambiguous), cmocka_unit_test(printed_is_read) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
