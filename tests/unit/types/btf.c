/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "base/bytes.h"
#include "types/btf.h"
#include "kernel/abi.h"
#include "parsed.h"

static void test_types(void **state)
{
	struct btf_build b;
	uint32_t i, s, arr, arr2, td, cst, f;
	uint64_t size = 7;

	(void)state;
	build_init(&b);
	i = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	s = build_type(&b, "pair", BTF_KIND_STRUCT, 2, 0, 8);
	build_member(&b, "a", i, 0);
	build_member(&b, "b", i, 32);
	arr = build_array(&b, s, i, 3);
	arr2 = build_array(&b, arr, i, 5);
	td = build_ref(&b, BTF_KIND_TYPEDEF, "pairs_t", arr2);
	cst = build_ref(&b, BTF_KIND_CONST, NULL, td);
	f = build_type(&b, NULL, BTF_KIND_FUNC_PROTO, 0, 0, 0);
	BTF t = parsed(&b, NULL);

	assert_int_equal(btf_start(t), 1);
	assert_int_equal(btf_count(t), f + 1);
	assert_string_equal(btf_name(t, s), "pair");
	assert_string_equal(btf_name(t, 0), "");
	assert_string_equal(btf_name(t, f + 1), "");
	assert_string_equal(btf_str(t, 100000), "");
	assert_null(btf_type(t, 0));
	assert_null(btf_type(t, f + 1));
	assert_int_equal(btf_vlen_of(btf_type(t, s)), 2);
	assert_int_equal(btf_resolve(t, cst), arr2);
	assert_int_equal(btf_find(t, "pair", BTF_KIND_STRUCT), s);
	assert_int_equal(btf_find(t, "pair", BTF_KIND_UNION), 0);
	assert_int_equal(btf_size(t, cst, &size), 0);
	assert_int_equal(size, 120);
	size = 7;
	assert_int_equal(btf_size(t, f, &size), -EINVAL);
	assert_int_equal(btf_size(t, 0, &size), -EINVAL);
	assert_int_equal(size, 7);
}

static void test_overflow_and_cycles(void **state)
{
	struct btf_build b;
	uint32_t i, a, loop, self;
	uint64_t size;

	(void)state;
	build_init(&b);
	i = build_int(&b, "int", 4, 0, 0, 32);
	a = i;
	for (int k = 0; k < 3; k++)
		a = build_array(&b, a, i, 0xffffffff);
	loop = build_ref(&b, BTF_KIND_TYPEDEF, "loop", b.next + 1);
	build_ref(&b, BTF_KIND_CONST, NULL, loop);
	self = build_array(&b, b.next, i, 1);
	BTF t = parsed(&b, NULL);

	assert_int_equal(btf_size(t, a, &size), -EINVAL);
	assert_int_equal(btf_resolve(t, loop), 0);
	assert_int_equal(btf_size(t, loop, &size), -EINVAL);
	assert_int_equal(btf_size(t, self, &size), -EINVAL);
}

/* 64 types on the way to one with a size, the last included, so that arrays of themselves end. */
static void test_dimensions(void **state)
{
	struct btf_build b;
	uint32_t i, a, most = 0;
	uint64_t size;

	(void)state;
	build_init(&b);
	a = i = build_int(&b, "int", 4, 0, 0, 32);
	for (int k = 0; k < 64; k++) {
		most = a;
		a = build_array(&b, a, i, 1);
	}
	BTF t = parsed(&b, NULL);

	assert_int_equal(btf_size(t, most, &size), 0);
	assert_int_equal(size, 4);
	assert_int_equal(btf_size(t, a, &size), -EINVAL);
}

static void test_enum_names(void **state)
{
	struct btf_build b;
	uint32_t e, u, e64;

	(void)state;
	build_init(&b);
	e = build_type(&b, "e", BTF_KIND_ENUM, 2, 1, 4);
	build_pair(&b, "NEG", (uint32_t)-1);
	build_pair(&b, "FIVE", 5);
	u = build_type(&b, "u", BTF_KIND_ENUM, 1, 0, 4);
	build_pair(&b, "TOP", 0xffffffff);
	e64 = build_type(&b, "e64", BTF_KIND_ENUM64, 1, 0, 8);
	build_word(&b, build_str(&b, "BIG"));
	build_word(&b, 1);
	build_word(&b, 2);
	BTF t = parsed(&b, NULL);

	assert_string_equal(btf_enum_name(t, e, -1), "NEG");
	assert_string_equal(btf_enum_name(t, e, 5), "FIVE");
	assert_null(btf_enum_name(t, e, 6));
	assert_string_equal(btf_enum_name(t, u, 0xffffffff), "TOP");
	assert_string_equal(btf_enum_name(t, e64, 0x200000001), "BIG");
	assert_null(btf_enum_name(t, e64, 1));
	assert_null(btf_enum_name(t, 0, 1));
}

