/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * rtnetlink, as far as BPF needs it: dumps, single requests, and a parser that checks every length. Not libmnl: `make
 * static` needs a static archive, which the distribution does not have, and libmnl would replace no more than this
 * file.
 */

/* One message of an answer, or one attribute of a message; borrowed from the bytes that were parsed. */
struct nl_msg {
	uint16_t type, flags;
	uint32_t seq;
	const unsigned char *p;
	size_t n;
}; /* p, n: after the header */
struct nl_attr {
	const unsigned char *p;
	size_t n;
}; /* p NULL: absent */
/*
 * The next message or attribute at *p, with *n bytes left; advances both. 1: there is one; 0: the end; -EBADMSG: its
 * length is wrong.
 */
int nl_next(const unsigned char **p, size_t *n, struct nl_msg *ret);
int nl_attr_next(const unsigned char **p, size_t *n, uint16_t *type, struct nl_attr *ret);
/*
 * Attributes by type: ret[0..max); others are skipped; the last of several of one type wins. Attributes after a wrong
 * length are absent.
 */
void nl_attrs(const unsigned char *p, size_t n, struct nl_attr *ret, uint16_t max);
/*
 * The attributes after the @head_size bytes at the start of a message, which are copied to @head. False: the message is
 * shorter.
 */
bool nl_msg_attrs(const struct nl_msg *m, void *head, size_t head_size, struct nl_attr *ret, uint16_t max);
uint32_t nl_u32(const struct nl_attr *a); /* 0: absent, or too short */
/* Copy a string, up to its NUL, truncated to @size. "" if it is absent. Returns buf. */
char *nl_text(const struct nl_attr *a, char *buf, size_t size);
/* For NLMSG_ERROR or NLMSG_DONE: 0 or -errno, and the kernel's message in @text, or "". */
int nl_error(const struct nl_msg *m, char *text, size_t size);
/* Are these only messages, and is the last one complete? */
bool nl_whole(const unsigned char *p, size_t n);
/* Did the dumped objects change during the dump? Then some may be listed twice, or not at all. */
bool nl_interrupted(const unsigned char *p, size_t n);

/* A request being built. */
struct nl_req {
	_Alignas(8) unsigned char buf[512];
	size_t n;
	bool full;
};
void nl_req_init(struct nl_req *r, uint16_t type, uint16_t flags, const void *head, size_t n);
void nl_req_put(struct nl_req *r, uint16_t type, const void *p, size_t n);
size_t nl_req_nest(struct nl_req *r, uint16_t type); /* pass it to nl_req_end() */
void nl_req_end(struct nl_req *r, size_t nest);

/*
 * A socket in the network namespace it was opened in. Initialize it with NL_NONE; nl_close() may be called at any time.
 */
struct nl {
	int fd; /* -1: none */
	uint32_t seq;
	unsigned char *buf;
};
#define NL_NONE \
	{ \
		.fd = -1 \
	}
int nl_open(struct nl *s);
void nl_close(struct nl *s);
/*
 * Append all messages of a dump, each at a multiple of 4 bytes. An interrupted dump is repeated for up to NL_PATIENCE
 * seconds; if the last one was interrupted too, it is returned, and nl_interrupted() is true for it. 0 or -errno, with
 * @text as for nl_error().
 */
#define NL_PATIENCE 2
#define NL_TEXT 160
int nl_dump(struct nl *s, struct nl_req *r, struct str *ret, char text[NL_TEXT]);
/* Send a request that is answered by an acknowledgement. */
int nl_ask(struct nl *s, struct nl_req *r, char text[NL_TEXT]);
