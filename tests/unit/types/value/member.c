/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "base/bytes.h"
#include "types/value/aggregate.h"
#include "types/btf.h"
#include "types/value/member.h"
#include "types/value/value.h"
#include "../build.h"
#include "render/jsonw.h"

/* What depends on the byte order: an address in network order as a number, the bytes of a number. */
#if BIG_HERE
#define SADDR 0x0a000001
#define SADDR_HEX "0x0a000001"
#define SADDR_SUM "4630511617"
#define SADDR_AVERAGE "1543503872"
#define U2 "[1,2,3,4]"
#define U2_FIRST "1"
#else
#define SADDR 0x0100000a
#define SADDR_HEX "0x0100000a"
#define SADDR_SUM "4328521747"
#define SADDR_AVERAGE "1442840582"
#define U2 "[4,3,2,1]"
#define U2_FIRST "4"
#endif

struct peer {
	uint16_t port;
	uint8_t addr[4];
};
struct sample {
	int32_t a;
	uint32_t saddr;
	char comm[8];
	struct peer peers[2];
	union {
		uint32_t u1;
		int8_t u2[4];
	};
	uint32_t flag : 3, rest : 29;
	int32_t col;
	uint8_t mac[6], ok, c;
	uint8_t v6[16];
	double d;
	uint64_t big;
};
static const struct sample value = {
	.a = -5,
	.saddr = SADDR,
	.comm = "nginx",
	.peers = { { 80, { 10, 0, 0, 9 } }, { 443, { 192, 168, 1, 2 } } },
	.u1 = 0x01020304,
	.flag = 5,
	.rest = 9,
	.col = -1,
	.mac = { 2, 0, 0, 0, 0, 0xab },
	.ok = 1,
	.c = 'A',
	.v6 = { 0xfe, 0x80, [15] = 1 },
	.d = 1.5,
	.big = UINT64_MAX,
};

struct types {
	struct btf_types *t;
	struct arena *a;
	struct value_plan *plan;
};

static void member(struct btf_build *b, const char *name, uint32_t type, size_t off)
{
	build_member(b, name, type, (uint32_t)off * 8);
}
#define MEMBER(name, type) member(&b, #name, type, offsetof(struct sample, name))

static struct types types_make(void)
{
	static struct btf_build b;
	struct types r = { .a = arena_new() };
	uint32_t s32, u32, u16, u8, s8, u64, chr, boolean, text, addr, peer, peers, four, un, color, mac, v6, dbl, top;

	build_init(&b);
	s32 = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	u32 = build_int(&b, "u32", 4, 0, 0, 32);
	u16 = build_int(&b, "u16", 2, 0, 0, 16);
	u8 = build_int(&b, "u8", 1, 0, 0, 8);
	s8 = build_int(&b, "char", 1, BTF_INT_SIGNED, 0, 8);
	u64 = build_int(&b, "u64", 8, 0, 0, 64);
	chr = build_int(&b, "c", 1, BTF_INT_CHAR, 0, 8);
	boolean = build_int(&b, "bool", 1, BTF_INT_BOOL, 0, 8);
	dbl = build_type(&b, "double", BTF_KIND_FLOAT, 0, 0, 8);
	text = build_array(&b, s8, u32, 8);
	four = build_array(&b, s8, u32, 4);
	addr = build_array(&b, u8, u32, 4);
	mac = build_array(&b, u8, u32, 6);
	v6 = build_array(&b, u8, u32, 16);
	peer = build_type(&b, "peer", BTF_KIND_STRUCT, 2, 0, sizeof(struct peer));
	member(&b, "port", u16, 0);
	member(&b, "addr", addr, 2);
	peers = build_array(&b, peer, u32, 2);
	un = build_type(&b, NULL, BTF_KIND_UNION, 2, 0, 4);
	member(&b, "u1", u32, 0);
	member(&b, "u2", four, 0);
	color = build_type(&b, "color", BTF_KIND_ENUM, 2, 0, 4);
	build_word(&b, build_str(&b, "RED"));
	build_word(&b, 0);
	build_word(&b, build_str(&b, "NONE"));
	build_word(&b, (uint32_t)-1);
	top = build_type(&b, "sample", BTF_KIND_STRUCT, 14, 1, sizeof(struct sample));
	MEMBER(a, s32);
	MEMBER(saddr, u32);
	MEMBER(comm, text);
	MEMBER(peers, peers);
	member(&b, NULL, un, offsetof(struct sample, u1));
	build_member(&b, "flag", u32, 3u << 24 | ((uint32_t)offsetof(struct sample, u1) + 4) * 8);
	build_member(&b, "rest", u32, 29u << 24 | (((uint32_t)offsetof(struct sample, u1) + 4) * 8 + 3));
	MEMBER(col, color);
	MEMBER(mac, mac);
	MEMBER(ok, boolean);
	MEMBER(c, chr);
	MEMBER(v6, v6);
	MEMBER(d, dbl);
	MEMBER(big, u64);
	build_done(&b);
	assert_int_equal(btf_parse(&r.t, b.out, b.out_n, NULL, NULL), 0);
	r.plan = value_plan(r.t, top, VALUE_FORMATTED, r.a);
	return r;
}