static void test_split(void **state)
{
	struct btf_build b, m;
	uint32_t i, p;

	(void)state;
	build_init(&b);
	i = build_int(&b, "int", 4, 0, 0, 32);
	BTF base = parsed(&b, NULL);
	build_init_split(&m, btf_count(base), b.strs_n);
	p = build_ref(&m, BTF_KIND_TYPEDEF, "mod_t", i);
	BTF t = parsed(&m, base);

	assert_int_equal(btf_start(t), p);
	assert_int_equal(btf_count(t), p + 1);
	assert_string_equal(btf_name(t, p), "mod_t");
	assert_string_equal(btf_name(t, i), "int");
	assert_int_equal(btf_resolve(t, p), i);
	assert_int_equal(btf_find(t, "int", BTF_KIND_INT), i);
}

static void assert_bad(struct btf_build *b, const char *part)
{
	struct btf_types *t = (void *)1;
	struct err e = { 0 };

	assert_int_equal(btf_parse(&t, b->out, b->out_n, NULL, &e), -EBADMSG);
	assert_ptr_equal(t, (void *)1);
	if (!strstr(e.msg, part))
		fail_msg("\"%s\" does not say \"%s\"", e.msg, part);
}

static void build_small(struct btf_build *b)
{
	build_init(b);
	build_int(b, "int", 4, 0, 0, 32);
	build_ref(b, BTF_KIND_PTR, NULL, 1);
}

static void test_refused(void **state)
{
	struct btf_build b;
	struct abi_btf_header h;

	(void)state;
	build_small(&b);
	build_done(&b);
	b.out_n = 10;
	assert_bad(&b, "too short");

#define BAD_HEADER(member, value, part) \
	do { \
		build_small(&b); \
		build_done(&b); \
		memcpy(&h, b.out, sizeof(h)); \
		h.member = value; \
		memcpy(b.out, &h, sizeof(h)); \
		assert_bad(&b, part); \
	} while (0)
	BAD_HEADER(magic, 0x1234, "not BTF");
	BAD_HEADER(version, 2, "version");
	BAD_HEADER(hdr_len, 20, "header");
	BAD_HEADER(hdr_len, 0xffffffff, "header");
	BAD_HEADER(type_off, 0xfffffff0, "type section");
	BAD_HEADER(type_len, 0xfffffff0, "type section");
	BAD_HEADER(str_off, 0xfffffff0, "string section");
	BAD_HEADER(str_len, 0x7fffffff, "string section");
	BAD_HEADER(str_len, 0, "no strings");
	BAD_HEADER(str_len, 3, "not terminated");
	BAD_HEADER(type_len, 8, "truncated");
	BAD_HEADER(type_len, 14, "truncated");

	build_small(&b);
	b.strs[0] = 'x';
	build_done(&b);
	assert_bad(&b, "empty string");
}

static void test_other_order(void **state)
{
	struct btf_types *base = NULL, *t = NULL;
	struct btf_build b, m;
	struct err e = { 0 };

	(void)state;
	build_small(&b);
	build_type(&b, "e", BTF_KIND_ENUM, 1, 1, 4);
	build_pair(&b, "NEG", (uint32_t)-1);
	build_done(&b);
	assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, &e), 0);
	assert_int_equal(btf_is_big(t), BIG_HERE);
	build_turn(&b);
	assert_int_equal(btf_parse(&base, b.out, b.out_n, NULL, &e), 0);
	assert_int_equal(btf_is_big(base), !BIG_HERE);
	assert_int_equal(btf_count(base), btf_count(t));
	for (uint32_t id = 1; id < btf_count(t); id++) {
		assert_memory_equal(btf_type(base, id), btf_type(t, id), sizeof(struct btf_type));
		assert_string_equal(btf_name(base, id), btf_name(t, id));
	}
	assert_string_equal(btf_enum_name(base, 3, -1), "NEG");
	btf_release(&t);

	/* Both byte orders must agree. */
	build_init_split(&m, btf_count(base), b.strs_n);
	build_ref(&m, BTF_KIND_TYPEDEF, "mod_t", 1);
	build_done(&m);
	assert_int_equal(btf_parse(&t, m.out, m.out_n, base, &e), -EBADMSG);
	build_turn(&m);
	assert_true(btf_is_split(m.out, m.out_n));
	assert_int_equal(btf_parse(&t, m.out, m.out_n, base, &e), 0);
	assert_int_equal(btf_resolve(t, btf_start(t)), 1);
	btf_release(&t);
	btf_release(&base);
}

/* A kind of a later kernel: the types before it can be used, even if they refer to lost ones. */
static void test_unknown_kind(void **state)
{
	struct btf_build b;

	(void)state;
	build_small(&b);
	build_ref(&b, BTF_KIND_TYPEDEF, "far", 9);
	build_type(&b, "new", 25, 3, 0, 4);
	BTF t = parsed(&b, NULL);

	assert_int_equal(btf_count(t), 4);
	assert_int_equal(btf_resolve(t, 3), 0);

	struct btf_types *split = NULL;
	struct err e = { 0 };

	assert_int_equal(btf_parse(&split, b.out, b.out_n, t, &e), -EOPNOTSUPP);
}

