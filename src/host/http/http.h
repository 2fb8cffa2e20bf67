/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * A server for one page in several formats, by libmicrohttpd, which is loaded at run time if its header was present at
 * build time. GET and HEAD are answered, each connection has one request, and whatever is sent: memory, connections and
 * time are limited. No thread is started: the caller waits for http_fd() and calls http_run().
 */
extern const bool http_built;

#define HTTP_FORMATS 4
struct http_page {
	const char *path;		/* begins with a slash */
	const char *index;		/* what the path / has: HTML */
	const char *type[HTTP_FORMATS]; /* Content-Type; the first one for who asks for none */
	unsigned n;
};
struct http;
/* Takes @listening, a socket that listens, also on failure. @page must live as long. 0; -ENOTSUP without libmicrohttpd.
 */
int http_open(struct http **ret, int listening, const struct http_page *page, struct err *e);
void http_close(struct http **h); /* requests that wait have no answer */
int http_fd(const struct http *h);
/* Milliseconds until http_run() must be called; -1: not before http_fd() is readable. */
int http_timeout(const struct http *h);
void http_run(struct http *h);
/* Bit i: a request waits for format i of the page. */
unsigned http_waiting(const struct http *h);
/*
 * Answer those whose format has a file with what it contains; others wait on. Takes the descriptors; -1: no file.
 */
void http_answer(struct http *h, const int file[HTTP_FORMATS]);
void http_refuse(struct http *h, const char *why); /* answer all with status 503 and this line */
/* In a child process, which is to hold none of the connections. */
void http_forget(struct http *h);
/* The format for an Accept header (NULL: there is none): that with the highest quality, of several the first. */
unsigned http_choose(const struct http_page *page, const char *accept);
