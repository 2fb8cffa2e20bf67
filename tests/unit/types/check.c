/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include "base/base.h"
#include "types/btf.h"
#include "parsed.h"

enum { NEWER = BTF_KIND_ENUM64 + 1 };

static void first_types(struct btf_build *b)
{
	build_init(b);
	build_int(b, "int", 4, 0, 0, 32);
	build_ref(b, BTF_KIND_PTR, NULL, 1);
}

/* A third type, whose words and message are in the row. */
struct bad {
	const char *name;
	unsigned kind, vlen;
	uint32_t size_or_type;
	const char *part; /* name of the first part, or NULL */
	uint32_t words[6];
	unsigned n;
	const char *msg;
};

#define NOWHERE 5000u /* no name */
static const struct bad bads[] = {
	{ NULL, BTF_KIND_PTR, 0, 65536, NULL, { 0 }, 0, "BTF type 3: refers to type 65536; there are 3 types" },
	{ "t", BTF_KIND_TYPEDEF, 0, 4, NULL, { 0 }, 0, "BTF type 3 't': refers to type 4; there are 3 types" },
	{ "f", BTF_KIND_FUNC, 2, 4, NULL, { 0 }, 0, "BTF type 3 'f': refers to type 4; there are 3 types" },
	{ "v", BTF_KIND_VAR, 0, 4, NULL, { 0 }, 1, "BTF type 3 'v': refers to type 4; there are 3 types" },
	{ "d", BTF_KIND_DECL_TAG, 0, 9, NULL, { 0 }, 1, "BTF type 3 'd': refers to type 9; there are 3 types" },
	{ NULL, BTF_KIND_ARRAY, 0, 0, NULL, { 7, 1, 2 }, 3, "BTF type 3: refers to type 7; there are 3 types" },
	{ NULL, BTF_KIND_ARRAY, 0, 0, NULL, { 1, 8, 2 }, 3, "BTF type 3: refers to type 8; there are 3 types" },
	{ "s",
	  BTF_KIND_STRUCT,
	  2,
	  8,
	  "a",
	  { 1, 0, 0, 99, 32 },
	  5,
	  "BTF type 3 's', member 1: refers to type 99; there are 3 types" },
	{ "s",
	  BTF_KIND_UNION,
	  1,
	  8,
	  "a",
	  { 77, 0 },
	  2,
	  "BTF type 3 's', member 0 'a': refers to type 77; there are 3 types" },
	{ "s",
	  BTF_KIND_STRUCT,
	  2,
	  8,
	  "a",
	  { 1, 0, NOWHERE, 1, 32 },
	  5,
	  "BTF type 3 's', member 1: its name is at offset 5000; the strings have 9 bytes" },
	{ NULL,
	  BTF_KIND_FUNC_PROTO,
	  1,
	  0,
	  "p",
	  { 50 },
	  1,
	  "BTF type 3, parameter 0 'p': refers to type 50; there are 3 types" },
	{ NULL, BTF_KIND_FUNC_PROTO, 0, 50, NULL, { 0 }, 0, "BTF type 3: refers to type 50; there are 3 types" },
	{ "e",
	  BTF_KIND_ENUM,
	  2,
	  4,
	  "A",
	  { 1, NOWHERE, 2 },
	  3,
	  "BTF type 3 'e', enumerator 1: its name is at offset 5000; the strings have 9 bytes" },
	{ "e",
	  BTF_KIND_ENUM64,
	  1,
	  8,
	  NULL,
	  { NOWHERE, 1, 2 },
	  3,
	  "BTF type 3 'e', enumerator 0: its name is at offset 5000; the strings have 7 bytes" },
	{ ".d",
	  BTF_KIND_DATASEC,
	  1,
	  8,
	  NULL,
	  { 44, 0, 8 },
	  3,
	  "BTF type 3 '.d', variable 0: refers to type 44; there are 3 types" },
	{ "s",
	  BTF_KIND_STRUCT,
	  60000,
	  8,
	  "a",
	  { 1, 0 },
	  2,
	  "BTF type 3 's', which has 60000 members, is truncated: 24 of its 720012 bytes are left" },
	{ NULL, BTF_KIND_ARRAY, 0, 0, NULL, { 1 }, 1, "BTF type 3 is truncated: 16 of its 24 bytes are left" },
	{ "z", BTF_KIND_UNKN, 0, 0, NULL, { 0 }, 0, "BTF type 3 is of kind 0" },
};

static void test_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bads); i++) {
		const struct bad *row = &bads[i];
		struct btf_types *t = NULL;
		struct err e = { 0 };
		struct btf_build b;

		first_types(&b);
		build_type(&b, row->name, row->kind, row->vlen, 0, row->size_or_type);
		if (row->part)
			build_word(&b, build_str(&b, row->part));
		for (unsigned k = 0; k < row->n; k++)
			build_word(&b, row->words[k]);
		build_done(&b);
		assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, &e), -EBADMSG);
		assert_string_equal(e.msg, row->msg);
		assert_null(t);
	}
}