/* Linux 7.3: more members than 65535, kinds above 31, and a header that is longer. */
static void test_wide(void **state)
{
	enum { MANY = 70000, MORE = 8 };
	const struct abi_btf_header h = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(h) + MORE,
		.type_len = 2 * sizeof(struct btf_type) + MANY * sizeof(struct btf_enum),
		.str_off = 2 * sizeof(struct btf_type) + MANY * sizeof(struct btf_enum),
		.str_len = 1,
	};
	const struct btf_type many = { .info = BTF_KIND_ENUM << 24 | MANY, .size = 4 };
	const struct btf_type other = { .info = (uint32_t)(32 + BTF_KIND_INT) << 24 };
	const struct btf_enum zero = { 0 };
	STR s = { 0 };

	(void)state;
	str_add(&s, &h, sizeof(h));
	str_add(&s, (const char[MORE]){ 0 }, MORE);
	str_add(&s, &many, sizeof(many));
	for (int i = 0; i < MANY; i++)
		str_add(&s, &zero, sizeof(zero));
	str_add(&s, &other, sizeof(other));
	str_add(&s, "", 1);
	BTF t = NULL;

	assert_int_equal(btf_parse(&t, s.p, s.n, NULL, NULL), 0);
	assert_int_equal(btf_count(t), 2); /* an unknown kind ends the types */
	assert_int_equal(btf_vlen_of(btf_type(t, 1)), MANY);
}

/* No truncation and no flipped byte may hurt; run it under SAN=1. */
static void test_mutations(void **state)
{
	struct btf_build b;
	uint64_t size;
	uint32_t proto;

	(void)state;
	build_small(&b);
	build_type(&b, "s", BTF_KIND_STRUCT, 2, 0, 16);
	build_member(&b, "a", 1, 0);
	build_member(&b, "b", 4, 32);
	build_array(&b, 3, 1, 2);
	proto = build_type(&b, NULL, BTF_KIND_FUNC_PROTO, 1, 0, 1);
	build_pair(&b, "x", 2);
	build_ref(&b, BTF_KIND_FUNC, "f", proto);
	build_done(&b);
	for (size_t cut = 0; cut <= b.out_n * 8; cut++) {
		unsigned char *copy = malloc(b.out_n);
		struct btf_types *t = NULL;
		STR text = { 0 };

		memcpy(copy, b.out, b.out_n);
		if (cut / 8 < b.out_n)
			copy[cut / 8] ^= (unsigned char)(1 << cut % 8);
		if (!btf_parse(&t, copy, b.out_n, NULL, NULL)) {
			for (uint32_t id = 0; id <= btf_count(t); id++) {
				btf_size(t, id, &size);
				btf_resolve(t, id);
				btf_signature(t, id, &text);
			}
		}
		btf_release(&t);
		if (cut < b.out_n)
			btf_parse(&t, copy, cut, NULL, NULL);
		btf_release(&t);
		free(copy);
	}
}

static void test_vmlinux(void **state)
{
	struct btf_types *t = NULL;
	struct err e = { 0 };
	STR raw = { 0 };

	(void)state;
	if (str_read_file(&raw, "/sys/kernel/btf/vmlinux", 64 << 20))
		skip_because("the kernel has no BTF");
	if (btf_parse(&t, raw.p, raw.n, NULL, &e))
		fail_msg("%s", e.msg);
	assert_true(btf_find(t, "task_struct", BTF_KIND_STRUCT) != 0);
	assert_string_equal(btf_enum_name(t, btf_find(t, "bpf_map_type", BTF_KIND_ENUM), 1), "BPF_MAP_TYPE_HASH");
	btf_release(&t);
}

static void test_pointers(void **state)
{
	struct btf_build b, m;
	uint64_t size;

	(void)state;
	build_init(&b);
	build_ref(&b, BTF_KIND_PTR, NULL, 0);
	BTF unknown = parsed(&b, NULL);

	assert_int_equal(btf_size(unknown, 1, &size), 0);
	assert_int_equal(size, 8);
	build_int(&b, "long unsigned int", 4, 0, 0, 32);
	BTF t = parsed(&b, NULL);

	build_init_split(&m, btf_count(t), b.strs_n);
	build_int(&m, "long", 8, 0, 0, 64);
	BTF module = parsed(&m, t);

	assert_int_equal(btf_size(t, 1, &size), 0);
	assert_int_equal(size, 4);
	assert_int_equal(btf_size(module, 1, &size), 0);
	assert_int_equal(size, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_overflow_and_cycles),
		cmocka_unit_test(test_dimensions),
		cmocka_unit_test(test_enum_names),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_other_order),
		cmocka_unit_test(test_unknown_kind),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_vmlinux),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
