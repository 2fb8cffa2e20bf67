/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include "base/base.h"
#include "btf/raw.h"
#include "../types/build.h"
#include "render/doc.h"
#include "render/jsonw.h"

static struct btf_types *types;

/* One of each kind. */
static int setup(void **state)
{
	struct btf_build b;
	struct err e = { 0 };
	uint32_t i, v;

	(void)state;
	build_init(&b);
	i = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32); /* 1 */
	build_ref(&b, BTF_KIND_PTR, NULL, i);
	build_array(&b, i, i, 3);
	build_type(&b, "s", BTF_KIND_STRUCT, 2, 1, 8); /* 4 */
	build_member(&b, "a", i, 3u << 24 | 5);
	build_member(&b, NULL, i, 32);
	build_type(&b, "e", BTF_KIND_ENUM, 2, 1, 4); /* 5 */
	build_pair(&b, "NEG", (uint32_t)-1);
	build_pair(&b, "ONE", 1);
	build_type(&b, "u", BTF_KIND_ENUM, 1, 0, 4); /* 6 */
	build_pair(&b, "TOP", 0xffffffff);
	build_type(&b, "e64", BTF_KIND_ENUM64, 1, 1, 8); /* 7 */
	build_member(&b, "MIN", 0, 0x80000000);
	build_type(&b, "u64", BTF_KIND_ENUM64, 1, 0, 8); /* 8 */
	build_member(&b, "BIG", 0, 0x80000000);
	build_type(&b, "later", BTF_KIND_FWD, 0, 1, 0);	    /* 9 */
	build_type(&b, NULL, BTF_KIND_FUNC_PROTO, 1, 0, i); /* 10 */
	build_pair(&b, "x", i);
	build_type(&b, "f", BTF_KIND_FUNC, 1, 0, 10);	   /* 11 */
	v = build_var(&b, "v", i);			   /* 12 */
	build_type(&b, ".bss", BTF_KIND_DATASEC, 1, 0, 4); /* 13 */
	build_secinfo(&b, v, 0, 4);
	build_type(&b, "double", BTF_KIND_FLOAT, 0, 0, 8);  /* 14 */
	build_type(&b, "tag", BTF_KIND_DECL_TAG, 0, 0, 11); /* 15 */
	build_word(&b, (uint32_t)-1);
	build_ref(&b, BTF_KIND_TYPE_TAG, "a\x1b'", i); /* 16 */
	build_int(&b, "odd", 1, 9, 0, 8);	       /* 17 */
	build_done(&b);
	return btf_parse(&types, b.out, b.out_n, NULL, &e);
}

static int teardown(void **state)
{
	(void)state;
	btf_release(&types);
	return 0;
}

