/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../test.h"
#include "../directory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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

static bool is_hash(const void *p, size_t n)
{
	return n && *(const char *)p == '#';
}

static void test_endless(void **state)
{
	STR text = { 0 };

	(void)state;
	assert_int_equal(infile_read(&text, "/dev/zero", 1u << 30, is_hash), 0);
	assert_in_range(text.n, 2, 64);
	str_reset(&text);
	assert_int_equal(infile_read(&text, "/dev/null", 1u << 30, is_hash), 0);
	assert_int_equal(text.n, 0);
}

/* @text in a FIFO, which is read to its end. */
static int of_fifo(const char *text, size_t n, struct str *ret, size_t max)
{
	char dir[] = "/tmp/bpflens-infile-XXXXXX", path[64];
	pid_t pid;
	int err;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	pid = fork();
	if (!pid) {
		int fd = open(path, O_WRONLY);

		signal(SIGPIPE, SIG_IGN);
		for (ssize_t put; n && (put = write(fd, text, n < 7 ? n : 7)) > 0; n -= (size_t)put, text += put)
			;
		_exit(0);
	}
	err = infile_read(ret, path, max, is_hash);
	assert_int_equal(wait_child(pid, WAIT_END), 0);
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
	return err;
}

static bool is_elf(const void *p, size_t n)
{
	return n > 3 && !memcmp(p, "\177ELF", 4);
}

static bool is_zero(const void *p, size_t n)
{
	return n && !*(const char *)p;
}

static void test_kinds(void **state)
{
	char bytes[200];
	STR text = { 0 };

	(void)state;
	memset(bytes, '#', sizeof(bytes));
	assert_int_equal(of_fifo(bytes, sizeof(bytes), &text, sizeof(bytes)), 0);
	assert_int_equal(text.n, sizeof(bytes));
	str_reset(&text);
	assert_int_equal(of_fifo(bytes, 3, &text, sizeof(bytes)), 0);
	assert_int_equal(text.n, 3);
	str_reset(&text);
	assert_int_equal(of_fifo(bytes, sizeof(bytes), &text, sizeof(bytes) - 1), -EFBIG);
	str_reset(&text);
	bytes[0] = 'x';
	assert_int_equal(of_fifo(bytes, sizeof(bytes), &text, sizeof(bytes)), 0);
	assert_int_equal(text.n, 64);
	str_reset(&text);
	assert_int_equal(infile_read(&text, "/proc/self/exe", 100, is_hash), -EFBIG);
	assert_int_equal(infile_read(&text, "/no/such/file", 100, is_hash), -ENOENT);
	assert_int_equal(infile_read(&text, "/", 100, is_hash), -EISDIR);
	assert_true(infile_is("/proc/self/exe", is_elf));
	assert_false(infile_is("/proc/self/exe", is_hash));
	assert_false(infile_is("/no/such/file", is_elf));
	assert_false(infile_is("/", is_elf));
	assert_false(infile_is("/dev/zero", is_zero));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_fifo), cmocka_unit_test(test_files),
					    cmocka_unit_test(test_endless), cmocka_unit_test(test_kinds) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
