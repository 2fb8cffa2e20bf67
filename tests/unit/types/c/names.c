/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include "base/base.h"
#include "written.h"

static void same_enum(struct btf_build *b, const char *const *names)
{
	build_type(b, NULL, BTF_KIND_ENUM, 3, 0, 4);
	for (uint32_t i = 0; i < 3; i++)
		build_pair(b, names[i], i);
}

static void same_struct(struct btf_build *b, uint32_t type, const char *first, const char *second)
{
	build_type(b, "same", BTF_KIND_STRUCT, second ? 2 : 1, 0, second ? 8 : 4);
	build_member(b, first, type, 0);
	if (second)
		build_member(b, second, type, 32);
}

static void same_add(struct btf_build *b, unsigned which)
{
	switch (which) {
	case 0:
		return same_enum(b, (const char *const[]){ "USAGE", "RSVD_USAGE", "LIMIT" });
	case 1:
		return same_enum(b, (const char *const[]){ "USAGE", "LIMIT", "MAX_USAGE" });
	case 2:
		return same_struct(b, 1, "x", NULL);
	case 3:
		return same_struct(b, 1, "y", NULL);
	case 4:
		return same_struct(b, 2, "x", NULL);
	default:
		return same_struct(b, 1, "x", "y");
	}
}

/* Which of several types with a name gets a suffix does not depend on their ids, and is as in bpftool 7.8. */
static void test_same_names(void **state)
{
	static const unsigned orders[][6] = { { 0, 1, 2, 3, 4, 5 }, { 5, 4, 3, 2, 1, 0 }, { 2, 1, 4, 0, 5, 3 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		struct btf_build b;

		build_init(&b);
		build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
		build_int(&b, "unsigned int", 4, 0, 0, 32);
		for (size_t k = 0; k < 6; k++)
			same_add(&b, orders[i][k]);
		BTF t = parsed(&b, NULL);

		assert_string_equal(written(t, NULL, 0, false),
				    "enum {\n\tUSAGE = 0,\n\tLIMIT = 1,\n\tMAX_USAGE = 2,\n};\n\n"
				    "enum {\n\tUSAGE___2 = 0,\n\tRSVD_USAGE = 1,\n\tLIMIT___2 = 2,\n};\n\n"
				    "struct same {\n\tint x;\n};\n\nstruct same___2 {\n\tint y;\n};\n\n"
				    "struct same___3 {\n\tint x;\n\tint y;\n};\n\n"
				    "struct same___4 {\n\tunsigned int x;\n};\n\n" KFUNCS);
	}
}

/* Prototypes and type tags are not written, but what they need comes where they are in the order. */
static void test_hidden_needs(void **state)
{
	struct btf_build b;
	uint32_t i, late, third;

	(void)state;
	build_init(&b);
	i = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	build_ref(&b, BTF_KIND_TYPEDEF, "early", i);
	late = build_ref(&b, BTF_KIND_TYPEDEF, "late", i);
	build_ref(&b, BTF_KIND_TYPE_TAG, "along", late);
	build_type(&b, "first", BTF_KIND_FWD, 0, 0, 0);
	third = build_type(&b, "third", BTF_KIND_FWD, 0, 0, 0);
	build_ref(&b, BTF_KIND_PTR, NULL, third);
	build_type(&b, NULL, BTF_KIND_FUNC_PROTO, 1, 0, 0);
	build_pair(&b, NULL, third + 1);
	BTF t = parsed(&b, NULL);

	assert_string_equal(written(t, NULL, 0, false),
			    "typedef int late;\n\ntypedef int early;\n\nstruct third;\n\nstruct first;\n\n" KFUNCS);
}

/* Of Rust and C++: numbers that C does not know, keywords, other characters; equal only in C. */
static void test_foreign_names(void **state)
{
	struct btf_build b;
	uint32_t u32, wide, real, flag, ids[3];

	(void)state;
	build_init(&b);
	u32 = build_int(&b, "u32", 4, 0, 0, 32);
	wide = build_int(&b, "char", 4, 0, 0, 32);
	flag = build_int(&b, "bool", 1, BTF_INT_BOOL, 0, 8);
	real = build_type(&b, "f64", BTF_KIND_FLOAT, 0, 0, 8);
	ids[0] = build_type(&b, "Option<u32>", BTF_KIND_STRUCT, 4, 0, 24);
	build_member(&b, "default", u32, 0);
	build_member(&b, "0", wide, 32);
	build_member(&b, "real", real, 64);
	build_member(&b, "is::set", flag, 128);
	ids[1] = build_type(&b, "Option(u32)", BTF_KIND_STRUCT, 1, 0, 24);
	build_member(&b, "first", ids[0], 0);
	ids[2] = build_type(&b, "box<long>", BTF_KIND_ENUM, 2, 0, 4);
	build_pair(&b, "box<long>::A", 1);
	build_pair(&b, "static", 2);
	ids[2] = build_ref(&b, BTF_KIND_TYPEDEF, "box<long>", ids[1]);
	BTF t = parsed(&b, NULL);

	assert_string_equal(written(t, ids, 3, false),
			    "typedef unsigned int u32;\n\ntypedef unsigned int char_;\n\ntypedef double f64;\n\n"
			    "typedef _Bool bool;\n\n"
			    "struct Option_u32_ {\n\tu32 default_;\n\tchar_ _0;\n\tf64 real;\n\tbool is__set;\n};\n\n"
			    "struct Option_u32____2 {\n\tstruct Option_u32_ first;\n};\n\n"
			    "typedef struct Option_u32____2 box_long_;\n\n");
	ids[2]--;
	assert_string_equal(written(t, &ids[2], 1, false),
			    "enum box_long_ {\n\tbox_long___A = 1,\n\tstatic_ = 2,\n};\n\n");
}

/* C's own numbers have no typedef, in whatever order their words are. */
static void test_own_numbers(void **state)
{
	static const struct {
		const char *name;
		uint32_t size;
	} ints[] = {
		{ "char", 1 },
		{ "unsigned char", 1 },
		{ "_Bool", 1 },
		{ "short int", 2 },
		{ "short", 2 },
		{ "short unsigned int", 2 },
		{ "int", 4 },
		{ "unsigned int", 4 },
		{ "unsigned", 4 },
		{ "long unsigned int", 8 },
		{ "long", 8 },
		{ "unsigned long", 8 },
		{ "long long", 8 },
		{ "long long unsigned int", 8 },
		{ "unsigned long long", 8 },
		{ "__int128", 16 },
		{ "__int128 unsigned", 16 },
	};
	struct btf_build b;
	uint32_t id;

	(void)state;
	build_init(&b);
	for (size_t i = 0; i < ARRAY_SIZE(ints); i++)
		build_int(&b, ints[i].name, ints[i].size, 0, 0, ints[i].size * 8);
	id = build_type(&b, "all", BTF_KIND_UNION, ARRAY_SIZE(ints), 0, 16);
	for (uint32_t i = 0; i < ARRAY_SIZE(ints); i++)
		build_member(&b, "m", i + 1, 0);
	BTF t = parsed(&b, NULL);

	assert_null(strstr(written(t, &id, 1, false), "typedef"));
}

/* Members without a name whose type has one declare nothing in standard C, so their members are written. */
static void test_unnamed_members(void **state)
{
	struct btf_build b;
	uint32_t head, part, id;

	(void)state;
	build_init(&b);
	build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	head = build_type(&b, "head", BTF_KIND_STRUCT, 2, 0, 8);
	build_member(&b, "a", 1, 0);
	build_member(&b, "b", 1, 32);
	part = build_ref(&b, BTF_KIND_TYPEDEF, "part", b.next + 1);
	build_type(&b, NULL, BTF_KIND_UNION, 1, 0, 4);
	build_member(&b, "c", 1, 0);
	id = build_type(&b, "all", BTF_KIND_STRUCT, 3, 0, 16);
	build_member(&b, NULL, head, 0);
	build_member(&b, NULL, part, 64);
	build_member(&b, "d", 1, 96);
	BTF t = parsed(&b, NULL);

	assert_non_null(strstr(written(t, &id, 1, false),
			       "struct all {\n\tstruct {\n\t\tint a;\n\t\tint b;\n\t};\n"
			       "\tunion {\n\t\tint c;\n\t};\n\tint d;\n};\n\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_names),	cmocka_unit_test(test_hidden_needs),
		cmocka_unit_test(test_foreign_names),	cmocka_unit_test(test_own_numbers),
		cmocka_unit_test(test_unnamed_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
