/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "types/c/syntax.h"
#include "written.h"

/* 1 int, 2 struct b {int}, 3 struct a {struct b}, 4 enum {Z}, 5 enum {Y}, 6 enum e, 7 typedef of a pointer to c, 8 fwd
 * c */
static void several(struct btf_build *b)
{
	build_init(b);
	build_int(b, "int", 4, BTF_INT_SIGNED, 0, 32);
	build_type(b, "b", BTF_KIND_STRUCT, 1, 0, 4);
	build_member(b, "m", 1, 0);
	build_type(b, "a", BTF_KIND_STRUCT, 1, 0, 4);
	build_member(b, "n", 2, 0);
	build_type(b, NULL, BTF_KIND_ENUM, 1, 0, 4);
	build_pair(b, "Z", 1);
	build_type(b, NULL, BTF_KIND_ENUM, 1, 0, 4);
	build_pair(b, "Y", 2);
	build_type(b, "e", BTF_KIND_ENUM, 1, 0, 4);
	build_pair(b, "E", 3);
	build_ref(b, BTF_KIND_PTR, NULL, 9);
	build_ref(b, BTF_KIND_TYPEDEF, "c_t", 7);
	build_type(b, "c", BTF_KIND_FWD, 0, 0, 0);
}

#define S_B "struct b {\n\tint m;\n};\n\n"
#define S_A "struct a {\n\tstruct b n;\n};\n\n"
#define E_Z "enum {\n\tZ = 1,\n};\n\n"
#define E_Y "enum {\n\tY = 2,\n};\n\n"
#define E_E "enum e {\n\tE = 3,\n};\n\n"

static void test_order(void **state)
{
	struct btf_build b;
	const uint32_t root = 3, none = 0;

	(void)state;
	several(&b);
	BTF t = parsed(&b, NULL);

	assert_string_equal(written(t, NULL, 0, true),
			    S_B S_A E_Z E_Y E_E "struct c;\n\ntypedef struct c *c_t;\n\n" KFUNCS);
	/* The first of all names is also there. */
	assert_string_equal(written(t, NULL, 0, false),
			    E_Y E_Z E_E S_B S_A "struct c;\n\ntypedef struct c *c_t;\n\n" KFUNCS);
	assert_string_equal(written(t, &root, 1, false), S_B S_A);
	assert_string_equal(written(t, &none, 1, false), "");
}

static void test_split(void **state)
{
	struct btf_build b, m;

	(void)state;
	several(&b);
	BTF base = parsed(&b, NULL);
	build_init_split(&m, btf_count(base), b.strs_n);
	build_type(&m, "own", BTF_KIND_STRUCT, 1, 0, 4);
	build_member(&m, "x", 3, 0);
	BTF t = parsed(&m, base);

	assert_string_equal(written(t, NULL, 0, true), S_B S_A "struct own {\n\tstruct a x;\n};\n\n" KFUNCS);
	assert_string_equal(written(t, NULL, 0, false), S_B S_A "struct own {\n\tstruct a x;\n};\n\n" KFUNCS);
}

static void test_kfuncs(void **state)
{
	struct btf_build b;
	uint32_t tag, ptr, proto, none, f, g;

	(void)state;
	build_init(&b);
	build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	tag = build_type(&b, "address_space(1)", BTF_KIND_TYPE_TAG, 0, 1, 1);
	ptr = build_ref(&b, BTF_KIND_PTR, NULL, tag);
	proto = build_type(&b, NULL, BTF_KIND_FUNC_PROTO, 1, 0, 1);
	build_pair(&b, "p", ptr);
	none = build_type(&b, NULL, BTF_KIND_FUNC_PROTO, 0, 0, 0);
	f = build_type(&b, "zz", BTF_KIND_FUNC, 1, 0, proto);
	g = build_type(&b, "aa", BTF_KIND_FUNC, 1, 0, none);
	build_type(&b, "other", BTF_KIND_FUNC, 1, 0, none);
	for (uint32_t i = 0; i < 4; i++) {
		/* The last is about an argument. */
		static const char *const names[] = { "bpf_kfunc", "bpf_kfunc", "bpf_fastcall", "bpf_kfunc" };

		build_type(&b, names[i], BTF_KIND_DECL_TAG, 0, 0, i == 1 || i == 2 ? g : i == 3 ? g + 1 : f);
		build_word(&b, i == 3 ? 0 : (uint32_t)-1);
	}
	/* A tag of a type that is not a function. */
	build_type(&b, "bpf_kfunc", BTF_KIND_DECL_TAG, 0, 0, 1);
	build_word(&b, (uint32_t)-1);
	BTF t = parsed(&b, NULL);

	assert_string_equal(written(t, NULL, 0, false),
			    "\n/* BPF kfuncs */\n#ifndef BPF_NO_KFUNC_PROTOTYPES\n"
			    "extern __bpf_fastcall void aa(void) __weak __ksym;\n"
			    "extern int zz(int __attribute__((address_space(1))) *p) __weak __ksym;\n#endif\n\n");
	assert_string_equal(written(t, &f, 1, false), "");
}

