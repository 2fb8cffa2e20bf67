/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_NETLINK_H
#define KERNEL_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;
/*
 * rtnetlink, as much of it as BPF needs: whole dumps, single requests, and a reader that trusts no length. No libmnl:
 * the distribution has no static archive of it, `make static` needs one, and what it would save is this file.
 */

/* One message of an answer, or one attribute of a message; borrowed from the bytes it was read from. */
struct nl_msg {
	uint16_t type, flags;
	uint32_t seq;
	const unsigned char *p;
	size_t n;
}; /* p, n: behind the header */
struct nl_attr {
	const unsigned char *p;
	size_t n;
}; /* p NULL: not there */
/* The next one at *p, which has *n bytes left; moves both. 1: there is one; 0: the end; -EBADMSG: its length is wrong.
 */
int nl_next(const unsigned char **p, size_t *n, struct nl_msg *ret);
int nl_attr_next(const unsigned char **p, size_t *n, uint16_t *type, struct nl_attr *ret);
/*
 * Attributes by their types: ret[0..max), others are passed over; of several of one type the last counts. What stands
 * behind a wrong length is not there.
 */
void nl_attrs(const unsigned char *p, size_t n, struct nl_attr *ret, uint16_t max);
/* The attributes behind the @head bytes that a message begins with. False: it is shorter. */
bool nl_msg_attrs(const struct nl_msg *m, void *head, size_t head_size, struct nl_attr *ret, uint16_t max);
uint32_t nl_u32(const struct nl_attr *a); /* 0: not there, or shorter */
/* Copies a string, up to its NUL, cut where there is no room. "" if it is not there. Returns buf. */
char *nl_text(const struct nl_attr *a, char *buf, size_t size);
/* NLMSG_ERROR or NLMSG_DONE: 0 or -errno, and in @text what the kernel has to say about it, or "". */
int nl_error(const struct nl_msg *m, char *text, size_t size);
/* Nothing but messages, the last one whole? */
bool nl_whole(const unsigned char *p, size_t n);
/* Did what was dumped change meanwhile? Then something may be there twice, or not at all. */
bool nl_interrupted(const unsigned char *p, size_t n);

/* A message in the making. */
struct nl_req {
	_Alignas(8) unsigned char buf[512];
	size_t n;
	bool full;
};
void nl_req_init(struct nl_req *r, uint16_t type, uint16_t flags, const void *head, size_t n);
void nl_req_put(struct nl_req *r, uint16_t type, const void *p, size_t n);
size_t nl_req_nest(struct nl_req *r, uint16_t type); /* to be given to nl_req_end() */
void nl_req_end(struct nl_req *r, size_t nest);

/* A socket in the network namespace that it was opened in. NL_NONE at first; nl_close() may always be called. */
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
 * All messages of a dump as they came, appended, each at a multiple of 4 bytes. An interrupted one is asked for again,
 * for up to NL_PATIENCE seconds; if the last one is, too, it is given, and nl_interrupted() says so. 0 or -errno, with
 * @text as above.
 */
#define NL_PATIENCE 2
#define NL_TEXT 160
int nl_dump(struct nl *s, struct nl_req *r, struct str *ret, char text[NL_TEXT]);
/* A request that is answered by an acknowledgement. */
int nl_ask(struct nl *s, struct nl_req *r, char text[NL_TEXT]);

#endif
