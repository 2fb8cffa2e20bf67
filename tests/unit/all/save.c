/* SPDX-License-Identifier: BSD-2-Clause */
#include "../keys.h"
#include "../cli/lab.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/abi.h"
#include "source/file/archive.h"

static char dir[] = "/tmp/bpflens-save-XXXXXX";

static void check_answer(struct source *s, const char *key, int err, size_t n)
{
	ARENA a = arena_new();
	struct blob b = { 0 };

	assert_int_equal(source_get(s, a, &b, "%s", key), err);
	assert_int_equal(b.n, n);
}

static void check_ids(struct source *s, const uint32_t *ids, size_t n)
{
	ARENA a = arena_new();
	struct blob b = { 0 };

	assert_int_equal(source_get(s, a, &b, "prog/ids"), 0);
	assert_int_equal(b.n, n * sizeof(*ids));
	assert_memory_equal(b.p, ids, b.n);
}

static void test_save(void **state)
{
	ARENA a = arena_new();
	char *path = arena_fmt(a, "%s/x", dir);
	const char *argv[] = { "save", path };
	struct fake_answer answers[ARRAY_SIZE(lab_answers) + 1] = { { "prog/3/info", -ENOENT, NULL, 0 } };
	struct source *saved = NULL;
	struct stat st;
	struct lab l;

	(void)state;
	memcpy(answers + 1, lab_answers, sizeof(lab_answers));
	lab_start(&l, (struct globals){ .from = "x" }, answers);
	assert_int_equal(command_main(&l.env, 2, argv, &l.e), 0);
	assert_non_null(strstr(out_cstr(&l.out), "saved 6 programs, 0 maps, 0 links, 0 BTF objects to /tmp/"));
	assert_non_null(strstr(out_cstr(&l.out), "without map contents"));
	/* Maps were refused, the list of BTF objects is damaged. */
	assert_int_equal(l.env.report->unread, 0);
	assert_string_equal(l.env.report->unlisted, "maps: Operation not permitted; BTF objects");
	assert_int_equal(l.env.report->unlisted_why, -EBADMSG);
	lab_end(&l);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(source_archive(&saved, path, &l.e), 0);
	/* 3 was gone when it was read. */
	check_ids(saved, (const uint32_t[]){ 1, 2, 4, 5, 6, 7 }, 6);
	check_answer(saved, "map/ids", -EPERM, 0);
	check_answer(saved, "btf/ids", 0, 3);
	check_answer(saved, "sys/pins", 0, sizeof(lab_pins) - 1);
	check_answer(saved, "link/1/info", -ENODATA, 0);
	source_close(&saved);
	unlink(path);
}

/* Types of modules, and the kernel's own if no object has them (before Linux 5.11). */
static void test_kernel_types(void **state)
{
	static const uint32_t ids[] = { 5 };
	static const char types[40] = "\237\353\001", kernel[60] = "\237\353\001";
	static const struct abi_btf_info info = { .id = 5, .btf_size = sizeof(types), .kernel_btf = 1 };
	const struct fake_answer own[] = {
		{ "btf/ids", 0, ids, sizeof(ids) },
		{ "btf/5/info", 0, &info, sizeof(info) },
		{ "btf/5/name", 0, "mod", 3 },
		{ "btf/5/data", 0, types, sizeof(types) },
		{ "sys/vmlinux", 0, kernel, sizeof(kernel) },
	};
	ARENA a = arena_new();
	char *path = arena_fmt(a, "%s/y", dir);
	const char *argv[] = { "save", path };
	struct fake_answer answers[ARRAY_SIZE(lab_answers) + ARRAY_SIZE(own)];
	struct source *saved = NULL;
	struct lab l;

	(void)state;
	memcpy(answers, own, sizeof(own));
	memcpy(answers + ARRAY_SIZE(own), lab_answers, sizeof(lab_answers));
	lab_start(&l, (struct globals){ .from = "x" }, answers);
	assert_int_equal(command_main(&l.env, 2, argv, &l.e), 0);
	lab_end(&l);
	assert_int_equal(source_archive(&saved, path, &l.e), 0);
	check_answer(saved, "btf/5/data", 0, sizeof(types));
	check_answer(saved, "btf/5/name", 0, 3);
	check_answer(saved, "sys/vmlinux", 0, sizeof(kernel));
	source_close(&saved);
	unlink(path);
}

static void test_no_place(void **state)
{
	const char *argv[] = { "save", "/nonexistent/x" };
	struct lab l;

	(void)state;
	lab_start(&l, (struct globals){ .json = true, .from = "x" }, lab_answers);
	assert_true(command_main(&l.env, 2, argv, &l.e) < 0);
	assert_non_null(strstr(out_cstr(&l.out), "{\"error\":\""));
	assert_true(l.env.report->in_document);
	l.e = (struct err){ 0 };
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_save),
		cmocka_unit_test(test_kernel_types),
		cmocka_unit_test(test_no_place),
	};
	int failed;

	(void)lab_asked;
	if (!mkdtemp(dir))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(dir);
	return failed;
}
