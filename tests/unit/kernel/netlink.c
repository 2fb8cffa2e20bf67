/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kernel/netlink.h"

/* Messages and attributes end exactly at the end of their memory, so that the sanitizers notice a read past it. */
static unsigned char *exact(const void *p, size_t n)
{
	unsigned char *ret = malloc(n + !n);

	assert_non_null(ret);
	memcpy(ret, p, n);
	return ret;
}

static void header(unsigned char *p, uint32_t len, uint16_t type, uint16_t flags)
{
	struct nlmsghdr h = { .nlmsg_len = len, .nlmsg_type = type, .nlmsg_flags = flags, .nlmsg_seq = 7 };

	memcpy(p, &h, sizeof(h));
}

static void attr(unsigned char *p, uint16_t len, uint16_t type)
{
	struct nlattr a = { .nla_len = len, .nla_type = type };

	memcpy(p, &a, sizeof(a));
}

static void messages(void **state)
{
	unsigned char buf[64] = { 0 };
	CLEAN_PTR unsigned char *p = NULL;
	const unsigned char *at;
	struct nl_msg m;
	size_t n = 20 + 16 + 18;

	(void)state;
	header(buf, 18, 20, 0); /* two bytes, padded to four */
	buf[16] = 'a';
	header(buf + 20, 16, 21, NLM_F_DUMP_INTR);
	header(buf + 36, 18, 22, 0); /* the last one is not padded */
	at = p = exact(buf, n);
	assert_true(nl_interrupted(p, n));
	assert_int_equal(nl_next(&at, &n, &m), 1);
	assert_int_equal(m.type, 20);
	assert_int_equal(m.seq, 7);
	assert_int_equal(m.n, 2);
	assert_int_equal(m.p[0], 'a');
	assert_int_equal(nl_next(&at, &n, &m), 1);
	assert_int_equal(m.type, 21);
	assert_int_equal(m.n, 0);
	assert_int_equal(nl_next(&at, &n, &m), 1);
	assert_int_equal(m.n, 2);
	assert_int_equal(nl_next(&at, &n, &m), 0);
	assert_int_equal(n, 0);
	assert_false(nl_interrupted(p, 20));
}