static void test_type_name(void **state)
{
	struct btf_types *t = NULL;
	struct err e = { 0 };
	struct btf_build b;

	(void)state;
	first_types(&b);
	b.words[0] = NOWHERE;
	build_done(&b);
	assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, &e), -EBADMSG);
	assert_string_equal(e.msg, "BTF type 1: its name is at offset 5000; the strings have 5 bytes");
}

/* Type 3 is of a newer kind with one word and two parts of 8 bytes; type 4 uses an older one. */
static void newer_types(struct btf_build *b)
{
	first_types(b);
	build_type(b, "newer", NEWER, 2, 0, 0xfffffff0);
	for (unsigned i = 0; i < 5; i++)
		build_word(b, 0xfffffff0 + i);
	build_type(b, "plain", BTF_KIND_STRUCT, 2, 0, 8);
	build_member(b, "a", 1, 0);
	build_member(b, "b", 1, 32);
	build_ref(b, BTF_KIND_TYPEDEF, "of_newer", 3);
}

static const struct abi_btf_layout layouts[NEWER + 1] = { [NEWER] = { .info_sz = 4, .elem_sz = 8 } };

static void assert_newer(const struct btf_types *t, uint32_t newer)
{
	struct err e = { 0 };
	uint64_t size;

	assert_int_equal(btf_whole(t, &e), 0);
	assert_int_equal(btf_check_known(t, &e), -EOPNOTSUPP);
	assert_string_equal(e.msg, "BTF type 3 'newer' has the unknown kind 20");
	assert_int_equal(btf_kind_of(btf_type(t, newer)), BTF_KIND_UNKN);
	assert_string_equal(btf_name(t, newer), "newer");
	assert_int_equal(btf_size(t, newer, &size), -EINVAL);
	assert_int_equal(btf_size(t, newer + 2, &size), -EINVAL);
	assert_int_equal(btf_find(t, "plain", BTF_KIND_STRUCT), newer + 1);
	assert_int_equal(btf_members_of(btf_type(t, newer + 1))[1].offset, 32);
}

static void test_layout_section(void **state)
{
	struct btf_types *t = NULL, *split = NULL;
	struct btf_build b, m;
	struct err e = { 0 };

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		newer_types(&b);
		build_done_layout(&b, layouts, ARRAY_SIZE(layouts));
		if (turn)
			build_turn(&b);
		assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, &e), 0);
		assert_int_equal(btf_count(t), 6);
		assert_newer(t, 3);
		if (!turn) {
			build_init_split(&m, btf_count(t), b.strs_n);
			build_ref(&m, BTF_KIND_TYPEDEF, "plain_t", 4);
			build_done(&m);
			assert_int_equal(btf_parse(&split, m.out, m.out_n, t, &e), 0);
			assert_int_equal(btf_resolve(split, 6), 4);
			assert_newer(split, 3);
			btf_release(&split);
		}
		btf_release(&t);
	}
}

/* A layout section without that kind, one that is not in the data, one with a size that no type can have. */
static void test_layout_bad(void **state)
{
	struct abi_btf_layout odd[ARRAY_SIZE(layouts)] = { [NEWER] = { .info_sz = 3 } };
	struct btf_types *t = NULL;
	struct err e = { 0 };
	struct btf_build b;
	uint32_t n = 4096;

	(void)state;
	newer_types(&b);
	build_done_layout(&b, layouts, NEWER);
	assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, &e), 0);
	assert_int_equal(btf_count(t), 3);
	assert_int_equal(btf_whole(t, &e), -EOPNOTSUPP);
	assert_non_null(strstr(e.msg, "BTF type 3 'newer' has the unknown kind 20"));
	btf_release(&t);

	newer_types(&b);
	build_done_layout(&b, odd, ARRAY_SIZE(odd));
	e = (struct err){ 0 };
	assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, &e), -EBADMSG);
	assert_string_equal(e.msg, "BTF type 3 of kind 20 has a size of 15 bytes, which is no multiple of 4");

	newer_types(&b);
	build_done_layout(&b, layouts, ARRAY_SIZE(layouts));
	memcpy(b.out + sizeof(struct abi_btf_header) + sizeof(n), &n, sizeof(n));
	e = (struct err){ 0 };
	assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, &e), -EBADMSG);
	assert_string_equal(e.msg, "BTF layout section exceeds the data");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_named),
		cmocka_unit_test(test_type_name),
		cmocka_unit_test(test_layout_section),
		cmocka_unit_test(test_layout_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
