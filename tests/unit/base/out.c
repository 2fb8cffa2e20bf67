/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "base/paint.h"

static void memory_grows(void **state)
{
	struct out o;
	unsigned i;

	(void)state;
	out_init(&o, -1);
	for (i = 0; i < 1000; i++)
		out_str(&o, "0123456789");
	out_dec(&o, UINT64_MAX);
	out_char(&o, '|');
	out_fmt(&o, "%d %s", -5, "x");
	out_fmt(&o, "%0400d", 1);
	assert_int_equal(o.n, 10000 + 20 + 1 + 4 + 400);
	assert_memory_equal(out_cstr(&o) + 10000, "18446744073709551615|-5 x000", 28);
	assert_non_null(out_room(&o, 64 << 10));
	assert_int_equal(out_close(&o, NULL), 0);
}

static void file_gets_every_byte(void **state)
{
	CLEAN_FD fd = memfd_create("out", MFD_CLOEXEC);
	struct err e = { 0 };
	STR got = { 0 };
	STR want = { 0 };
	struct out o;
	size_t i;

	(void)state;
	srandom(3);
	out_init(&o, fd);
	for (i = 0; i < 300; i++) {
		size_t n = (size_t)random() % (i % 50 ? 5000 : 700000), k;
		STR part = { 0 };

		str_reserve(&part, n);
		for (k = 0; k < n; k++)
			part.p[k] = (char)random();
		str_add(&want, part.p, n);
		out_bytes(&o, part.p, n);
	}
	assert_int_equal(out_close(&o, &e), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(str_read_fd(&got, fd, SIZE_MAX), 0);
	assert_int_equal(got.n, want.n);
	assert_memory_equal(got.p, want.p, got.n);
}

static void full_disk_is_reported_once(void **state)
{
	CLEAN_FD fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct err e = { 0 };
	struct out o;

	(void)state;
	if (fd < 0)
		skip_because("/dev/full cannot be opened");
	out_init(&o, fd);
	out_str(&o, "x");
	out_flush(&o);
	assert_true(out_dead(&o));
	out_str(&o, "y");
	assert_int_equal(out_close(&o, &e), -ENOSPC);
	assert_string_equal(e.msg, "cannot write the output: No space left on device");
}

static void closed_pipe_is_not_a_failure(void **state)
{
	struct err e = { 0 };
	struct out o;
	int ends[2];
	unsigned i;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	out_init(&o, ends[1]);
	assert_false(out_dead(&o));
	for (i = 0; i < 100000; i++)
		out_str(&o, "0123456789");
	assert_true(out_dead(&o));
	assert_int_equal(out_close(&o, &e), 0);
	assert_int_equal(e.code, 0);
	close(ends[1]);
}

static void slow_pipe_is_waited_for(void **state)
{
	char buf[1000];
	struct out o;
	int ends[2];
	size_t got = 0;
	ssize_t n;

	(void)state;
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	if (fork() == 0) {
		close(ends[0]);
		out_init(&o, ends[1]);
		for (got = 0; got < 500000; got += 10)
			out_str(&o, "0123456789");
		_exit(out_close(&o, NULL) ? 1 : 0);
	}
	close(ends[1]);
	while ((n = read(ends[0], buf, sizeof(buf))) != 0) {
		if (n > 0)
			got += (size_t)n;
		else
			assert_int_equal(errno, EAGAIN);
	}
	close(ends[0]);
	assert_int_equal(got, 500000);
}

/* Bytes that are in the pipe then. */
static size_t written_by_stopped(size_t n, bool signal_came)
{
	sigset_t held, before;
	char text[4096] = { 0 };
	size_t got = 0;
	struct out o;
	ssize_t part;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	sigemptyset(&held);
	sigaddset(&held, SIGTERM);
	sigprocmask(SIG_BLOCK, &held, &before);
	if (signal_came)
		raise(SIGTERM);
	out_init(&o, ends[1]);
	for (size_t i = 0; i < n; i += sizeof(text))
		out_bytes(&o, text, sizeof(text));
	assert_int_equal(out_close(&o, NULL), 0);
	assert_int_equal(sigtimedwait(&held, NULL, &(struct timespec){ 0 }), signal_came ? SIGTERM : -1);
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[1]);
	while ((part = read(ends[0], text, sizeof(text))) > 0)
		got += (size_t)part;
	close(ends[0]);
	return got;
}

static void a_signal_ends_the_wait_for_a_reader(void **state)
{
	(void)state;
	assert_int_equal(written_by_stopped(16 << 10, false), 16 << 10);
	assert_int_equal(written_by_stopped(16 << 10, true), 16 << 10); /* what has room is written */
	assert_int_equal(written_by_stopped(1 << 20, true), 64 << 10);
}