static void types_drop(struct types *t)
{
	btf_release(&t->t);
	arena_free(t->a);
}

/* 1 or 0, or -EINVAL with the message in *e. */
static int match(const struct types *t, const char *path, enum operator op, const char *text, size_t n, struct err *e)
{
	const struct member_test *test;
	struct member m;
	int err = member_find(&m, t->plan, "value", path, e);

	if (!err)
		err = member_test_parse(&test, &m, path, op, text, t->a, e);
	return err ? err : member_match(test, &value, n);
}

static void comparisons(void **state)
{
	/* clang-format off */
	static const struct { const char *path; enum operator op; const char *text; bool want; } rows[] = {
		{ ".a", OP_EQ, "-5", 1 }, { ".a", OP_LT, "0", 1 }, { ".a", OP_GT, "-6", 1 }, { ".a", OP_GE, "4294967291", 0 },
		{ ".saddr", OP_EQ, "10.0.0.1", 1 }, { ".saddr", OP_EQ, "10.0.0.2", 0 }, { ".saddr", OP_EQ, "10.0.0.0/29", 1 },
		{ ".saddr", OP_NE, "10.0.0.0/8", 0 }, { ".saddr", OP_EQ, "0.0.0.0/0", 1 }, { ".saddr", OP_LT, "10.0.1.0", 1 },
		{ ".saddr", OP_EQ, SADDR_HEX, 1 }, { ".saddr", OP_EQ, "11.0.0.0/7", 1 }, { ".saddr", OP_EQ, "12.0.0.0/7", 0 },
		{ ".comm", OP_EQ, "nginx", 1 }, { ".comm", OP_EQ, "ngin", 0 }, { ".comm", OP_LT, "nginy", 1 },
		{ ".comm", OP_MATCH, "^ng.*x$", 1 }, { ".comm", OP_MATCH, "apache", 0 }, { ".comm", OP_NE, "5", 1 },
		{ ".comm[0]", OP_EQ, "110", 1 }, { ".comm", OP_EQ, NULL, 1 },
		{ ".peers[1].port", OP_EQ, "443", 1 }, { ".peers[0].port", OP_EQ, "443", 0 },
		{ ".peers[1].addr", OP_EQ, "192.168.0.0/16", 1 }, { ".peers[1].addr[3]", OP_EQ, "2", 1 },
		{ ".u1", OP_EQ, "0x01020304", 1 }, { ".u2[0]", OP_EQ, U2_FIRST, 1 }, { ".flag", OP_EQ, "5", 1 }, { ".rest", OP_GE, "9", 1 },
		{ ".rest", OP_GT, "9", 0 }, { ".col", OP_EQ, "NONE", 1 }, { ".col", OP_EQ, "RED", 0 }, { ".col", OP_EQ, "-1", 1 },
		{ ".col", OP_EQ, "4294967295", 1 }, { ".col", OP_MATCH, "NO", 1 }, { ".a", OP_MATCH, "^-5$", 1 },
		{ ".mac", OP_EQ, "02:00:00:00:00:ab", 1 }, { ".mac", OP_EQ, "02:00:00:00:00:ac", 0 },
		{ ".ok", OP_EQ, "true", 1 }, { ".ok", OP_NE, "false", 1 }, { ".ok", OP_EQ, NULL, 1 }, { ".c", OP_EQ, "A", 1 },
		{ ".v6", OP_EQ, "fe80::1", 1 }, { ".v6", OP_EQ, "fe80::/10", 1 }, { ".v6", OP_EQ, "::1", 0 },
		{ ".d", OP_GT, "1.25", 1 }, { ".d", OP_EQ, "1.5", 1 }, { ".d", OP_LT, "-1", 0 },
		{ ".big", OP_GT, "1T", 1 }, { ".big", OP_EQ, "18446744073709551615", 1 }, { ".big", OP_GT, "-1", 1 },
		{ ".a", OP_EQ, NULL, 1 }, { ".col", OP_EQ, NULL, 1 }, { ".mac", OP_EQ, NULL, 1 },
	};
	/* clang-format on */
	struct types t = types_make();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err e = { 0 };
		int got = match(&t, rows[i].path, rows[i].op, rows[i].text, sizeof(value), &e);

		if (got != rows[i].want)
			fail_msg("%s %s: %d %s", rows[i].path, rows[i].text, got, e.msg);
		/* A comparison with a member outside of the bytes is never true. */
		assert_int_equal(match(&t, rows[i].path, rows[i].op, rows[i].text, 0, &e), 0);
	}
	types_drop(&t);
}

