/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/netlink.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "kernel/clock.h"

#define RECEIVE (128u << 10) /* the kernel sends chunks of 32 KiB, or a larger one for a single large message */
#define DUMP_MAX (1u << 30)
#define PAUSE_MAX 10000000 /* nanoseconds */
#define ALIGNED(n) (((n) + 3) & ~(size_t)3)

static void advance(const unsigned char **p, size_t *n, size_t by)
{
	by = by < *n ? by : *n; /* the last one need not be padded */
	*p += by;
	*n -= by;
}

int nl_next(const unsigned char **p, size_t *n, struct nl_msg *ret)
{
	struct nlmsghdr h;

	if (!*n)
		return 0;
	if (*n < sizeof(h))
		return -EBADMSG;
	memcpy(&h, *p, sizeof(h));
	if (h.nlmsg_len < sizeof(h) || h.nlmsg_len > *n)
		return -EBADMSG;
	*ret = (struct nl_msg){ h.nlmsg_type, h.nlmsg_flags, h.nlmsg_seq, *p + sizeof(h), h.nlmsg_len - sizeof(h) };
	advance(p, n, ALIGNED((size_t)h.nlmsg_len));
	return 1;
}

int nl_attr_next(const unsigned char **p, size_t *n, uint16_t *type, struct nl_attr *ret)
{
	struct nlattr a;

	if (!*n)
		return 0;
	if (*n < sizeof(a))
		return -EBADMSG;
	memcpy(&a, *p, sizeof(a));
	if (a.nla_len < sizeof(a) || a.nla_len > *n)
		return -EBADMSG;
	*type = a.nla_type & NLA_TYPE_MASK;
	*ret = (struct nl_attr){ *p + sizeof(a), a.nla_len - sizeof(a) };
	advance(p, n, ALIGNED((size_t)a.nla_len));
	return 1;
}

void nl_attrs(const unsigned char *p, size_t n, struct nl_attr *ret, uint16_t max)
{
	struct nl_attr a;
	uint16_t type;

	memset(ret, 0, sizeof(*ret) * max);
	while (nl_attr_next(&p, &n, &type, &a) > 0)
		if (type < max)
			ret[type] = a;
}

bool nl_msg_attrs(const struct nl_msg *m, void *head, size_t head_size, struct nl_attr *ret, uint16_t max)
{
	size_t skip = ALIGNED(head_size);

	if (m->n < head_size)
		return false;
	memcpy(head, m->p, head_size);
	skip = skip < m->n ? skip : m->n;
	nl_attrs(m->p + skip, m->n - skip, ret, max);
	return true;
}

uint32_t nl_u32(const struct nl_attr *a)
{
	uint32_t v = 0;

	if (a->p && a->n >= sizeof(v))
		memcpy(&v, a->p, sizeof(v));
	return v;
}

char *nl_text(const struct nl_attr *a, char *buf, size_t size)
{
	size_t n = a->p ? strnlen((const char *)a->p, a->n) : 0;

	n = n < size ? n : size - 1;
	if (n)
		memcpy(buf, a->p, n);
	buf[n] = '\0';
	return buf;
}

int nl_error(const struct nl_msg *m, char *text, size_t size)
{
	struct nl_attr attrs[NLMSGERR_ATTR_MSG + 1];
	struct nlmsgerr err;
	int32_t code = 0;
	size_t skip = sizeof(code);

	*text = '\0';
	if (m->n < sizeof(code))
		return m->type == NLMSG_DONE ? 0 : -EBADMSG;
	memcpy(&code, m->p, sizeof(code));
	if (m->type == NLMSG_ERROR) {
		if (m->n < sizeof(err))
			return code < 0 ? code : -EBADMSG;
		memcpy(&err, m->p, sizeof(err));
		/* The request follows, without its payload if the kernel left that out. */
		skip = m->flags & NLM_F_CAPPED || err.msg.nlmsg_len < sizeof(err.msg) ?
			       sizeof(err) :
			       sizeof(err.error) + ALIGNED((size_t)err.msg.nlmsg_len);
	}
	if (m->flags & NLM_F_ACK_TLVS && skip <= m->n) {
		nl_attrs(m->p + skip, m->n - skip, attrs, NLMSGERR_ATTR_MSG + 1);
		nl_text(&attrs[NLMSGERR_ATTR_MSG], text, size);
	}
	return code < 0 && code >= -4095 ? code : code ? -EBADMSG : 0;
}

bool nl_whole(const unsigned char *p, size_t n)
{
	struct nl_msg m;
	int more;

	while ((more = nl_next(&p, &n, &m)) > 0)
		;
	return !more;
}

bool nl_interrupted(const unsigned char *p, size_t n)
{
	struct nl_msg m;

	while (nl_next(&p, &n, &m) > 0)
		if (m.flags & NLM_F_DUMP_INTR)
			return true;
	return false;
}

void nl_req_init(struct nl_req *r, uint16_t type, uint16_t flags, const void *head, size_t n)
{
	struct nlmsghdr h = { .nlmsg_type = type, .nlmsg_flags = (uint16_t)(flags | NLM_F_REQUEST) };

	memset(r, 0, sizeof(*r));
	memcpy(r->buf, &h, sizeof(h));
	memcpy(r->buf + sizeof(h), head, n);
	r->n = sizeof(h) + ALIGNED(n);
}

