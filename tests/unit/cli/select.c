/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab.h"

#include <limits.h>

#include "cli/select.h"

static const uint32_t *found;
static size_t nfound;

static int find(struct lab *l, enum selector by, const char *text, uint32_t id)
{
	const struct object_ref ref = { by, id, text };

	l->e = (struct err){ 0 };
	nfound = 99;
	return select_objects(&l->env, l->env.keep, &lab_kind, &ref, &found, &nfound, &l->e);
}

static void test_found(void **state)
{
	struct lab l;

	(void)state;
	lab_start(&l, (struct globals){ 0 }, lab_answers);
	assert_int_equal(find(&l, SEL_ID, NULL, 4711), 0);
	assert_true(nfound == 1 && found[0] == 4711);
	assert_int_equal(find(&l, SEL_NAME, "one", 0), 0);
	assert_true(nfound == 1 && found[0] == 1);
	assert_int_equal(find(&l, SEL_NAME, "same", 0), 0);
	assert_true(nfound == 2 && found[0] == 2 && found[1] == 6);
	assert_int_equal(find(&l, SEL_NAME, "a_very_long_nam", 0), 0);
	assert_true(nfound == 1 && found[0] == 5);
	assert_int_equal(find(&l, SEL_NAME, "a_very_long_na", 0), 0);
	assert_true(nfound == 1 && found[0] == 7);
	assert_int_equal(find(&l, SEL_TAG, "0000000000000006", 0), 0);
	assert_true(nfound == 1 && found[0] == 6);
	assert_int_equal(find(&l, SEL_PINNED, "/p/two", 0), 0);
	assert_true(nfound == 1 && found[0] == 2);
	assert_int_equal(select_all(&l.env, &lab_kind, &found, &nfound, &l.e), 0);
	assert_true(nfound == 7 && found[6] == 7);
	lab_end(&l);
}

static void test_not_found(void **state)
{
	static const struct {
		enum selector by;
		const char *text;
		int code;
		const char *says;
	} cases[] = {
		/* Object 4 could not be read: it may be the right one. */
		{ SEL_NAME, "nobody", -EPERM, "thing 4: cannot open: Operation not permitted" },
		{ SEL_PINNED, "/p/nine", -EMEDIUMTYPE, "/p/nine is a map, not a thing" },
		{ SEL_PINNED, "/p/iter", -EMEDIUMTYPE, "/p/iter: is not a pinned program, map or link" },
		{ SEL_PINNED, "/p/none", -ENOENT, "/p/none: no such pin" },
		{ SEL_PINNED, "/p/unknown", -ENOENT, "/p/unknown: no such pin in this archive" },
		{ SEL_PINNED, "/p/secret", -EPERM, "/p/secret: cannot open the pin: Operation not permitted" },
	};
	static const uint32_t one[] = { 1, 2, 6 };
	static const struct fake_answer readable[] = { { "prog/ids", 0, one, sizeof(one) }, { 0 } };
	struct lab l;
	size_t i;

	(void)state;
	lab_start(&l, (struct globals){ 0 }, lab_answers);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(find(&l, cases[i].by, cases[i].text, 0), cases[i].code);
		assert_string_equal(l.e.msg, cases[i].says);
		assert_int_equal(nfound, 99);
	}
	l.e = (struct err){ 0 };
	lab_end(&l);
	lab_start(&l, (struct globals){ .from = "x" }, readable);
	assert_int_equal(find(&l, SEL_NAME, "nobody", 0), -ENOENT);
	assert_string_equal(l.e.msg, "no thing with name 'nobody'");
	assert_int_equal(err_exit_status(&l.e), EXIT_NOT_FOUND);
	assert_string_equal(l.e.hint, "");
	assert_int_equal(find(&l, SEL_NAME, "smae", 0), -ENOENT);
	assert_string_equal(l.e.hint, "similar: same");
	assert_int_equal(find(&l, SEL_ID, NULL, 7), -ENOENT);
	assert_string_equal(l.e.msg, "no thing with id 7");
	assert_int_equal(find(&l, SEL_ID, NULL, 1), 0);
	lab_end(&l);
}