static void test_hostile_names(void **state)
{
	struct btf_build b;
	uint32_t id = 2;

	(void)state;
	build_init(&b);
	build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	build_type(&b, "a\x1b[2J", BTF_KIND_STRUCT, 1, 0, 4);
	build_member(&b, "m\r\n", 1, 0);
	BTF t = parsed(&b, NULL);

	assert_string_equal(written(t, &id, 1, false), "struct a__2J {\n\tint m__;\n};\n\n");
}

/* Where libbpf writes "intconst", and the longest chain that is not refused. */
static void test_chains(void **state)
{
	struct btf_build b;
	uint32_t id;
	const char *stars;

	(void)state;
	build_init(&b);
	build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	build_ref(&b, BTF_KIND_TYPE_TAG, "tag", 1);
	build_ref(&b, BTF_KIND_CONST, NULL, 2);
	build_ref(&b, BTF_KIND_PTR, NULL, 3);
	id = build_ref(&b, BTF_KIND_TYPEDEF, "t", 4);
	BTF t = parsed(&b, NULL);

	assert_string_equal(written(t, &id, 1, false),
			    "typedef int __attribute__((btf_type_tag(\"tag\"))) const *t;\n\n");
	build_init(&b);
	for (uint32_t i = 0; i < 250; i++)
		build_ref(&b, BTF_KIND_PTR, NULL, i);
	id = build_ref(&b, BTF_KIND_TYPEDEF, "t", 250);
	BTF deep = parsed(&b, NULL);

	stars = strchr(written(deep, &id, 1, false), '*');
	assert_non_null(stars);
	assert_int_equal(strspn(stars, "*"), 250);
	assert_string_equal(stars + 250, "t;\n\n");
}

static void enum_add(struct btf_build *b, bool wide, bool is_signed, uint32_t size, const int64_t *values, unsigned n)
{
	static unsigned made;
	char name[16];

	snprintf(name, sizeof(name), "e%u", b->next);
	build_type(b, name, wide ? BTF_KIND_ENUM64 : BTF_KIND_ENUM, n, is_signed, size);
	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "V%u", made++);
		build_pair(b, name, (uint32_t)values[i]);
		if (wide)
			build_word(b, (uint32_t)((uint64_t)values[i] >> 32));
	}
}