static void refusals(void **state)
{
	static const struct {
		const char *path, *text, *want;
	} rows[] = {
		{ ".b", "1", "value.b: no member 'b'" },
		{ ".a.x", "1", "value.a.x: no member 'x'" },
		{ ".a[0]", "1", "value.a[0]: no element '[0]'" },
		{ ".peers[2].port", "1", "value.peers[2].port: no element [2]: the array has 2" },
		{ ".peers[x]", "1", "value.peers[x]: no element '[x]'" },
		{ ".peers[1", "1", "value.peers[1: no element '[1'" },
		{ ".peers", "1", "filter: .peers is an array; compare one of its elements, as in .peers[0]" },
		{ ".peers[0]", "1", "filter: .peers[0] has members; compare one of them" },
		{ "", "1", "filter:  has members; compare one of them" },
		{ ".", "1", "value.: no member ''" },
		{ ".a", "x", "filter: 'x' is not a number, as .a requires" },
		{ ".a", "10.0.0", "filter: '10.0.0' is not a number, as .a requires" },
		{ ".saddr", "10.0.0.0/33", "filter: '10.0.0.0/33' is not a number, as .saddr requires" },
		{ ".col", "PINK", "filter: 'PINK' is not a name of its type or a number, as .col requires" },
		{ ".d", "1.5x", "filter: '1.5x' is not a number, as .d requires" },
	};
	struct types t = types_make();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err e = { 0 };

		assert_int_equal(match(&t, rows[i].path, OP_EQ, rows[i].text, sizeof(value), &e), -EINVAL);
		assert_string_equal(e.msg, rows[i].want);
		assert_int_equal(err_exit_status(&e), EXIT_USAGE);
	}
	types_drop(&t);
}

