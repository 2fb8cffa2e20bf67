/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "btf/btf.h"

static void check(const char *bytes, size_t n, int want)
{
	char path[] = "/tmp/bpflens-btf-XXXXXX";
	CLEAN_FD fd = mkstemp(path);
	struct err e = { 0 };

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	assert_int_equal(btf_check_file(path, &e), want);
	if (want)
		assert_int_equal(strncmp(e.msg, path, strlen(path)), 0);
	assert_int_equal(btf_check_file(path, NULL), want);
	unlink(path);
}

static void test_files(void **state)
{
	/* Magic, version, flags, header's length; no types, one byte of strings. */
	static const char empty[] = { "\x9f\xeb\1\0" "\x18\0\0\0" "\0\0\0\0" "\0\0\0\0" "\0\0\0\0" "\1\0\0\0" };

	(void)state;
	check(empty, sizeof(empty), 0);
	check(empty, sizeof(empty) - 1, -EBADMSG);
	check("", 0, -EBADMSG);
	check("text", 4, -EBADMSG);
	check("\x7f" "ELF and no more", 16, -EBADMSG);
}

static void test_places(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(btf_check_file("/nonexistent", &e), -ENOENT);
	assert_string_equal(e.msg, "cannot read /nonexistent: No such file or directory");
	assert_int_equal(err_exit_status(&e), EXIT_NOT_FOUND);
	assert_int_equal(btf_check_file("/", NULL), -EISDIR);
	assert_int_equal(btf_check_file("/dev/null", NULL), -EBADMSG);
	/* An object file without BTF: this program. */
	assert_int_equal(btf_check_file("/proc/self/exe", NULL), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_files), cmocka_unit_test(test_places) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
