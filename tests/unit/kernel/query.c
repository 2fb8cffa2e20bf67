/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "kernel/abi.h"
#include "kernel/query.h"

static void put(struct str *s, uint32_t type, uint32_t count, uint32_t has, uint64_t revision, const uint32_t *v,
		size_t n)
{
	const struct prog_query_head head = {
		.attach_type = type, .attach_flags = 2, .count = count, .has = has, .revision = revision
	};

	str_add(s, &head, sizeof(head));
	if (n)
		str_add(s, v, n * sizeof(*v));
}

#define PROGS (1u << QUERY_PROGS)
#define FLAGS (1u << QUERY_PROG_FLAGS)
#define LINKS (1u << QUERY_LINKS)

static void test_read(void **state)
{
	static const uint32_t v[] = { 11, 12, 13, 1, 2, 3 }, w[] = { 21, 31 };
	const unsigned char *p;
	struct prog_query q;
	STR s = { 0 };
	size_t n;

	(void)state;
	put(&s, 5, 3, PROGS | FLAGS, 7, v, 6);
	put(&s, 6, 0, 0, 0, NULL, 0);
	put(&s, 9, 1, PROGS | LINKS, UINT64_MAX, w, 2);
	p = (unsigned char *)s.p;
	n = s.n;
	assert_int_equal(prog_query_next(&p, &n, &q), 1);
	assert_int_equal(q.head.attach_type, 5);
	assert_int_equal(q.head.attach_flags, 2);
	assert_int_equal(q.head.revision, 7);
	assert_int_equal(prog_query_at(&q, QUERY_PROGS, 2), 13);
	assert_int_equal(prog_query_at(&q, QUERY_PROG_FLAGS, 0), 1);
	assert_int_equal(prog_query_at(&q, QUERY_PROG_FLAGS, 3), 0);
	assert_null(q.array[QUERY_LINKS]);
	assert_int_equal(prog_query_at(&q, QUERY_LINKS, 0), 0);
	assert_int_equal(prog_query_next(&p, &n, &q), 1);
	assert_int_equal(q.head.count, 0);
	assert_int_equal(prog_query_next(&p, &n, &q), 1);
	assert_int_equal(prog_query_at(&q, QUERY_PROGS, 0), 21);
	assert_int_equal(prog_query_at(&q, QUERY_LINKS, 0), 31);
	assert_true(q.head.revision == UINT64_MAX);
	assert_int_equal(prog_query_next(&p, &n, &q), 0);
	assert_int_equal(n, 0);
}

/* For any file: never a read beyond it, and the position stays before the error. */
static void test_hostile(void **state)
{
	static const struct {
		uint32_t count, has;
		size_t n;
	} bad[] = {
		{ 1, PROGS, 0 },
		{ 3, PROGS, 2 },
		{ UINT32_MAX, PROGS, 4 },
		{ 0x40000000, PROGS, 4 },
		{ 0x40000001, PROGS | FLAGS, 4 },
		{ 2, PROGS | FLAGS, 3 },
		{ 1, 1u << QUERY_ARRAYS | PROGS, 8 },
		{ 1, FLAGS, 1 },
		{ 1, 0, 0 },
		{ 0, 1u << 31, 0 },
	};
	static const uint32_t v[8];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		STR s = { 0 };
		struct prog_query q = { .head.count = 99 };
		const unsigned char *p;
		size_t n;

		put(&s, 1, bad[i].count, bad[i].has, 0, v, bad[i].n);
		p = (unsigned char *)s.p;
		n = s.n;
		assert_int_equal(prog_query_next(&p, &n, &q), -EBADMSG);
		assert_int_equal(n, s.n);
		assert_ptr_equal(p, s.p);
		assert_int_equal(q.head.count, 99);
	}
}

static void test_cut(void **state)
{
	static const uint32_t v[] = { 1, 2, 3, 4 };
	STR s = { 0 };

	(void)state;
	put(&s, 1, 2, PROGS | FLAGS, 0, v, 4);
	for (size_t cut = 1; cut < s.n; cut++) {
		const unsigned char *p = (unsigned char *)s.p;
		struct prog_query q;
		size_t n = cut;

		assert_int_equal(prog_query_next(&p, &n, &q), -EBADMSG);
	}
}

static void test_ask_refused(void **state)
{
	struct prog_query_room r = { 0 };
	STR s = { 0 };

	(void)state;
	/* An invalid descriptor, or no privilege to ask. */
	assert_true(prog_query_ask(&r, UINT32_MAX, 0, 0, FLAGS, true, &s) < 0);
	assert_int_equal(s.n, 0);
	prog_query_release(&r);
	assert_null(r.v);
}

static void test_layout(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct prog_query_head), 24);
	assert_int_equal(offsetof(struct abi_prog_query, prog_ids), 16);
	assert_int_equal(offsetof(struct abi_prog_query, prog_attach_flags), 32);
	assert_int_equal(offsetof(struct abi_prog_query, revision), 56);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),	    cmocka_unit_test(test_hostile), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_ask_refused), cmocka_unit_test(test_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
