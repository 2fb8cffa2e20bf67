/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include "base/base.h"
#include "btf/diff.h"
#include "../types/parsed.h"

/* struct kept, struct changed, enum colour, and one type that only this side has. */
static struct btf_types *machine(bool newer)
{
	struct btf_types *t = NULL;
	struct err e = { 0 };
	struct btf_build b;
	uint32_t i, l;

	build_init(&b);
	i = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	/* Other ids and another order are not a difference. */
	if (newer)
		build_ref(&b, BTF_KIND_TYPEDEF, "only_new", i);
	l = build_int(&b, "long", 8, BTF_INT_SIGNED, 0, 64);
	build_type(&b, "kept", BTF_KIND_STRUCT, 1, 0, 4);
	build_member(&b, "a", i, 0);
	build_type(&b, "changed", BTF_KIND_STRUCT, 2, 0, newer ? 24 : 16);
	build_member(&b, newer ? "fresh" : "gone", i, 0);
	build_member(&b, "moved", newer ? l : i, newer ? 64 : 32);
	build_type(&b, "colour", BTF_KIND_ENUM, 1, 0, 4);
	build_pair(&b, "RED", newer ? 2 : 1);
	if (!newer)
		build_type(&b, "only_old", BTF_KIND_UNION, 0, 0, 0);
	build_done(&b);
	if (btf_parse(&t, b.out, b.out_n, NULL, &e))
		fail_msg("%s", e.msg);
	return t;
}

static void test_same(void **state)
{
	ARENA keep = arena_new();
	BTF x = machine(true);
	BTF y = machine(true);
	struct diff_type d;

	(void)state;
	assert_int_equal(diff_next(diff_begin(x, y, keep), &d), 0);
	assert_int_equal(diff_next(diff_begin(x, x, keep), &d), 0);
}

static void test_changes(void **state)
{
	ARENA keep = arena_new();
	BTF x = machine(false);
	BTF y = machine(true);
	struct diff *diff = diff_begin(x, y, keep);
	struct diff_type d;

	(void)state;
	assert_int_equal(diff_next(diff, &d), 1);
	assert_string_equal(d.name, "colour");
	assert_int_equal(d.nparts, 1);
	assert_string_equal(d.parts[0].old.text, "1");
	assert_string_equal(d.parts[0].new.text, "2");
	assert_int_equal(diff_next(diff, &d), 1);
	assert_string_equal(d.name, "changed");
	assert_int_equal(d.change, DIFF_CHANGED);
	assert_int_equal(d.old_size, 16);
	assert_int_equal(d.new_size, 24);
	assert_int_equal(d.nparts, 3);
	assert_string_equal(d.parts[0].name, "fresh");
	assert_int_equal(d.parts[0].change, DIFF_ADDED);
	assert_string_equal(d.parts[1].name, "gone");
	assert_int_equal(d.parts[1].change, DIFF_REMOVED);
	assert_string_equal(d.parts[2].name, "moved");
	assert_int_equal(d.parts[2].old.offset, 32);
	assert_int_equal(d.parts[2].new.offset, 64);
	assert_string_equal(d.parts[2].new.text, "long");
	assert_int_equal(diff_next(diff, &d), 1);
	assert_string_equal(d.name, "only_new");
	assert_int_equal(d.change, DIFF_ADDED);
	assert_string_equal(d.new_text, "int");
	assert_int_equal(diff_next(diff, &d), 1);
	assert_string_equal(d.name, "only_old");
	assert_int_equal(d.change, DIFF_REMOVED);
	assert_int_equal(diff_next(diff, &d), 0);
	assert_int_equal(diff_next(diff, &d), 0);
}

/* typedef struct { int a; void *p; } range; the pointer has a tag */
static struct btf_types *nameless(unsigned kind, const char *tag)
{
	struct btf_types *t = NULL;
	struct err e = { 0 };
	struct btf_build b;
	uint32_t i, tagged, s;

	build_init(&b);
	i = build_int(&b, "int", 4, kind, 0, 32);
	i = build_ref(&b, BTF_KIND_TYPEDEF, kind ? "signed_t" : "unsigned_t", i);
	tagged = build_ref(&b, BTF_KIND_TYPE_TAG, tag, i);
	tagged = build_ref(&b, BTF_KIND_PTR, "", tagged);
	s = build_type(&b, "", BTF_KIND_STRUCT, 2, 0, 16);
	build_member(&b, "a", i, 0);
	build_member(&b, "p", tagged, 64);
	build_ref(&b, BTF_KIND_TYPEDEF, "range", s);
	build_done(&b);
	if (btf_parse(&t, b.out, b.out_n, NULL, &e))
		fail_msg("%s", e.msg);
	return t;
}

static bool range_next(struct diff *diff, struct diff_type *d)
{
	while (diff_next(diff, d))
		if (!strcmp(d->name, "range"))
			return true;
	return false;
}

static void test_nameless(void **state)
{
	ARENA keep = arena_new();
	BTF x = nameless(BTF_INT_SIGNED, "kptr");
	BTF y = nameless(0, "kptr");
	BTF z = nameless(BTF_INT_SIGNED, "kptr_untrusted");
	struct diff_type d;

	(void)state;
	assert_true(range_next(diff_begin(x, y, keep), &d));
	assert_int_equal(d.nparts, 2);
	assert_string_equal(d.parts[0].name, "a");
	assert_string_equal(d.parts[0].new.text, "unsigned_t");
	assert_true(range_next(diff_begin(x, z, keep), &d));
	assert_int_equal(d.nparts, 1);
	assert_string_equal(d.parts[0].old.text, "signed_t *, kptr");
	assert_false(range_next(diff_begin(x, x, keep), &d));
	assert_true(diff_pair(diff_begin(x, z, keep), 5, 5, &d));
	assert_int_equal(d.nparts, 1);
	assert_false(diff_pair(diff_begin(x, x, keep), 5, 5, &d));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_same), cmocka_unit_test(test_changes),
					    cmocka_unit_test(test_nameless) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
