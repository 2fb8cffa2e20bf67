/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "host/http/listen.h"

static void test_parse(void **unused)
{
	static const struct {
		const char *address, *text;
	} good[] = {
		{ "9433", "127.0.0.1:9433" },
		{ "localhost:1", "127.0.0.1:1" },
		{ "0.0.0.0:65535", "0.0.0.0:65535" },
		{ "[::1]:9433", "[::1]:9433" },
		{ "[::]:80", "[::]:80" },
		{ "192.0.2.1:9433", "192.0.2.1:9433" },
	};
	static const char *const bad[] = {
		"",
		"0",
		"65536",
		":9433",
		"x",
		"localhost",
		"localhost:",
		"::1:9433",
		"[]:1",
		"[::1]",
		"[::1:80",
		"::1]:80",
		"[1.2.3.4]:80",
		"1.2.3:80",
		"1.2.3.4:+80",
		"1.2.3.4: 80",
		"-1",
		"80x",
		"[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]:80",
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct listen_address at;

		assert_int_equal(listen_parse(good[i].address, &at, NULL), 0);
		assert_string_equal(at.text, good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct listen_address at;
		struct err e = { 0 };

		assert_int_equal(listen_parse(bad[i], &at, &e), -EINVAL);
		assert_int_equal(e.status, EXIT_USAGE);
	}
}

static void test_open(void **unused)
{
	struct sockaddr_in in;
	socklen_t size = sizeof(in);
	struct listen_address at;
	struct err e = { 0 };
	char port[16];
	int fd;

	(void)unused;
	/* A port that the kernel chooses, and then has. */
	assert_int_equal(listen_parse("127.0.0.1:1", &at, NULL), 0);
	((struct sockaddr_in *)(void *)at.bytes)->sin_port = 0;
	fd = listen_open(&at, &e);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(getsockname(fd, (void *)&in, &size), 0);
	assert_int_equal(in.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
	snprintf(port, sizeof(port), "%u", ntohs(in.sin_port));
	assert_int_equal(listen_parse(port, &at, NULL), 0);
	assert_int_equal(listen_open(&at, &e), -EADDRINUSE);
	assert_non_null(strstr(e.msg, port));
	assert_true(e.hint[0]);
	close(fd);
}

/* In a child with descriptor 3, as systemd starts it. Exit status: 1: not the socket; 2: an error; 3: another socket.
 */
static int passed(int fd, const char *fds, bool for_us)
{
	struct listen_address at;
	struct err e = { 0 };
	char pid[16];
	int ret;

	if (fd == 3 ? fcntl(fd, F_SETFD, 0) : dup2(fd, 3) != 3)
		return 64;
	snprintf(pid, sizeof(pid), "%d", (int)getpid() + !for_us);
	setenv("LISTEN_PID", pid, 1);
	setenv("LISTEN_FDS", fds, 1);
	listen_parse("127.0.0.1:1", &at, NULL);
	((struct sockaddr_in *)(void *)at.bytes)->sin_port = 0;
	ret = listen_open(&at, &e);
	if (ret < 0)
		return e.msg[0] && strstr(e.msg, "systemd") ? 2 : 65;
	if (ret != 3)
		return 3;
	return fcntl(3, F_GETFD) == FD_CLOEXEC && fcntl(3, F_GETFL) & O_NONBLOCK &&
			       !strcmp(at.text, "a socket of systemd") ?
		       0 :
		       1;
}

static void assert_passed(int fd, const char *fds, bool for_us, int status)
{
	pid_t pid = fork();
	int got;

	assert_true(pid >= 0);
	if (!pid)
		_exit(passed(fd, fds, for_us));
	assert_int_equal(waitpid(pid, &got, 0), pid);
	assert_int_equal(WEXITSTATUS(got), status);
}

static void test_passed(void **unused)
{
	int listening = socket(AF_INET, SOCK_STREAM, 0), idle = socket(AF_INET, SOCK_STREAM, 0),
	    datagram = socket(AF_INET, SOCK_DGRAM, 0), file = open("/dev/null", O_RDONLY);

	(void)unused;
	assert_int_equal(listen(listening, 1), 0);
	assert_passed(listening, "1", true, 0);
	assert_passed(listening, "1", false, 3);
	assert_passed(listening, "0", true, 3);
	assert_passed(listening, "2", true, 2);
	assert_passed(listening, "x", true, 3);
	assert_passed(idle, "1", true, 2);
	assert_passed(datagram, "1", true, 2);
	assert_passed(file, "1", true, 2);
	close(listening);
	close(idle);
	close(datagram);
	close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_passed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
