/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/http/listen.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#define PASSED_FD 3 /* SD_LISTEN_FDS_START */

static void address_fill(struct listen_address *ret, const void *bytes, size_t size)
{
	memcpy(ret->bytes, bytes, size);
	ret->size = (unsigned)size;
}

/* False: @host is not an address of that family. */
static bool ipv4_fill(struct listen_address *ret, const char *host, uint16_t port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };
	const bool good = inet_pton(AF_INET, host, &in.sin_addr) == 1;

	if (good)
		address_fill(ret, &in, sizeof(in));
	return good;
}

static bool ipv6_fill(struct listen_address *ret, const char *host, uint16_t port)
{
	struct sockaddr_in6 in = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	const bool good = inet_pton(AF_INET6, host, &in.sin6_addr) == 1;

	if (good)
		address_fill(ret, &in, sizeof(in));
	return good;
}

int listen_parse(const char *address, struct listen_address *ret, struct err *e)
{
	_Static_assert(sizeof(struct sockaddr_in6) <= sizeof(ret->bytes), "room for both");
	const char *colon = strrchr(address, ':'), *port = colon ? colon + 1 : address;
	const bool six = address[0] == '[';
	size_t n = colon ? (size_t)(colon - address) : 0;
	char host[INET6_ADDRSTRLEN] = "127.0.0.1";
	uint32_t number;
	bool good;

	if (*port < '0' || *port > '9' || num_parse_u32(port, &number) || !number || number > UINT16_MAX)
		return err_usage(e, "'%.60s' does not end in a port from 1 to 65535", address);
	if (six && (n < 2 || address[n - 1] != ']'))
		n = sizeof(host);
	else if (six)
		n -= 2;
	good = n < sizeof(host) && (n || !colon);
	if (good && n)
		snprintf(host, sizeof(host), "%.*s", (int)n, address + six);
	if (good && !six && !strcmp(host, "localhost"))
		strcpy(host, "127.0.0.1");
	*ret = (struct listen_address){ .size = 0 };
	if (!good || !(six ? ipv6_fill : ipv4_fill)(ret, host, (uint16_t)number)) {
		err_usage(e, "'%.60s' is not an address to listen on", address);
		return err_hint(e,
				"PORT, ADDRESS:PORT or [ADDRESS]:PORT, with the number of an address of this machine");
	}
	snprintf(ret->text, sizeof(ret->text), six ? "[%s]:%u" : "%s:%u", host, number);
	return 0;
}

/* Sockets that systemd passed to this process, and not to one that started it. */
static uint32_t passed_count(void)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
	uint32_t for_pid = 0, n = 0;

	if (!pid || !fds || num_parse_u32(pid, &for_pid) || for_pid != (uint32_t)getpid() || num_parse_u32(fds, &n))
		return 0;
	return n;
}

static int passed_take(struct listen_address *at, uint32_t n, struct err *e)
{
	int listens = 0, type = 0, flags = fcntl(PASSED_FD, F_GETFL);
	socklen_t size = sizeof(listens);

	if (n != 1)
		return err_set(e, -EINVAL, "systemd passed %u sockets, and one is needed", n);
	if (flags < 0 || getsockopt(PASSED_FD, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) ||
	    getsockopt(PASSED_FD, SOL_SOCKET, SO_TYPE, &type, &size))
		return err_sys(e, -errno, "cannot use the socket that systemd passed");
	if (!listens || type != SOCK_STREAM)
		return err_set(e, -EINVAL, "the socket that systemd passed does not listen for connections");
	if (fcntl(PASSED_FD, F_SETFD, FD_CLOEXEC) || fcntl(PASSED_FD, F_SETFL, flags | O_NONBLOCK))
		return err_sys(e, -errno, "cannot use the socket that systemd passed");
	strcpy(at->text, "a socket of systemd");
	return PASSED_FD;
}

int listen_open(struct listen_address *at, struct err *e)
{
	const uint32_t passed = passed_count();
	const int on = 1;
	struct sockaddr_storage where = { 0 };
	CLEAN_FD fd = -1;

	if (passed)
		return passed_take(at, passed, e);
	memcpy(&where, at->bytes, at->size);
	fd = socket(where.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, (const struct sockaddr *)&where, (socklen_t)at->size) || listen(fd, SOMAXCONN)) {
		err_sys(e, -errno, "cannot listen on %s", at->text);
		if (e->code == -EADDRINUSE)
			err_hint(e, "choose another port, or end the process that has it (ss -ltnp)");
		if (e->code == -EADDRNOTAVAIL)
			err_hint(e, "the address must be one of this machine (ip addr)");
		return e->code;
	}
	return TAKE_FD(fd);
}
