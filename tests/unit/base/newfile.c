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
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/newfile.h"
#include "base/wait.h"

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
	assert_string_equal(e.msg, "/tmp: exists and is not a regular file");
	newfile_release(&f);
	err_clear(&e);
	assert_int_equal(newfile_open(&f, "/no/such/directory/file", &e), -ENOENT);
	assert_string_equal(e.msg, "cannot create /no/such/directory/file: No such file or directory");
	newfile_release(&f);
}

/* The descriptors of the tests do not change: they are closed in a child only. */
static void test_closed_descriptors(void **state)
{
	char dir[] = "/tmp/bpflens-newfile-XXXXXX", path[64];
	STR text = { 0 };
	int status;
	pid_t pid;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct newfile f;
		bool good;

		close(0), close(1), close(2);
		good = !newfile_open(&f, path, NULL) && f.fd > 2 && fcntl(f.fd, F_GETFD) == FD_CLOEXEC &&
		       write(f.fd, "x", 1) == 1;
		good = good && write(1, "report", 6) < 0 && !newfile_finish(&f, NULL);
		_exit(!good);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(str_read_file(&text, path, 100), 0);
	assert_string_equal(text.p, "x");
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
}

static void leave(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void holds(const char *path, const char *want)
{
	STR text = { 0 };

	assert_int_equal(str_read_file(&text, path, 100), 0);
	assert_string_equal(text.p, want);
}

/* A file with its name from the beginning. The old file stays until the end, and an old partial file under another
 * name. */
static void test_shown(void **state)
{
	char dir[] = "/tmp/bpflens-newfile-XXXXXX", path[64], partial[80], other[64];
	char aside[2][96];
	struct newfile f, second;
	struct err e = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(partial, sizeof(partial), "%s.partial", path);
	for (int i = 0; i < 2; i++)
		snprintf(aside[i], sizeof(aside[i]), "%s.%d", partial, i + 1);
	leave(aside[0], "of an earlier one");
	snprintf(other, sizeof(other), "%s/other", dir);
	leave(path, "old");
	leave(partial, "of one that was killed");
	assert_int_equal(newfile_open(&f, path, &e), 0);
	assert_int_equal(write(f.fd, "ne", 2), 2);
	holds(partial, "of one that was killed");
	assert_int_equal(newfile_show(&f, &e), 0);
	holds(partial, "ne");
	assert_string_equal(f.left, aside[1]);
	holds(aside[1], "of one that was killed");
	holds(aside[0], "of an earlier one");
	assert_int_equal(unlink(aside[0]) | unlink(aside[1]), 0);
	assert_int_equal(write(f.fd, "w", 1), 1);
	holds(partial, "new");
	holds(path, "old");
	assert_int_equal(newfile_open(&second, path, &e), 0);
	assert_int_equal(newfile_show(&second, &e), -EBUSY);
	assert_non_null(strstr(e.msg, partial));
	newfile_release(&second);
	holds(partial, "new");
	assert_int_equal(newfile_finish(&f, NULL), 0);
	newfile_release(&f);
	holds(path, "new");
	assert_int_equal(directory_count(dir), 1);
	assert_int_equal(newfile_open(&f, path, NULL), 0);
	assert_int_equal(newfile_show(&f, NULL), 0);
	newfile_release(&f);
	assert_int_equal(directory_count(dir), 1);
	assert_null(f.left);
	assert_int_equal(newfile_open(&f, path, NULL), 0);
	assert_int_equal(newfile_show(&f, NULL), 0);
	newfile_keep(&f);
	newfile_release(&f);
	holds(partial, "");
	assert_int_equal(unlink(partial), 0);
	/* A link at the path is neither followed nor removed. */
	leave(other, "precious");
	assert_int_equal(symlink(other, partial), 0);
	assert_int_equal(newfile_open(&f, path, NULL), 0);
	assert_int_equal(newfile_show(&f, NULL), -ELOOP);
	newfile_release(&f);
	holds(other, "precious");
	assert_int_equal(directory_count(dir), 3);
	unlink(path), unlink(partial), unlink(other);
	assert_int_equal(rmdir(dir), 0);
}

/* A failed write leaves the old file; a link is replaced, not followed. */
static void test_write(void **state)
{
	char dir[] = "/tmp/bpflens-newfile-XXXXXX", path[64], other[64];
	struct rlimit old, small = { 2, 2 };
	struct err e = { 0 };
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	assert_int_equal(newfile_write(path, "one", 3, &e), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(newfile_write(path, "two", 3, &e), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_non_null(strstr(e.msg, path));
	holds(path, "one");
	assert_int_equal(directory_count(dir), 1);
	assert_int_equal(symlink(path, other), 0);
	assert_int_equal(newfile_write(other, "three", 5, NULL), 0);
	holds(path, "one");
	holds(other, "three");
	assert_int_equal(lstat(other, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	unlink(path), unlink(other);
	assert_int_equal(rmdir(dir), 0);
}

/* Devices, pipes and descriptors are written in place, even if a descriptor is that of a file. */
static void test_write_stream(void **state)
{
	char dir[] = "/tmp/bpflens-newfile-XXXXXX", path[64], fifo[64], name[64], got[8] = "";
	struct stat st;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	assert_int_equal(newfile_write("/dev/null", "lost", 4, NULL), 0);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(mkfifo(fifo, 0600), 0);
	fd = open(fifo, O_RDONLY | O_NONBLOCK);
	assert_int_equal(newfile_write(fifo, "piped", 5, NULL), 0);
	assert_int_equal(read(fd, got, sizeof(got)), 5);
	assert_string_equal(got, "piped");
	close(fd);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(write(fd, "<", 1), 1);
	snprintf(name, sizeof(name), "/dev/fd/%d", fd);
	assert_int_equal(newfile_write(name, "text", 4, NULL), 0);
	assert_int_equal(write(fd, ">", 1), 1);
	close(fd);
	holds(path, "<text>");
	assert_int_equal(newfile_write(name, "text", 4, NULL), -EBADF);
	unlink(path), unlink(fifo);
	assert_int_equal(rmdir(dir), 0);
}

/* A FIFO that nobody reads is waited for, and a message says so. */
static void test_write_fifo(void **state)
{
	char dir[] = "/tmp/bpflens-newfile-XXXXXX", fifo[64], said[256] = "", got[8] = "";
	int errors[2], fd;
	ssize_t n;
	pid_t pid;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(pipe(errors), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(errors[1], 2);
		_exit(-newfile_write(fifo, "late", 4, NULL));
	}
	close(errors[1]);
	n = read(errors[0], said, sizeof(said) - 1);
	assert_true(n > 0);
	assert_non_null(strstr(said, "waiting for a reader of /tmp/bpflens-newfile-"));
	fd = open(fifo, O_RDONLY);
	assert_int_equal(read(fd, got, sizeof(got)), 4);
	assert_string_equal(got, "late");
	assert_int_equal(wait_child(pid, WAIT_END), 0);
	close(fd), close(errors[0]);
	unlink(fifo);
	assert_int_equal(rmdir(dir), 0);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 07777;
}

/* A file for others has the mode that the umask allows; one that the caller opened keeps its own. */
static void test_publish(void **state)
{
	char dir[] = "/tmp/bpflens-newfile-XXXXXX", path[64], name[64];
	const mode_t before = umask(027);
	struct newfile f;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	assert_int_equal(newfile_open(&f, path, NULL), 0);
	assert_int_equal(newfile_publish(&f, NULL), 0);
	newfile_release(&f);
	assert_int_equal(mode_of(path), 0640);
	fd = open(path, O_WRONLY);
	assert_int_equal(chmod(path, 0600), 0);
	snprintf(name, sizeof(name), "/dev/fd/%d", fd);
	assert_int_equal(newfile_open(&f, name, NULL), 0);
	assert_int_equal(newfile_publish(&f, NULL), 0);
	newfile_release(&f);
	close(fd);
	assert_int_equal(mode_of(path), 0600);
	umask(before);
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_whole),
					    cmocka_unit_test(test_refused),
					    cmocka_unit_test(test_closed_descriptors),
					    cmocka_unit_test(test_shown),
					    cmocka_unit_test(test_write),
					    cmocka_unit_test(test_write_stream),
					    cmocka_unit_test(test_write_fifo),
					    cmocka_unit_test(test_publish) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
