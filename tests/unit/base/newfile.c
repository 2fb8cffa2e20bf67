/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"
#include "../directory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/newfile.h"
#include "base/str.h"

static void put(const char *path, const char *text, bool finish)
{
	struct newfile f;

	assert_int_equal(newfile_open(&f, path, NULL), 0);
	assert_int_equal(write(f.fd, text, strlen(text)), strlen(text));
	if (finish)
		assert_int_equal(newfile_finish(&f, NULL), 0);
	newfile_release(&f);
}

static void test_whole(void **state)
{
	char dir[] = "/tmp/bpflens-newfile-XXXXXX", path[64];
	STR text = { 0 };
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	put(path, "half", false);
	assert_int_equal(directory_count(dir), 0);
	put(path, "one", true);
	put(path, "half", false);
	assert_int_equal(directory_count(dir), 1);
	assert_int_equal(str_read_file(&text, path, 100), 0);
	assert_string_equal(text.p, "one");
	put(path, "two", true);
	str_reset(&text);
	assert_int_equal(str_read_file(&text, path, 100), 0);
	assert_string_equal(text.p, "two");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(directory_count(dir), 1);
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
}

static void test_refused(void **state)
{
	struct newfile f;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(newfile_open(&f, "/tmp", &e), -EEXIST);
	assert_string_equal(e.msg, "/tmp: exists and is no regular file");
	newfile_release(&f);
	err_clear(&e);
	assert_int_equal(newfile_open(&f, "/no/such/directory/file", &e), -ENOENT);
	assert_string_equal(e.msg, "cannot create /no/such/directory/file: No such file or directory");
	newfile_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_whole), cmocka_unit_test(test_refused) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