static void hostile_messages(void **state)
{
	static const struct {
		uint32_t len;
		size_t n;
	} bad[] = {
		{ 0, 16 },  { 15, 16 }, { 17, 16 },	     { UINT32_MAX, 16 }, { UINT32_MAX - 2, 20 },
		{ 16, 15 }, { 16, 1 },	{ 0x80000000u, 64 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		unsigned char buf[64] = { 0 };
		CLEAN_PTR unsigned char *p = NULL;
		const unsigned char *at;
		size_t n = bad[i].n;
		struct nl_msg m;

		header(buf, bad[i].len, 20, NLM_F_DUMP_INTR);
		at = p = exact(buf, n);
		assert_int_equal(nl_next(&at, &n, &m), -EBADMSG);
		assert_false(nl_interrupted(p, bad[i].n));
	}
}

static void attributes(void **state)
{
	unsigned char buf[64] = { 0 };
	CLEAN_PTR unsigned char *p = NULL;
	struct nl_attr a[4];
	uint32_t v = 0x01020304;
	char text[4];

	(void)state;
	attr(buf, 8, 1);
	memcpy(buf + 4, &v, 4);
	attr(buf + 8, 4, 3); /* empty */
	attr(buf + 12, 10, 2 | NLA_F_NESTED);
	memcpy(buf + 16, "abcdef", 6); /* no NUL, longer than the buffer */
	attr(buf + 24, 8, 900);	       /* ignored */
	attr(buf + 32, 200, 1);	       /* wrong length: it and what follows are ignored */
	p = exact(buf, 40);
	nl_attrs(p, 40, a, 4);
	assert_int_equal(nl_u32(&a[1]), v);
	assert_int_equal(nl_u32(&a[3]), 0);
	assert_non_null(a[3].p);
	assert_string_equal(nl_text(&a[2], text, sizeof(text)), "abc");
	assert_string_equal(nl_text(&a[0], text, sizeof(text)), "");
	assert_null(a[0].p);
	assert_int_equal(a[2].n, 6);
	nl_attrs(NULL, 0, a, 4);
	assert_null(a[1].p);
}

static void hostile_attributes(void **state)
{
	static const struct {
		uint16_t len;
		size_t n;
	} bad[] = { { 0, 4 }, { 3, 4 }, { 5, 4 }, { 0xffff, 8 }, { 4, 3 }, { 4, 1 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		unsigned char buf[8] = { 0 };
		CLEAN_PTR unsigned char *p = NULL;
		const unsigned char *at;
		size_t n = bad[i].n;
		struct nl_attr a;
		uint16_t type;

		attr(buf, bad[i].len, 1);
		at = p = exact(buf, n);
		assert_int_equal(nl_attr_next(&at, &n, &type, &a), -EBADMSG);
	}
}

/* A message that is shorter than its required head. */
static void heads(void **state)
{
	unsigned char bytes[6] = { 1, 2, 3, 4, 5, 6 };
	CLEAN_PTR unsigned char *p = exact(bytes, 6);
	struct nl_msg m = { .p = p, .n = 6 };
	struct nl_attr a[2];
	char head[8] = { 0 };

	(void)state;
	assert_false(nl_msg_attrs(&m, head, 8, a, 2));
	assert_true(nl_msg_attrs(&m, head, 6, a, 2)); /* padded, it would end after the message */
	assert_int_equal(head[5], 6);
	assert_null(a[1].p);
	assert_true(nl_msg_attrs(&m, head, 3, a, 2));
}

static size_t error(unsigned char *p, int code, uint32_t echoed)
{
	struct nlmsgerr e = { .error = code };

	e.msg.nlmsg_len = echoed;
	memcpy(p, &e, sizeof(e));
	return sizeof(e);
}

static void errors(void **state)
{
	unsigned char buf[128] = { 0 };
	struct nl_msg m = { .type = NLMSG_ERROR, .flags = NLM_F_CAPPED | NLM_F_ACK_TLVS, .p = buf };
	char text[NL_TEXT];
	int code = -EBUSY;

	(void)state;
	m.n = error(buf, -EBUSY, 100);
	attr(buf + m.n, 9, NLMSGERR_ATTR_MSG);
	memcpy(buf + m.n + 4, "busy", 5);
	m.n += 9;
	assert_int_equal(nl_error(&m, text, sizeof(text)), -EBUSY);
	assert_string_equal(text, "busy");
	/* With the complete request in it, and as the end of a dump. */
	m.flags = NLM_F_ACK_TLVS;
	m.n = error(buf, -EPERM, 24) + 8;
	attr(buf + 28, 5, NLMSGERR_ATTR_MSG);
	memcpy(buf + 32, "x", 2);
	m.n = 33;
	assert_int_equal(nl_error(&m, text, sizeof(text)), -EPERM);
	assert_string_equal(text, "x");
	m.type = NLMSG_DONE;
	memcpy(buf, &code, 4);
	attr(buf + 4, 6, NLMSGERR_ATTR_MSG);
	memcpy(buf + 8, "no", 2);
	m.n = 10;
	assert_int_equal(nl_error(&m, text, sizeof(text)), -EBUSY);
	assert_string_equal(text, "no");
	m.n = 0;
	assert_int_equal(nl_error(&m, text, sizeof(text)), 0);
	m.type = NLMSG_ERROR;
	assert_int_equal(nl_error(&m, text, sizeof(text)), -EBADMSG);
	m.n = error(buf, 0, 0);
	assert_int_equal(nl_error(&m, text, sizeof(text)), 0);
	error(buf, 17, 0);
	assert_int_equal(nl_error(&m, text, sizeof(text)), -EBADMSG);
	error(buf, INT32_MIN, 0);
	assert_int_equal(nl_error(&m, text, sizeof(text)), -EBADMSG);
	error(buf, -EPERM, UINT32_MAX); /* the request is longer than the message */
	assert_int_equal(nl_error(&m, text, sizeof(text)), -EPERM);
	assert_string_equal(text, "");
}

static void requests(void **state)
{
	struct nl_attr outer[3], inner[3];
	unsigned char big[600] = { 0 };
	struct nl_req r;
	size_t nest;
	char text[8];

	(void)state;
	nl_req_init(&r, 20, NLM_F_DUMP, "abcd", 4);
	nest = nl_req_nest(&r, 1);
	nl_req_put(&r, 2, "bpf", 4);
	nl_req_end(&r, nest);
	nl_attrs(r.buf + 20, r.n - 20, outer, 3);
	nl_attrs(outer[1].p, outer[1].n, inner, 3);
	assert_string_equal(nl_text(&inner[2], text, sizeof(text)), "bpf");
	assert_false(r.full);
	nl_req_put(&r, 2, big, sizeof(big));
	assert_true(r.full);
	nl_req_put(&r, 2, "x", 1);
	assert_true(r.full);
	assert_true(r.n < sizeof(r.buf));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages),   cmocka_unit_test(hostile_messages),
		cmocka_unit_test(attributes), cmocka_unit_test(hostile_attributes),
		cmocka_unit_test(heads),      cmocka_unit_test(errors),
		cmocka_unit_test(requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
