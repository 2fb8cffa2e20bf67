/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/elf/libraries.h"

static const char *const files[] = { "b/liba-2.9.so", "a/liba-2.40-system.so", "b/liba-2.41.so", "a/other-3.so" };
static const char *const sorted[] = { "b/liba-2.41.so", "a/liba-2.40-system.so", "b/liba-2.9.so" };

static void test_newest_first(void **state)
{
	char dir[] = "/tmp/libraries-XXXXXX", path[64], one[64], two[64];
	const char *const patterns[] = { one, two, NULL };
	glob_t found;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(one, sizeof(one), "%s/none/*", dir);
	snprintf(two, sizeof(two), "%s/*/liba-*.so", dir);
	libraries_find(patterns, &found);
	assert_int_equal(found.gl_pathc, 0);
	globfree(&found);

	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%c", dir, *files[i]);
		mkdir(path, 0700);
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		fclose(fopen(path, "w"));
	}
	/* Each pattern adds to what those before it found. */
	snprintf(one, sizeof(one), "%s/a/liba-*.so", dir);
	snprintf(two, sizeof(two), "%s/b/liba-*.so", dir);
	libraries_find(patterns, &found);
	assert_int_equal(found.gl_pathc, 3);
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, sorted[i]);
		assert_string_equal(found.gl_pathv[i], path);
	}
	globfree(&found);
	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		unlink(path);
	}
	for (const char *sub = "ab"; *sub; sub++) {
		snprintf(path, sizeof(path), "%s/%c", dir, *sub);
		rmdir(path);
	}
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_newest_first) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