/* Signs, and names of enums; also numbers as they are printed. */
static void bit_fields(void **state)
{
	static const struct {
		const char *path;
		enum operator op;
		const char *text;
		bool want;
	} rows[] = {
		{ ".s", OP_EQ, "-3", 1 },	  { ".s", OP_EQ, "0x5", 1 },	 { ".s", OP_LT, "0", 1 },
		{ ".s", OP_EQ, "3", 0 },	  { ".no", OP_EQ, "NONE", 1 },	 { ".no", OP_EQ, "RED", 0 },
		{ ".no", OP_MATCH, "^NONE$", 1 }, { ".no", OP_EQ, "3", 1 },	 { ".yes", OP_EQ, "B", 1 },
		{ ".yes", OP_GT, "0", 1 },	  { ".yes", OP_EQ, "A", 0 },	 { ".yes", OP_EQ, "C", 0 },
		{ ".yes", OP_MATCH, "^B$", 1 },	  { ".s", OP_MATCH, "^-3$", 1 },
	};
	static const unsigned char bytes[4] = { 5 | 3 << 3 | 3 << 5 };
	struct types t = { .a = arena_new() };
	struct btf_build b;
	uint32_t s32, color, letter, top;

	(void)state;
	build_init(&b);
	s32 = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	color = build_type(&b, "color", BTF_KIND_ENUM, 2, 0, 4);
	build_word(&b, build_str(&b, "RED"));
	build_word(&b, 0);
	build_word(&b, build_str(&b, "NONE"));
	build_word(&b, (uint32_t)-1);
	letter = build_type(&b, "letter", BTF_KIND_ENUM, 2, 0, 4);
	build_word(&b, build_str(&b, "A"));
	build_word(&b, 0);
	build_word(&b, build_str(&b, "B"));
	build_word(&b, 3);
	top = build_type(&b, "bits", BTF_KIND_STRUCT, 3, 1, 4);
	build_member(&b, "s", s32, 3u << 24);
	build_member(&b, "no", color, 2u << 24 | 3);
	build_member(&b, "yes", letter, 2u << 24 | 5);
	build_done_little(&b);
	assert_int_equal(btf_parse(&t.t, b.out, b.out_n, NULL, NULL), 0);
	t.plan = value_plan(t.t, top, VALUE_FORMATTED, t.a);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct member_test *test;
		struct member m;
		int err = member_find(&m, t.plan, "value", rows[i].path, NULL);

		assert_int_equal(err, 0);
		err = member_test_parse(&test, &m, rows[i].path, rows[i].op, rows[i].text, t.a, NULL);
		if (strcmp(rows[i].text, "C") == 0)
			assert_int_equal(err, -EINVAL);
		else if (err || member_match(test, bytes, sizeof(bytes)) != rows[i].want)
			fail_msg("%s %s: %d", rows[i].path, rows[i].text, err);
	}
	types_drop(&t);
}

/* Numbers of more than 64 bits are matched as they are printed. */
static void wide(void **state)
{
	static const struct {
		const char *regex;
		unsigned char high;
		bool want;
	} rows[] = { { "^5$", 0, 1 }, { "^5$", 1, 0 }, { "^0x10000000000000005$", 1, 1 }, { "^0xff0+5$", 255, 1 } };
	struct types t = { .a = arena_new() };
	struct btf_build b;
	uint32_t u128;

	(void)state;
	build_init(&b);
	u128 = build_int(&b, "unsigned __int128", 16, 0, 0, 128);
	build_type(&b, "wide", BTF_KIND_STRUCT, 1, 0, 16);
	build_member(&b, "v", u128, 0);
	build_done_little(&b);
	assert_int_equal(btf_parse(&t.t, b.out, b.out_n, NULL, NULL), 0);
	t.plan = value_plan(t.t, u128 + 1, VALUE_FORMATTED, t.a);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const unsigned char bytes[16] = { [0] = 5, [8] = rows[i].high };
		const struct member_test *test;
		struct member m;

		assert_int_equal(member_find(&m, t.plan, "value", ".v", NULL), 0);
		assert_int_equal(member_test_parse(&test, &m, ".v", OP_MATCH, rows[i].regex, t.a, NULL), 0);
		if (member_match(test, bytes, sizeof(bytes)) != rows[i].want)
			fail_msg("%zu: %s", i, rows[i].regex);
	}
	types_drop(&t);
}

