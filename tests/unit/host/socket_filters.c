/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <linux/filter.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base.h"
#include "host/socket_filters.h"
#include "own/files.h"
#include "own/own.h"

/* What the iterator finds; not on: the real one. err: it cannot run. */
static struct {
	bool on;
	int err;
	const void *p;
	size_t n;
} found;

int __real_own_files(struct own *own, enum own_file what, struct str *ret);
int __wrap_own_files(struct own *own, enum own_file what, struct str *ret);
int __wrap_own_files(struct own *own, enum own_file what, struct str *ret)
{
	if (!found.on)
		return __real_own_files(own, what, ret);
	assert_int_equal(what, OWN_FILE_FILTER);
	if (!found.err)
		str_add(ret, found.p, found.n);
	return found.err;
}

static int off(void **state)
{
	(void)state;
	found.on = false;
	return 0;
}

static int filtered_socket(void)
{
	struct sock_filter code[] = { { 0x30, 0, 0, 9 }, { 0x15, 0, 1, 17 }, { 6, 0, 0, UINT32_MAX }, { 6, 0, 0, 0 } };
	const struct sock_fprog prog = { ARRAY_SIZE(code), code };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog)), 0);
	return fd;
}

static uint64_t socket_ino(int fd)
{
	char path[32], text[64];
	unsigned long long ino = 0;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, text, sizeof(text) - 1);
	assert_true(n > 0);
	text[n] = '\0';
	assert_int_equal(sscanf(text, "socket:[%llu]", &ino), 1);
	return ino;
}

/* The line of a descriptor of ours; NULL: there is none. */
static char *line_of(const struct str *s, int fd, char *buf, size_t size)
{
	char start[40];
	const char *at;

	snprintf(start, sizeof(start), "%d %d ", getpid(), fd);
	at = s->n ? strstr(s->p, start) : NULL;
	if (!at)
		return NULL;
	snprintf(buf, size, "%.*s", (int)strcspn(at, "\n"), at);
	return buf + strlen(start);
}

#define CODE " 4,48 0 0 9,21 0 1 17,6 0 0 4294967295,6 0 0 0"

static void test_found(void **state)
{
	CLEAN_FD fd = filtered_socket();
	CLEAN_FD same = dup(fd);
	const uint32_t pid = (uint32_t)getpid();
	const struct own_socket_filter rows[] = {
		{ pid, (uint32_t)fd, socket_ino(fd), .ninsns = 4 },
		{ pid, (uint32_t)same, socket_ino(fd), .ninsns = 4 },			/* the same socket */
		{ pid, (uint32_t)fd, socket_ino(fd), .prog_id = 7, .is_reuseport = 1 }, /* and its group */
		{ pid, 100, 1, .ninsns = 9 },						/* closed meanwhile */
		{ pid, (uint32_t)fd, 2, .ninsns = 4 },		     /* the descriptor is another file now */
		{ 0xfffffff, 3, 3, .ninsns = 5, .is_reuseport = 1 }, /* the process is gone */
	};
	struct own own = { 0 };
	char buf[256], *line;
	STR s = { 0 };

	(void)state;
	found = (typeof(found)){ .on = true, .p = rows, .n = sizeof(rows) };
	assert_int_equal(socket_filters_collect(&own, &s), 0);
	line = line_of(&s, fd, buf, sizeof(buf));
	assert_true(str_starts(line, "socket 0 ") && strstr(line, CODE));
	assert_non_null(strstr(s.p, " sk_reuseport_select 7 "));
	assert_null(line_of(&s, same, buf, sizeof(buf)));
	assert_true(strchr(line_of(&s, 100, buf, sizeof(buf)), ' ') && strcmp(strrchr(buf, ' '), " 9") == 0);
	assert_non_null(strstr(s.p, " 4\n268435455 3 sk_reuseport_select 0 - 5\n"));
}

static void test_asked(void **state)
{
	CLEAN_FD fd = filtered_socket();
	struct own own = { 0 };
	char buf[256], *line;
	STR s = { 0 };
	int err;

	(void)state;
	found = (typeof(found)){ .on = true, .err = -EPERM };
	err = socket_filters_collect(&own, &s);
	line = line_of(&s, fd, buf, sizeof(buf));
	if (err == -ENOSYS || (!line && s.n))
		skip();
	assert_int_equal(err, 0);
	assert_true(str_starts(line, "socket 0 ") && strstr(line, CODE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_found, off),
		cmocka_unit_test_teardown(test_asked, off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