static const struct {
	uint32_t id;
	const char *plain, *json;
} cases[] = {
	{ 0, "[0] UNKNOWN '(anon)'\n", "{\"id\":0,\"kind\":\"UNKNOWN\",\"name\":\"(anon)\"}" },
	{ 999, "[999] UNKNOWN '(anon)'\n", "{\"id\":999,\"kind\":\"UNKNOWN\",\"name\":\"(anon)\"}" },
	{ 1, "[1] INT 'int' size=4 bits_offset=0 nr_bits=32 encoding=SIGNED\n",
	  "{\"id\":1,\"kind\":\"INT\",\"name\":\"int\",\"size\":4,\"bits_offset\":0,\"nr_bits\":32,\"encoding\":\"SIGNED\"}" },
	{ 2, "[2] PTR '(anon)' type_id=1\n", "{\"id\":2,\"kind\":\"PTR\",\"name\":\"(anon)\",\"type_id\":1}" },
	{ 3, "[3] ARRAY '(anon)' type_id=1 index_type_id=1 nr_elems=3\n",
	  "{\"id\":3,\"kind\":\"ARRAY\",\"name\":\"(anon)\",\"type_id\":1,\"index_type_id\":1,\"nr_elems\":3}" },
	{ 4,
	  "[4] STRUCT 's' size=8 vlen=2\n\t'a' type_id=1 bits_offset=5 bitfield_size=3\n\t'(anon)' type_id=1 bits_offset=32\n",
	  "{\"id\":4,\"kind\":\"STRUCT\",\"name\":\"s\",\"size\":8,\"vlen\":2,\"members\":["
	  "{\"name\":\"a\",\"type_id\":1,\"bits_offset\":5,\"bitfield_size\":3},"
	  "{\"name\":\"(anon)\",\"type_id\":1,\"bits_offset\":32}]}" },
	{ 5, "[5] ENUM 'e' encoding=SIGNED size=4 vlen=2\n\t'NEG' val=-1\n\t'ONE' val=1\n",
	  "{\"id\":5,\"kind\":\"ENUM\",\"name\":\"e\",\"encoding\":\"SIGNED\",\"size\":4,\"vlen\":2,\"values\":["
	  "{\"name\":\"NEG\",\"val\":-1},{\"name\":\"ONE\",\"val\":1}]}" },
	{ 6, "[6] ENUM 'u' encoding=UNSIGNED size=4 vlen=1\n\t'TOP' val=4294967295\n",
	  "{\"id\":6,\"kind\":\"ENUM\",\"name\":\"u\",\"encoding\":\"UNSIGNED\",\"size\":4,\"vlen\":1,\"values\":["
	  "{\"name\":\"TOP\",\"val\":4294967295}]}" },
	{ 7, "[7] ENUM64 'e64' encoding=SIGNED size=8 vlen=1\n\t'MIN' val=-9223372036854775808LL\n",
	  "{\"id\":7,\"kind\":\"ENUM64\",\"name\":\"e64\",\"encoding\":\"SIGNED\",\"size\":8,\"vlen\":1,\"values\":["
	  "{\"name\":\"MIN\",\"val\":-9223372036854775808}]}" },
	{ 8, "[8] ENUM64 'u64' encoding=UNSIGNED size=8 vlen=1\n\t'BIG' val=9223372036854775808ULL\n", NULL },
	{ 9, "[9] FWD 'later' fwd_kind=union\n",
	  "{\"id\":9,\"kind\":\"FWD\",\"name\":\"later\",\"fwd_kind\":\"union\"}" },
	{ 10, "[10] FUNC_PROTO '(anon)' ret_type_id=1 vlen=1\n\t'x' type_id=1\n",
	  "{\"id\":10,\"kind\":\"FUNC_PROTO\",\"name\":\"(anon)\",\"ret_type_id\":1,\"vlen\":1,\"params\":["
	  "{\"name\":\"x\",\"type_id\":1}]}" },
	{ 11, "[11] FUNC 'f' type_id=10 linkage=global\n",
	  "{\"id\":11,\"kind\":\"FUNC\",\"name\":\"f\",\"type_id\":10,\"linkage\":\"global\"}" },
	{ 12, "[12] VAR 'v' type_id=1, linkage=global\n",
	  "{\"id\":12,\"kind\":\"VAR\",\"name\":\"v\",\"type_id\":1,\"linkage\":\"global\"}" },
	{ 13, "[13] DATASEC '.bss' size=4 vlen=1\n\ttype_id=12 offset=0 size=4 (VAR 'v')\n",
	  "{\"id\":13,\"kind\":\"DATASEC\",\"name\":\".bss\",\"size\":4,\"vlen\":1,\"vars\":["
	  "{\"type_id\":12,\"offset\":0,\"size\":4}]}" },
	{ 14, "[14] FLOAT 'double' size=8\n", "{\"id\":14,\"kind\":\"FLOAT\",\"name\":\"double\",\"size\":8}" },
	{ 15, "[15] DECL_TAG 'tag' type_id=11 component_idx=-1\n",
	  "{\"id\":15,\"kind\":\"DECL_TAG\",\"name\":\"tag\",\"type_id\":11,\"component_idx\":-1}" },
	{ 16, "[16] TYPE_TAG 'a\\x1b'' type_id=1\n",
	  "{\"id\":16,\"kind\":\"TYPE_TAG\",\"name\":\"a\\u001b'\",\"type_id\":1}" },
	{ 17, "[17] INT 'odd' size=1 bits_offset=0 nr_bits=8 encoding=UNKN\n", NULL },
};

static void written(uint32_t id, bool json, const char *text)
{
	ARENA a = arena_new();
	struct jsonw w;
	struct out o;
	struct doc d;

	out_init(&o, -1);
	jsonw_init(&w, &o, false);
	doc_init(&d, &o, json ? &w : NULL, a);
	raw_write(types, id, &d);
	assert_int_equal(w.depth, 0);
	if (text)
		assert_string_equal(out_cstr(&o), text);
	out_close(&o, NULL);
}

static void test_plain(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		written(cases[i].id, false, cases[i].plain);
}

static void test_json(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		written(cases[i].id, true, cases[i].json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