/* Enums have the size in the types, not the smallest one for their values. */
static void test_enum_sizes(void **state)
{
	static const struct {
		bool wide, is_signed;
		uint32_t size;
		int64_t v[2];
		const char *mode;
	} enums[] = {
		{ false, false, 1, { 0, 5 }, "byte" },
		{ false, false, 2, { 0, 5 }, "HI" },
		{ false, true, 2, { -1, 5 }, "HI" },
		{ false, false, 4, { 0, UINT32_MAX }, NULL },
		{ false, true, 4, { -1, INT32_MAX }, NULL },
		{ false, false, 8, { 0, 5 }, "word" },
		{ false, true, 8, { -1, 5 }, "word" },
		{ true, false, 8, { 0, 5 }, "word" },
		{ true, false, 8, { 0, UINT32_MAX }, "word" },
		{ true, true, 8, { 0, UINT32_MAX }, "word" },
		{ true, true, 8, { INT32_MIN, 5 }, "word" },
		{ true, true, 8, { -1, UINT32_MAX }, NULL },
		{ true, true, 8, { INT32_MIN - 1ll, 0 }, NULL },
		{ true, false, 8, { 0, 1ll << 32 }, NULL },
	};
	const size_t n = sizeof(enums) / sizeof(enums[0]);
	struct btf_build b;
	FILE *cc;

	(void)state;
	build_init(&b);
	for (size_t i = 0; i < n; i++)
		enum_add(&b, enums[i].wide, enums[i].is_signed, enums[i].size, enums[i].v, 2);
	BTF t = parsed(&b, NULL);

	for (uint32_t id = 1; id <= n; id++) {
		const char *mode = enums[id - 1].mode, *text = written(t, &id, 1, false),
			   *found = strstr(text, "mode(");

		if (!mode != !found || (mode && strncmp(found + strlen("mode("), mode, strlen(mode))))
			fail_msg("mode of enum %u is not %s: %s", id, mode ? mode : "left out", text);
	}
	if (sizeof(long) != 8 || system("cc --version >/dev/null 2>&1"))
		return;
	cc = popen("cc -w -fsyntax-only -x c -", "w");
	assert_non_null(cc);
	fputs(written(t, NULL, 0, true), cc);
	for (uint32_t id = 1; id <= n; id++)
		fprintf(cc, "_Static_assert(sizeof(enum e%u) == %u, \"e%u\");\n", id, enums[id - 1].size, id);
	assert_int_equal(pclose(cc), 0);
}

/* struct s { void *p; long n; } of a 32-bit machine. */
static void test_narrow(void **state)
{
	struct btf_build b;
	uint32_t id;

	(void)state;
	build_init(&b);
	build_int(&b, "long int", 4, BTF_INT_SIGNED, 0, 32);
	build_ref(&b, BTF_KIND_PTR, NULL, 0);
	id = build_type(&b, "s", BTF_KIND_STRUCT, 2, 0, 12);
	build_member(&b, "n", 1, 0);
	build_member(&b, "p", 2, 64);
	BTF t = parsed(&b, NULL);

	assert_string_equal(written(t, &id, 1, false), "struct s {\n\tlong int n;\n\tlong: 32;\n\tvoid *p;\n};\n\n");
}

/* Types without an end, a size, or an offset. */
static void refused(struct btf_build *b, int code)
{
	struct err e = { 0 };
	struct out o;
	BTF t = parsed(b, NULL);

	out_init(&o, -1);
	assert_int_equal(c_syntax(t, NULL, 0, false, &o, &e), code);
	assert_int_equal(e.code, code);
	assert_int_equal(o.n, 0);
	out_close(&o, NULL);
}

static void test_cycles(void **state)
{
	struct btf_build b;

	(void)state;
	build_init(&b);
	build_ref(&b, BTF_KIND_CONST, NULL, 1);
	refused(&b, -ELOOP);
	build_init(&b);
	build_ref(&b, BTF_KIND_PTR, NULL, 1);
	refused(&b, -ELOOP);
	build_init(&b);
	build_array(&b, 1, 1, 1);
	refused(&b, -ELOOP);
	build_init(&b);
	build_type(&b, "s", BTF_KIND_STRUCT, 1, 0, 4);
	build_member(&b, "m", 1, 0);
	refused(&b, -ELOOP);
	build_init(&b);
	build_type(&b, NULL, BTF_KIND_FUNC_PROTO, 1, 0, 0);
	build_pair(&b, "f", 2);
	build_ref(&b, BTF_KIND_PTR, NULL, 1);
	refused(&b, -ELOOP);
}

static void test_nesting(void **state)
{
	struct btf_build b;

	(void)state;
	build_init(&b);
	for (uint32_t i = 1; i < 400; i++)
		build_ref(&b, BTF_KIND_PTR, NULL, i + 1 < 400 ? i + 1 : 0);
	refused(&b, -E2BIG);
	/* In reverse order: each type is short, because the others are already known. */
	build_init(&b);
	for (uint32_t i = 1; i < 400; i++)
		build_ref(&b, BTF_KIND_PTR, NULL, i - 1);
	refused(&b, -E2BIG);
	build_init(&b);
	build_int(&b, "int", 4, 0, 0, 32);
	for (uint32_t i = 0; i < 32; i++) {
		build_type(&b, "twice", BTF_KIND_UNION, 2, 0, 4);
		build_member(&b, "a", i + 1, 0);
		build_member(&b, "b", i + 1, 0);
	}
	refused(&b, -E2BIG);
}