/* The kernel reports absolute paths, to which those of users are made. */
static void test_relative(void **state)
{
	static const char *const texts[] = { "p/two", "./p/two", ".//p/two", "././/p/two" };
	struct fake_answer answers[] = { { .p = "prog 2\n", .n = 7 }, { 0 } };
	char cwd[PATH_MAX], key[PATH_MAX + 16];
	struct lab l;

	(void)state;
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	snprintf(key, sizeof(key), "pin/%s/p/two", cwd);
	answers[0].key = key;
	lab_start(&l, (struct globals){ 0 }, answers);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(find(&l, SEL_PINNED, texts[i], 0), 0);
		assert_true(nfound == 1 && found[0] == 2);
	}
	lab_end(&l);
}

static void test_one(void **state)
{
	const struct object_ref same = { SEL_NAME, 0, "same" }, one = { SEL_NAME, 0, "one" };
	struct lab l;
	uint32_t id = 0;

	(void)state;
	lab_start(&l, (struct globals){ 0 }, lab_answers);
	assert_int_equal(select_one(&l.env, &lab_kind, &one, &id, &l.e), 0);
	assert_int_equal(id, 1);
	assert_true(select_one(&l.env, &lab_kind, &same, &id, &l.e) < 0);
	assert_string_equal(l.e.msg, "several things match this handle: id 2 (red, /p/two), 6 (red)");
	assert_int_equal(id, 1);
	l.e = (struct err){ 0 };
	lab_end(&l);
}

static void test_lists(void **state)
{
	struct lab l;

	(void)state;
	lab_start(&l, (struct globals){ 0 }, lab_answers);
	assert_int_equal(select_all(&l.env, &kind_map, &found, &nfound, &l.e), -EPERM);
	assert_int_equal(err_exit_status(&l.e), EXIT_PERMISSION);
	l.e = (struct err){ 0 };
	assert_int_equal(select_all(&l.env, &kind_btf, &found, &nfound, &l.e), -EBADMSG);
	l.e = (struct err){ 0 };
	assert_int_equal(select_all(&l.env, &kind_link, &found, &nfound, &l.e), 0);
	assert_int_equal(nfound, 0);
	lab_end(&l);
}

#define REFS 4000u
#define REF_BYTES 256u

/* Memory grows with the number of references, not with its square. */
static void test_many(void **state)
{
	static const uint32_t one[] = { 1, 2, 6 };
	static const struct fake_answer answers[] = { { "prog/ids", 0, one, sizeof(one) }, { 0 } };
	static struct object_ref refs[REFS];
	struct selection all;
	struct lab l;
	size_t before;

	(void)state;
	lab_start(&l, (struct globals){ .from = "x" }, answers);
	for (uint32_t i = 0; i < REFS; i++)
		refs[i] = (struct object_ref){ SEL_ID, i % 2 ? 6 : 1, NULL };
	before = arena_size(l.env.keep);
	assert_int_equal(selection_find(&l.env, &lab_kind, &(struct object_refs){ refs, REFS }, &all, &l.e), 0);
	assert_true(all.n == 2 && all.ids[0] == 1 && all.ids[1] == 6);
	assert_int_equal(selection_end(&all, &l.e), 0);
	for (uint32_t i = 0; i < REFS; i++)
		refs[i].id = i % 2 ? 2 : 100 + i;
	assert_int_equal(selection_find(&l.env, &lab_kind, &(struct object_refs){ refs, REFS }, &all, &l.e), 0);
	assert_true(all.n == 1 && all.ids[0] == 2);
	assert_int_equal(selection_end(&all, &l.e), -ENOENT);
	assert_non_null(strstr(l.e.msg, "no thing with id 100; no thing with id 102; "));
	assert_true(arena_size(l.env.keep) - before < 2 * REFS * REF_BYTES);
	l.e = (struct err){ 0 };
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found), cmocka_unit_test(test_not_found), cmocka_unit_test(test_relative),
		cmocka_unit_test(test_one),   cmocka_unit_test(test_lists),	cmocka_unit_test(test_many),
	};

	(void)lab_asked;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