void nl_req_put(struct nl_req *r, uint16_t type, const void *p, size_t n)
{
	struct nlattr a = { .nla_type = type, .nla_len = (uint16_t)(sizeof(a) + n) };

	r->full = r->full || ALIGNED(n) + sizeof(a) > sizeof(r->buf) - r->n;
	if (r->full)
		return;
	memcpy(r->buf + r->n, &a, sizeof(a));
	memcpy(r->buf + r->n + sizeof(a), p, n);
	r->n += sizeof(a) + ALIGNED(n);
}

size_t nl_req_nest(struct nl_req *r, uint16_t type)
{
	size_t at = r->n;

	nl_req_put(r, type | NLA_F_NESTED, "", 0);
	return at;
}

void nl_req_end(struct nl_req *r, size_t nest)
{
	uint16_t len = (uint16_t)(r->n - nest);

	if (!r->full)
		memcpy(r->buf + nest + offsetof(struct nlattr, nla_len), &len, sizeof(len));
}

int nl_open(struct nl *s)
{
	static const int wanted[] = { NETLINK_EXT_ACK, NETLINK_CAP_ACK, NETLINK_GET_STRICT_CHK };
	int one = 1, fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd < 0)
		return -errno;
	/* All are newer than netlink itself, and none is required. */
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		(void)setsockopt(fd, SOL_NETLINK, wanted[i], &one, sizeof(one));
	*s = (struct nl){ .fd = fd, .buf = malloc(RECEIVE) };
	if (s->buf)
		return 0;
	nl_close(s);
	return -ENOMEM;
}

void nl_close(struct nl *s)
{
	clean_fd(&s->fd);
	free(s->buf);
	*s = (struct nl)NL_NONE;
}

static int send_req(struct nl *s, struct nl_req *r)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct nlmsghdr h;

	if (r->full)
		return -EMSGSIZE;
	memcpy(&h, r->buf, sizeof(h));
	h.nlmsg_len = (uint32_t)r->n;
	h.nlmsg_seq = ++s->seq;
	memcpy(r->buf, &h, sizeof(h));
	while (sendto(s->fd, r->buf, r->n, 0, (struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* Bytes received, or -errno. Messages that are not from the kernel are ignored. */
static ssize_t receive(struct nl *s)
{
	struct sockaddr_nl from;

	for (;;) {
		socklen_t len = sizeof(from);
		ssize_t n = recvfrom(s->fd, s->buf, RECEIVE, MSG_TRUNC, (struct sockaddr *)&from, &len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (len != sizeof(from) || from.nl_pid)
			continue;
		return n > (ssize_t)RECEIVE ? -EMSGSIZE : n;
	}
}

static void message_keep(struct str *ret, const struct nl_msg *m)
{
	static const char fill[4];
	size_t n = m->n + sizeof(struct nlmsghdr);

	str_add(ret, m->p - sizeof(struct nlmsghdr), n);
	str_add(ret, fill, ALIGNED(n) - n);
}

/* 1: the answer is complete; 0: more messages follow; -errno. */
static int messages_take(const struct nl *s, size_t got, struct str *ret, char *text)
{
	const unsigned char *p = s->buf;
	struct nl_msg m;
	int err;

	while ((err = nl_next(&p, &got, &m)) > 0) {
		if (m.seq != s->seq)
			continue; /* answers a request that was given up */
		if (m.type == NLMSG_DONE || m.type == NLMSG_ERROR) {
			err = nl_error(&m, text, NL_TEXT);
			return err ? err : 1;
		}
		if (m.type == NLMSG_OVERRUN)
			return -ENOBUFS;
		if (m.type < NLMSG_MIN_TYPE || !ret)
			continue;
		if (ret->n > DUMP_MAX)
			return -EFBIG;
		message_keep(ret, &m);
	}
	return err;
}

static int exchange(struct nl *s, struct nl_req *r, struct str *ret, char *text)
{
	int err = send_req(s, r);

	*text = '\0';
	while (!err) {
		ssize_t n = receive(s);

		err = n < 0 ? (int)n : messages_take(s, (size_t)n, ret, text);
	}
	return err < 0 ? err : 0;
}

/* Sleep before the next attempt; false: it was attempted for long enough. */
static bool pause_before_next(uint64_t begin, long *pause_ns)
{
	struct timespec pause = { 0, *pause_ns };

	if (clock_ns(CLOCK_MONOTONIC) - begin > NL_PATIENCE * NSEC_PER_SEC)
		return false;
	nanosleep(&pause, NULL);
	*pause_ns = *pause_ns < PAUSE_MAX ? *pause_ns * 2 : PAUSE_MAX;
	return true;
}

int nl_dump(struct nl *s, struct nl_req *r, struct str *ret, char text[NL_TEXT])
{
	size_t before = ret->n;
	const uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	long pause_ns = 1;
	int err;

	do {
		ret->n = before;
		err = exchange(s, r, ret, text);
		if (err != -EINTR && (err || !nl_interrupted((unsigned char *)ret->p + before, ret->n - before)))
			break;
	} while (pause_before_next(begin, &pause_ns));
	return err;
}

int nl_ask(struct nl *s, struct nl_req *r, char text[NL_TEXT])
{
	return exchange(s, r, NULL, text);
}