/* Members at odd offsets, and types without a size. */
static void test_offsets(void **state)
{
	struct btf_build b;

	(void)state;
	build_init(&b);
	build_type(&b, "gap", BTF_KIND_STRUCT, 0, 0, 0x10000000);
	refused(&b, -E2BIG);
	build_init(&b);
	build_int(&b, "int", 4, 0, 0, 32);
	build_array(&b, 1, 1, 0x20000000);
	build_type(&b, "outside", BTF_KIND_STRUCT, 1, 0, 4);
	build_member(&b, "m", 2, 0);
	refused(&b, -EINVAL);
	build_init(&b);
	build_int(&b, "int", 4, 0, 0, 32);
	build_type(&b, "tag", BTF_KIND_DECL_TAG, 0, 0, 1);
	build_word(&b, (uint32_t)-1);
	build_type(&b, "s", BTF_KIND_STRUCT, 1, 0, 4);
	build_member(&b, "m", 2, 0);
	refused(&b, -EINVAL);
	/* A reference to an unknown type is a reference to void. */
	build_init(&b);
	build_ref(&b, BTF_KIND_PTR, NULL, 1000);
	build_type(&b, "newer", 31, 0, 0, 0);
	refused(&b, -EOPNOTSUPP);
	/* Forward and backward: padding each time. */
	build_init(&b);
	build_int(&b, "int", 4, 0, 0, 32);
	build_type(&b, "to and fro", BTF_KIND_STRUCT, 200, 0, 0x40000);
	for (uint32_t i = 0; i < 200; i++)
		build_member(&b, "m", 1, i % 2 ? 0x1fff00 : 0);
	refused(&b, -E2BIG);
	build_init(&b);
	build_int(&b, "int", 4, 0, 0, 32);
	build_type(&b, "outside", BTF_KIND_STRUCT, 1, 0, 4);
	build_member(&b, "m", 1, 0x70000000);
	refused(&b, -EINVAL);
	build_init(&b);
	build_type(&b, "f", BTF_KIND_FWD, 0, 0, 0);
	build_type(&b, "s", BTF_KIND_STRUCT, 1, 0, 4);
	build_member(&b, "m", 1, 0);
	refused(&b, -EINVAL);
	build_init(&b);
	build_int(&b, "int", 0, 0, 0, 0);
	build_type(&b, "s", BTF_KIND_STRUCT, 1, 0, 4);
	build_member(&b, "m", 1, 0);
	refused(&b, -EINVAL);
}

/* struct s { struct s *next; const struct s *(*f)(struct s); } is not a cycle. */
static void test_pointers_end(void **state)
{
	struct btf_build b;

	(void)state;
	build_init(&b);
	build_type(&b, "s", BTF_KIND_STRUCT, 2, 0, 16);
	build_member(&b, "next", 2, 0);
	build_member(&b, "f", 5, 64);
	build_ref(&b, BTF_KIND_PTR, NULL, 1);
	build_ref(&b, BTF_KIND_CONST, NULL, 1);
	build_ref(&b, BTF_KIND_PTR, NULL, 3);
	build_ref(&b, BTF_KIND_PTR, NULL, 6);
	build_type(&b, NULL, BTF_KIND_FUNC_PROTO, 1, 0, 4);
	build_pair(&b, NULL, 1);
	BTF t = parsed(&b, NULL);

	assert_string_equal(written(t, NULL, 0, false),
			    "struct s {\n\tstruct s *next;\n\tconst struct s * (*f)(struct s);\n};\n\n" KFUNCS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),	     cmocka_unit_test(test_split),
		cmocka_unit_test(test_kfuncs),	     cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_chains),	     cmocka_unit_test(test_enum_sizes),
		cmocka_unit_test(test_narrow),	     cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_nesting),	     cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_pointers_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
