/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>

#include "base/base.h"
#include "cli/parse/parse.h"
#include "cli/parse/usage.h"

static const struct kind prog = { .name = "prog",
				  .noun = "program",
				  .selectors = SEL_ID | SEL_NAME | SEL_TAG | SEL_PINNED };

static struct arena *arena;

static void test_sources(void **state)
{
	static const struct arg args[] = {
		{ .name = "A", .type = ARG_TYPES, .flags = ARG_REQUIRED | ARG_POSITIONAL, .off = 0 },
		{ .name = "from", .type = ARG_TYPES, .off = sizeof(struct types_ref) },
	};
	const struct command c = { .name = "two", ARGS(args, struct types_ref[2]) };
	const struct group g = { .name = "btf", .kind = &prog };
	static const struct {
		const char *words[6], *says;
	} bad[] = {
		{ { "id", "x" }, "can't parse x as ID" },
		{ { "file", "f", "from" }, "'from' needs a value: SOURCE" },
		{ { "prog", "id" }, "'id' needs a value: N" },
		{ { "id" }, "'id' needs a value: N" },
		{ { "file", "f", "file", "g" }, "unexpected argument 'file'" },
		{ { "name" }, "'name' needs a value: NAME" },
		{ { NULL }, NULL },
	};
	struct types_ref o[2] = { 0 };
	struct err e = { 0 };
	size_t i, n;

	(void)state;
	assert_int_equal(command_parse(&c, &prog, false, 6,
				       (const char *const[]){ "prog", "name", "x", "from", "i", "7" }, arena, o, &e),
			 0);
	assert_int_equal(o[0].by, TYPES_PROG);
	assert_int_equal(o[0].object.by, SEL_NAME);
	assert_string_equal(o[0].object.text, "x");
	assert_int_equal(o[1].by, TYPES_ID);
	assert_int_equal(o[1].object.id, 7);
	assert_int_equal(command_parse(&c, &prog, false, 2, (const char *const[]){ "file", "/x" }, arena, o, &e), 0);
	assert_int_equal(o[0].by, TYPES_FILE);
	assert_string_equal(o[0].path, "/x");
	assert_int_equal(command_parse(&c, &prog, false, 3, (const char *const[]){ "x.o", "from", "7" }, arena, o, &e),
			 0);
	assert_int_equal(o[0].by, TYPES_FILE);
	assert_string_equal(o[0].path, "x.o");
	assert_true(o[1].by == TYPES_ID && o[1].object.by == SEL_ID && o[1].object.id == 7);
	assert_int_equal(
		command_parse(&c, &prog, false, 4, (const char *const[]){ "prog", "x", "from", "./f" }, arena, o, &e),
		0);
	assert_string_equal(o[0].object.text, "x");
	assert_string_equal(o[1].path, "./f");
	assert_int_equal(command_parse(&c, &prog, false, 4, (const char *const[]){ "vmlinux", "from", "name", "7" },
				       arena, o, &e),
			 0);
	assert_true(o[0].by == TYPES_NAME && o[0].object.by == SEL_NAME && o[1].by == TYPES_NAME &&
		    o[1].object.by == SEL_NAME);
	assert_string_equal(o[0].object.text, "vmlinux");
	assert_string_equal(o[1].object.text, "7");
	assert_int_equal(command_parse(&c, &prog, true, 1, (const char *const[]){ "vmlinux" }, arena, o, &e), -EINVAL);
	for (i = 0; bad[i].says; i++) {
		for (n = 0; bad[i].words[n]; n++)
			;
		e = (struct err){ 0 };
		assert_int_not_equal(command_parse(&c, &prog, false, (int)n, bad[i].words, arena, o, &e), 0);
		assert_string_equal(e.msg, bad[i].says);
	}
	assert_string_equal(command_usage(&g, &c, arena), "btf two A [from SOURCE]");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sources),
	};
	int failed;

	arena = arena_new();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(arena);
	return failed;
}