/* Signs of 128 bits, and all numbers as they are printed. */
static void wide_order(void **state)
{
	static const struct {
		bool is_signed;
		unsigned char top; /* the most significant byte; the others are 0xff */
		enum operator op;
		const char *text;
		bool want;
	} rows[] = {
		{ true, 0xff, OP_EQ, "-1", 1 },
		{ true, 0xff, OP_EQ, "0xffffffffffffffffffffffffffffffff", 1 },
		{ true, 0xff, OP_LT, "0", 1 },
		{ true, 0x7f, OP_GT, "0", 1 },
		{ false, 0xff, OP_EQ, "0xffffffffffffffffffffffffffffffff", 1 },
		{ false, 0xff, OP_EQ, "340282366920938463463374607431768211455", 1 },
		{ false, 0xff, OP_GT, "0x80000000000000000000000000000000", 1 },
		{ false, 0xff, OP_GT, "5", 1 },
		{ false, 0x7f, OP_LT, "0x80000000000000000000000000000000", 1 },
		{ false, 0x7f, OP_EQ, "0xffffffffffffffffffffffffffffffff", 0 },
	};
	struct types t = { .a = arena_new() };
	struct btf_build b;
	struct member u, s;
	unsigned char large[32], small[32];

	(void)state;
	build_init(&b);
	build_int(&b, "unsigned __int128", 16, 0, 0, 128);
	build_int(&b, "__int128", 16, BTF_INT_SIGNED, 0, 128);
	build_type(&b, "wide", BTF_KIND_STRUCT, 2, 0, 32);
	build_member(&b, "u", 1, 0);
	build_member(&b, "s", 2, 128);
	build_done_little(&b);
	assert_int_equal(btf_parse(&t.t, b.out, b.out_n, NULL, NULL), 0);
	t.plan = value_plan(t.t, 3, VALUE_FORMATTED, t.a);
	assert_int_equal(member_find(&u, t.plan, "value", ".u", NULL), 0);
	assert_int_equal(member_find(&s, t.plan, "value", ".s", NULL), 0);
	memset(large, 0xff, sizeof(large));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct member *m = rows[i].is_signed ? &s : &u;
		const struct member_test *test;
		struct err e = { 0 };

		large[m->off + 15] = rows[i].top;
		if (member_test_parse(&test, m, "v", rows[i].op, rows[i].text, t.a, &e))
			fail_msg("%zu: %s", i, e.msg);
		if (member_match(test, large, sizeof(large)) != rows[i].want)
			fail_msg("%zu: %s", i, rows[i].text);
	}
	memset(large, 0xff, sizeof(large));
	memset(small, 0xff, sizeof(small));
	small[15] = small[31] = 0x7f;
	assert_true(member_cmp(&u, large, small, sizeof(large)) > 0);
	assert_true(member_cmp(&s, large, small, sizeof(large)) < 0);
	assert_int_not_equal(member_test_parse(&(const struct member_test *){ NULL }, &u, "v", OP_EQ, "-1", t.a, NULL),
			     0);
	types_drop(&t);
}

static void order(void **state)
{
	static const char *const smaller[] = { ".a", ".comm", ".peers[1].port", ".d", ".col", ".mac", "", ".peers[0]" };
	struct sample less = value;
	struct types t = types_make();
	struct member m;

	(void)state;
	less.a = -6;
	less.comm[0] = 'm';
	less.peers[0].port--;
	less.peers[1].port--;
	less.d = -2;
	less.col = -2;
	less.mac[5]--;
	for (size_t i = 0; i < sizeof(smaller) / sizeof(smaller[0]); i++) {
		assert_int_equal(member_find(&m, t.plan, "value", smaller[i], NULL), 0);
		assert_true(member_cmp(&m, &less, &value, sizeof(value)) < 0);
		assert_true(member_cmp(&m, &value, &less, sizeof(value)) > 0);
		assert_true(member_cmp(&m, &value, &value, sizeof(value)) == 0);
		assert_int_equal(member_cmp(&m, &less, &value, 0), 0);
	}
	types_drop(&t);
}

static void assert_aggregate(enum aggregate how, const char *want)
{
	struct types t = types_make();
	struct sample cpus[3] = { value, value, value };
	struct aggregator g;
	unsigned char *ret;
	struct jsonw w;
	struct out o;

	cpus[1].a = 7;
	cpus[2].saddr = UINT32_MAX;
	cpus[1].peers[1].port = 1;
	cpus[1].col = 0;
	strcpy(cpus[1].comm, "other");
	assert_int_equal(aggregator_init(&g, how, t.plan, sizeof(value), t.a, NULL), 0);
	ret = arena_alloc(t.a, g.size);
	aggregate(&g, (const void *)cpus, sizeof(cpus[0]), 3, ret);
	out_init(&o, -1);
	jsonw_init(&w, &o, false);
	value_print(g.plan, &w, ret, g.size);
	assert_string_equal(out_cstr(&o), want);
	out_close(&o, NULL);
	types_drop(&t);
}

