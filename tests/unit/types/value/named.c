/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <string.h>

#include "base/base.h"
#include "types/btf.h"
#include "types/value/format.h"
#include "types/value/value.h"
#include "../build.h"

/* What --format auto makes of a value, and the members that a note names; the text is read back to the same bytes. */
static void assert_auto(const struct btf_types *t, uint32_t type, const unsigned char *bytes, size_t n,
			const char *want, const char *offered)
{
	ARENA a = arena_new();
	const struct value_plan *p = value_plan_tagged(t, type, VALUE_FORMATTED, VIEW_BPFTOOL, NULL, a), *named = p;
	unsigned char again[64];
	struct err e = { 0 };
	STR is = { 0 };

	format_auto_names(p, &is);
	assert_string_equal(is.n ? is.p : "", offered);
	format_apply_auto(&p, NULL, a);
	assert_string_equal(value_line(p, bytes, n, a), want);
	assert_int_equal(value_read_word(p, "key", want, again, n, &e), 0);
	assert_memory_equal(again, bytes, n);
	named = value_plan_tagged(t, type, VALUE_FORMATTED, VIEW_NAMED, NULL, a);
	format_apply_auto(&named, NULL, a);
	assert_string_equal(value_line(named, bytes, n, a), want);
	is.n = 0;
	format_auto_names(p, &is);
	assert_int_equal(is.n, 0);
}

/* Members are addresses by their names: 16 bytes anywhere, 4 only in or below a struct with a port or protocol. */
static void test_auto(void **state)
{
	static const unsigned char bytes[48] = { 10, 0, 0, 1, 10, 0, 0, 2,	     0x01, 0xbb,    0,
						 80, 2, 0, 0, 0,  0, 9, [32] = 0xfe, 0x80, [47] = 1 };
	static const unsigned char plain_bytes[48] = { 1, [8] = 2, [12] = 3, [32] = 0xfe, 0x80, [47] = 1 };
	uint32_t u32, s32, u16, u8, be16, be32, pair, route, six, sixteen, flow, plain;
	struct btf_types *t = NULL;
	struct btf_build b;

	(void)state;
	build_init(&b);
	u32 = build_int(&b, "unsigned int", 4, 0, 0, 32);
	s32 = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	u16 = build_int(&b, "unsigned short", 2, 0, 0, 16);
	u8 = build_int(&b, "unsigned char", 1, 0, 0, 8);
	be16 = build_ref(&b, BTF_KIND_TYPEDEF, "__be16", u16);
	be32 = build_ref(&b, BTF_KIND_TYPEDEF, "__be32", u32);
	six = build_array(&b, u8, u32, 6);
	sixteen = build_array(&b, u8, u32, 16);
	pair = build_type(&b, "pair", BTF_KIND_STRUCT, 2, 0, 8);
	build_member(&b, "saddr", u32, 0);
	build_member(&b, "local_ip4", u32, 32);
	flow = build_type(&b, "flow", BTF_KIND_STRUCT, 6, 0, 48);
	build_member(&b, "pair", pair, 0);
	build_member(&b, "sport", be16, 64);
	build_member(&b, "dport", u16, 80);
	build_member(&b, "smac", six, 96);
	build_member(&b, "addr", s32, 192);
	build_member(&b, "addr6", sixteen, 256);
	plain = build_type(&b, "plain", BTF_KIND_STRUCT, 3, 0, 48);
	build_member(&b, "addr", u32, 0);
	build_member(&b, "address", pair, 64);
	build_member(&b, "addr6", sixteen, 256);
	route = build_type(&b, "route", BTF_KIND_STRUCT, 4, 0, 16);
	build_member(&b, "src", be32, 0);
	build_member(&b, "default_gw", be32, 32);
	build_member(&b, "seq", be32, 64);
	build_member(&b, "dst", u32, 96);
	build_done_little(&b);
	assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, NULL), 0);
	assert_auto(t, flow, bytes, sizeof(bytes),
		    "{\"pair\":{\"saddr\":\"10.0.0.1\",\"local_ip4\":\"10.0.0.2\"},\"sport\":443,\"dport\":20480,"
		    "\"smac\":\"02:00:00:00:00:09\",\"addr\":0,\"addr6\":\"fe80::1\"}",
		    "saddr, local_ip4, sport, smac, addr6");
	assert_auto(t, plain, plain_bytes, sizeof(plain_bytes),
		    "{\"addr\":1,\"address\":{\"saddr\":2,\"local_ip4\":3},\"addr6\":\"fe80::1\"}", "addr6");
	assert_auto(t, route, bytes, 16,
		    "{\"src\":\"10.0.0.1\",\"default_gw\":\"10.0.0.2\",\"seq\":29032528,\"dst\":2}",
		    "src, default_gw, seq");
	btf_release(&t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_auto),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
