/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "host/cgroups.h"
#include "host/mountinfo.h"

/* A directory of cgroup v2, or NULL. */
static const char *cgroup_mount(void)
{
	static char path[4096];
	STR text = { 0 };
	struct mountinfo m;

	str_read_file(&text, "/proc/self/mountinfo", MOUNTINFO_MAX);
	for (char *rest = text.p, *line; (line = strsep(&rest, "\n"));)
		if (mountinfo_parse(line, &m) && !strcmp(m.type, "cgroup2")) {
			snprintf(path, sizeof(path), "%s", m.path);
			return path;
		}
	return NULL;
}

/* A path is that of another cgroup if the one before was removed. */
static void test_same(void **state)
{
	const char *path = cgroup_mount();
	uint64_t id;
	int dir, fd;

	(void)state;
	if (!path)
		skip_because("cgroup v2 is not mounted");
	dir = open(path, O_RDONLY | O_DIRECTORY);
	id = cgroup_number(dir, "");
	assert_true(id != 0);
	fd = cgroup_open_at(path, id);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(cgroup_open_at(path, id + 1), -ENOENT);
	assert_int_equal(cgroup_number(dir, "no such cgroup"), 0);
	close(dir);
}

static void test_others(void **state)
{
	(void)state;
	assert_int_equal(cgroup_open_at("/", 1), -EBADF);
	assert_int_equal(cgroup_open_at("/no/such/directory", 1), -ENOENT);
	assert_int_equal(cgroup_open_at("/dev/null", 1), -ENOTDIR);
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(test_same), cmocka_unit_test(test_others) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