static void text_cannot_drive_a_terminal(void **state)
{
	struct out o;

	(void)state;
	out_init(&o, -1);
	out_text(&o,
		 "a\tb\033[2J\n\x7f\xff caf\xc3\xa9 \xc2\x9b"
		 "1m\xe2\x82");
	assert_string_equal(out_cstr(&o), "a\tb\\x1b[2J\\x0a\\x7f\\xff caf\xc3\xa9 \\xc2\\x9b1m\\xe2\\x82");
	o.n = 0;
	out_textn(&o, "a\0b", 3);
	assert_string_equal(out_cstr(&o), "a\\x00b");
	o.n = 0;
	out_text(&o,
		 "\xe2\x80\xae"
		 "gpj.exe");
	assert_string_equal(out_cstr(&o), "\\xe2\\x80\\xaegpj.exe");
	o.n = 0;
	out_copy(&o, "a\033[2J\nb", 7);
	assert_string_equal(out_cstr(&o), "a\033[2J\nb");
	o.n = 0;
	o.tty = true;
	out_copy(&o, "a\033[2J\nb\r\n\n", 10);
	assert_string_equal(out_cstr(&o), "a\\x1b[2J\nb\\x0d\n\n");
	out_close(&o, NULL);
}

static void hex_layout(void **state)
{
	unsigned char bytes[10000];
	struct out o;
	STR want = { 0 };
	size_t i;

	(void)state;
	out_init(&o, -1);
	out_hex(&o, NULL, 0);
	assert_string_equal(out_cstr(&o), "");
	out_hex(&o, "\0\1\2\3\4\5\6\7\x8\x9\xa\xb\xc\xd\xe\xf\x10", 17);
	assert_string_equal(out_cstr(&o), "00 01 02 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f\n10");
	o.n = 0;
	for (i = 0; i < sizeof(bytes); i++) {
		bytes[i] = (unsigned char)(i * 7);
		str_puts(&want, !i ? "" : i % 16 == 0 ? "\n" : i % 8 == 0 ? "  " : " ");
		str_add(&want, num_hex2[bytes[i]], 2);
	}
	out_hex(&o, bytes, sizeof(bytes));
	assert_int_equal(o.n, want.n);
	assert_memory_equal(o.buf, want.p, want.n);
	out_close(&o, NULL);
}

static void color_words(void **state)
{
	struct out o;

	(void)state;
	out_init(&o, -1);
	assert_int_equal(out_color_mode(&o, "always"), 0);
	out_paint(&o, ROLE_REMOVED);
	assert_string_equal(out_cstr(&o), "\033[38;5;196m");
	o.n = 0;
	assert_int_equal(out_color_mode(&o, "auto"), 0);
	assert_false(o.color);
	o.tty = true;
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	assert_int_equal(out_color_mode(&o, "auto"), 0);
	assert_true(o.color);
	setenv("NO_COLOR", "1", 1);
	assert_int_equal(out_color_mode(&o, "auto"), 0);
	assert_false(o.color);
	assert_int_equal(out_color_mode(&o, "sometimes"), -EINVAL);
	out_paint(&o, ROLE_REMOVED);
	assert_int_equal(o.n, 0);
	out_close(&o, NULL);
}

static void pager_gets_the_text(void **state)
{
	static const struct {
		const char *pager, *sudo, *want;
	} rows[] = {
		{ "tr a-z A-Z", NULL, "HELLO\n" },
		{ "no-such-pager-7", NULL, "hello\n" },
		{ "tr a-z A-Z", "0", "HELLO\n" },
		{ "tr a-z A-Z", "1000", "hello\n" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		CLEAN_FD fd = memfd_create("tty", MFD_CLOEXEC);
		CLEAN_FD saved = dup(STDOUT_FILENO);
		STR got = { 0 };
		struct out o;

		setenv("BPFLENS_PAGER", rows[i].pager, 1);
		unsetenv("SUDO_UID");
		if (rows[i].sudo)
			setenv("SUDO_UID", rows[i].sudo, 1);
		dup2(fd, STDOUT_FILENO);
		out_init(&o, STDOUT_FILENO);
		out_pager(&o);
		assert_int_equal(o.pager, 0);
		o.tty = true;
		out_pager(&o);
		assert_int_equal(o.pager, 0);
		out_str(&o, "hello\n");
		out_flush(&o);
		assert_true(o.pager > 0);
		out_close(&o, NULL);
		dup2(saved, STDOUT_FILENO);
		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		assert_int_equal(str_read_fd(&got, fd, 10000), 0);
		assert_non_null(strstr(got.p, rows[i].want));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_grows),
		cmocka_unit_test(file_gets_every_byte),
		cmocka_unit_test(full_disk_is_reported_once),
		cmocka_unit_test(closed_pipe_is_not_a_failure),
		cmocka_unit_test(slow_pipe_is_waited_for),
		cmocka_unit_test(a_signal_ends_the_wait_for_a_reader),
		cmocka_unit_test(text_cannot_drive_a_terminal),
		cmocka_unit_test(hex_layout),
		cmocka_unit_test(color_words),
		cmocka_unit_test(pager_gets_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