static void aggregates(void **state)
{
	(void)state;
	assert_aggregate(
		AGGREGATE_SUM,
		"{\"a\":-3,\"saddr\":" SADDR_SUM
		",\"comm\":\"nginx\",\"peers\":[{\"port\":240,\"addr\":[30,0,0,27]},"
		"{\"port\":887,\"addr\":[576,504,3,6]}],\"\":{\"u1\":50727180,\"u2\":" U2
		"},\"flag\":\"0x5\",\"rest\":\"0x9\","
		"\"col\":\"NONE\",\"mac\":[6,0,0,0,0,513],\"ok\":true,\"c\":\"A\",\"v6\":[762,384,0,0,0,0,0,0,0,0,0,0,0,0,0,3],"
		"\"d\":1.5,\"big\":18446744073709551613}");
	assert_aggregate(
		AGGREGATE_MAX,
		"{\"a\":7,\"saddr\":4294967295,\"comm\":\"nginx\",\"peers\":[{\"port\":80,\"addr\":[10,0,0,9]},"
		"{\"port\":443,\"addr\":[192,168,1,2]}],\"\":{\"u1\":16909060,\"u2\":" U2
		"},\"flag\":\"0x5\",\"rest\":\"0x9\","
		"\"col\":\"NONE\",\"mac\":[2,0,0,0,0,171],\"ok\":true,\"c\":\"A\",\"v6\":[254,128,0,0,0,0,0,0,0,0,0,0,0,0,0,1],"
		"\"d\":1.5,\"big\":18446744073709551615}");
	assert_aggregate(
		AGGREGATE_AVG,
		"{\"a\":-1,\"saddr\":" SADDR_AVERAGE
		",\"comm\":\"nginx\",\"peers\":[{\"port\":80,\"addr\":[10,0,0,9]},"
		"{\"port\":295,\"addr\":[192,168,1,2]}],\"\":{\"u1\":16909060,\"u2\":" U2
		"},\"flag\":\"0x5\",\"rest\":\"0x9\","
		"\"col\":\"NONE\",\"mac\":[2,0,0,0,0,171],\"ok\":true,\"c\":\"A\",\"v6\":[254,128,0,0,0,0,0,0,0,0,0,0,0,0,0,1],"
		"\"d\":1.5,\"big\":18446744073709551615}");
}

/* A struct in a combined value has the place and the size of its wider members, by which it is sorted. */
static void aggregate_of_struct(void **state)
{
	static struct btf_build b;
	struct btf_types *t;
	struct aggregator g;
	struct member m;
	ARENA a = arena_new();
	uint32_t u16, u32, in, top;

	(void)state;
	build_init(&b);
	u16 = build_int(&b, "u16", 2, 0, 0, 16);
	u32 = build_int(&b, "u32", 4, 0, 0, 32);
	in = build_type(&b, "in", BTF_KIND_STRUCT, 2, 0, 4);
	member(&b, "x", u16, 0);
	member(&b, "y", u16, 2);
	top = build_type(&b, "top", BTF_KIND_STRUCT, 2, 0, 8);
	member(&b, "first", u32, 0);
	member(&b, "in", in, 4);
	build_done(&b);
	assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, NULL), 0);
	assert_int_equal(aggregator_init(&g, AGGREGATE_SUM, value_plan(t, top, VALUE_FORMATTED, a), 8, a, NULL), 0);
	assert_int_equal(g.size, 24);
	assert_int_equal(member_find(&m, g.plan, "value", ".in", NULL), 0);
	assert_int_equal(m.off, 8);
	assert_int_equal(m.size, 16);
	btf_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparisons), cmocka_unit_test(refusals),
		cmocka_unit_test(bit_fields),  cmocka_unit_test(wide),
		cmocka_unit_test(wide_order),  cmocka_unit_test(order),
		cmocka_unit_test(aggregates),  cmocka_unit_test(aggregate_of_struct),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
