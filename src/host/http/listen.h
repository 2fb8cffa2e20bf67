/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Where a server listens: PORT, HOST:PORT or [HOST]:PORT with HOST a numeric address or "localhost"; without HOST, the
 * loopback address 127.0.0.1.
 */
#define LISTEN_TEXT 80
struct listen_address {
	char text[LISTEN_TEXT];	 /* as a URL has it: "127.0.0.1:9433", "[::1]:9433" */
	unsigned char bytes[28]; /* a struct sockaddr_in or sockaddr_in6 */
	unsigned size;
};
int listen_parse(const char *address, struct listen_address *ret, struct err *e);
/*
 * A socket that listens there, or else the one that systemd passed (LISTEN_FDS, sd_listen_fds(3)); then the text of
 * @at becomes "a socket of systemd". A descriptor, close-on-exec and non-blocking, or -errno.
 */
int listen_open(struct listen_address *at, struct err *e);
