/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../../keys.h"
#include "../../test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "source/file/gzip.h"
#include "source/file/input.h"
#include "source/source.h"
#include "source/file/tar.h"
#include "source/file/archive.h"
#include "tarball.h"

/*
 * Archives that are larger than the allowed memory: 128 MiB, or ARCHIVE_MIB. A child reads every
 * answer twice and must not need more than 64 MiB.
 */
#define ANSWER (512u << 10)
#define MOST (64l << 10)

static unsigned answers(bool now)
{
	const char *mib = getenv("ARCHIVE_MIB");
	const unsigned n = 2 * (mib ? (unsigned)strtoul(mib, NULL, 10) : 128), most = (ARCHIVE_OLD_MAX >> 20) * 15 / 8;

	return now || n < most ? n : most;
}

static void fill(unsigned char *p, unsigned i)
{
	for (size_t k = 0; k < ANSWER; k += 512)
		memset(p + k, (int)(i + k / 512), 512);
	memcpy(p, &i, sizeof(i));
}

static int file_new(char *path)
{
	strcpy(path, "/tmp/bpflens-memory-XXXXXX");
	return mkstemp(path);
}

/* In the format of `save`. */
static void write_new(int fd)
{
	static const char meta[] = META "format 2\n";
	CLEAN_PTR unsigned char *p = malloc(ANSWER);
	struct tar_writer *w = NULL;
	char key[32];

	assert_int_equal(tar_writer_open(&w, fd, NULL), 0);
	assert_int_equal(tar_writer_add(w, "meta", meta, sizeof(meta) - 1, NULL), 0);
	for (unsigned i = 0; i < answers(true); i++) {
		fill(p, i);
		snprintf(key, sizeof(key), "btf/%u/data", i);
		assert_int_equal(tar_writer_add(w, key, p, ANSWER, NULL), 0);
	}
	assert_int_equal(tar_writer_finish(w, NULL), 0);
	tar_writer_close(&w);
}

/* In the older format, which may not be large: one gzip member. */
static void write_old(int fd)
{
	CLEAN_PTR unsigned char *p = malloc(ANSWER);
	struct gzip_writer *w = NULL;
	unsigned n = answers(false);
	char key[32];
	STR s = { 0 };

	assert_int_equal(gzip_writer_open(&w, fd), 0);
	ball_text(&s, "meta", META);
	for (unsigned i = 0; i < n; i++) {
		fill(p, i);
		snprintf(key, sizeof(key), "btf/%u/data", i);
		ball_member(&s, '0', key, p, ANSWER);
		gzip_write(w, s.p, s.n);
		str_reset(&s);
	}
	ball_end(&s);
	gzip_write(w, s.p, s.n);
	assert_int_equal(gzip_end(w), 0);
	gzip_writer_close(&w);
}

static void ask_all(const char *path, unsigned n)
{
	CLEAN_PTR unsigned char *want = malloc(ANSWER);
	struct source *s = NULL;
	struct err e = { 0 };
	ARENA a = arena_new();

	if (source_archive(&s, path, &e))
		print_error("%s\n", e.msg);
	for (unsigned i = 0; s && i < 2 * n; i++) {
		ARENA_SCOPE(a);
		unsigned k = i * 7919u % n;
		struct blob b;

		fill(want, k);
		if (source_get(s, a, &b, "btf/%u/data", k) || b.n != ANSWER || memcmp(b.p, want, ANSWER) != 0)
			_exit(1);
	}
	_exit(!s);
}

static void check(const char *path, unsigned n)
{
	struct rusage used;
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		ask_all(path, n);
	assert_int_equal(wait4(pid, &status, 0, &used), pid);
	assert_int_equal(status, 0);
	print_message("%ld KiB\n", used.ru_maxrss);
#ifndef __SANITIZE_ADDRESS__
	assert_true(used.ru_maxrss <= MOST);
#endif
}

static void bounded(void (*write_it)(int fd), unsigned n)
{
	char path[64];
	int fd = file_new(path);

	assert_true(fd >= 0);
	write_it(fd);
	close(fd);
	check(path, n);
	unlink(path);
}

static void test_segments(void **state)
{
	(void)state;
	bounded(write_new, answers(true));
}

static void test_one_member(void **state)
{
	(void)state;
	bounded(write_old, answers(false));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_segments), cmocka_unit_test(test_one_member) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
