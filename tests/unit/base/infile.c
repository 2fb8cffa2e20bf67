/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../test.h"
#include "../directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/infile.h"
#include "base/wait.h"

static void test_fifo(void **state)
{
	char dir[] = "/tmp/bpflens-infile-XXXXXX", path[64];
	STR text = { 0 };
	pid_t pid;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	pid = fork();
	if (!pid) {
		int fd = open(path, O_WRONLY);

		if (write(fd, "one ", 4) != 4)
			_exit(1);
		usleep(20000);
		_exit(write(fd, "two", 3) != 3);
	}
	assert_int_equal(str_read_file(&text, path, 100), 0);
	assert_string_equal(text.p, "one two");
	assert_int_equal(wait_child(pid, WAIT_END), 0);
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
}

static void test_files(void **state)
{
	int fd = infile_open("/proc/self/comm");

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(infile_open("/no/such/file"), -ENOENT);
	fd = infile_open("/dev/zero");
	assert_int_equal(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_fifo), cmocka_unit_test(test_files) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
