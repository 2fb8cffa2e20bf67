/* SPDX-License-Identifier: BSD-2-Clause */
#include "../fake.h"
#include "source/lives.h"

static struct lives parsed(const char *text, struct arena *a, int *err)
{
	struct lives l = { 0 };

	*err = lives_parse(&l, &(struct blob){ (const unsigned char *)text, strlen(text) }, a);
	return l;
}

static void test_round_trip(void **state)
{
	const struct life all[] = {
		{ .id = 1, .how = LIFE_BEFORE },
		{ .id = 2,
		  .loaded = 5,
		  .gone = true,
		  .gone_at = 9,
		  .has_loader = true,
		  .pid = 7,
		  .uid = 8,
		  .comm = "a b\\\n",
		  .how = LIFE_COPIED },
		{ .id = 3,
		  .loaded = 6,
		  .gone = true,
		  .has_loader = true,
		  .comm = "",
		  .how = LIFE_ASKED,
		  .missing = "parts,types" },
	};
	ARENA a = arena_new();
	STR text = { 0 };
	struct lives got;
	int err;

	(void)state;
	lives_put_head(&text, 4, 10);
	for (unsigned i = 0; i < ARRAY_SIZE(all); i++)
		lives_put(&text, &all[i]);
	/* The loader of the last one has no number in the recorder's process namespace. */
	assert_non_null(strstr(text.p, "\n3 6 ? ? 0 asked "));
	got = parsed(text.p, a, &err);
	assert_int_equal(err, 0);
	assert_true(got.from == 4 && got.to == 10 && got.n == ARRAY_SIZE(all));
	for (unsigned i = 0; i < ARRAY_SIZE(all); i++) {
		const struct life *l = lives_find(&got, all[i].id);

		assert_non_null(l);
		assert_true(l->loaded == all[i].loaded && l->gone == all[i].gone && l->gone_at == all[i].gone_at &&
			    l->how == all[i].how);
		assert_true(l->has_loader == all[i].has_loader && l->pid == all[i].pid && l->uid == all[i].uid);
		assert_true(!l->missing == !all[i].missing);
		if (l->has_loader)
			assert_string_equal(l->comm, all[i].comm);
	}
	assert_string_equal(lives_find(&got, 3)->missing, "parts,types");
	assert_null(lives_find(&got, 4));
}

static void test_damaged(void **state)
{
	static const char *const bad[] = {
		"",
		"recorded",
		"recorded 1",
		"recorded 1 x\n",
		"1 ? - ? ? before - ?\n",
		"recorded ? 1\n",
		"recorded 1 2\n1\n",
		"recorded 1 2\n1 ? - ? ? before - ?",
		"recorded 1 2\n1 ? - ? ? before -\n",
		"recorded 1 2\n1 ? - ? ? never - ?\n",
		"recorded 1 2\n? ? - ? ? before - ?\n",
		"recorded 1 2\n4294967296 ? - ? ? before - ?\n",
		"recorded 1 2\n1 -5 - ? ? before - ?\n",
		"recorded 1 2\n1 ? - 4294967296 0 before - ?\n",
		"recorded 1 2\n2 ? - ? ? before - ?\n1 ? - ? ? before - ?\n",
		"recorded 1 2\n1 ? - ? ? before - ?\n1 ? - ? ? before - ?\n",
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
		ARENA a = arena_new();
		int err;

		parsed(bad[i], a, &err);
		if (err != -EBADMSG)
			fail_msg("taken: %s", bad[i]);
	}
}

/* What follows a NUL would be lost. */
static void test_nul(void **state)
{
	static const char text[] = "recorded 1 2\n1 ? - ? ? before - ?\n\0002 ? - ? ? before - ?\n";
	struct lives l;
	ARENA a = arena_new();

	(void)state;
	assert_int_equal(lives_parse(&l, &(struct blob){ (const unsigned char *)text, sizeof(text) - 1 }, a), -EBADMSG);
}

static void test_moments(void **state)
{
	const struct life before = { .id = 1 }, lived = { .loaded = 5, .gone = true, .gone_at = 9 },
			  unknown = { .loaded = 5, .gone = true };

	(void)state;
	assert_true(life_was_at(&before, 0) && life_was_at(&before, 100));
	assert_true(!life_was_at(&lived, 4) && life_was_at(&lived, 5) && life_was_at(&lived, 8) &&
		    !life_was_at(&lived, 9));
	assert_true(!life_was_at(&unknown, 4) && life_was_at(&unknown, 100));
}

static void test_at(void **state)
{
	static const uint32_t ids[] = { 1, 2, 3 };
	static const char lives[] = "recorded 1000000000 4000000000\n2 2000000000 3000000000 ? ? copied - ?\n";
	static const struct fake_answer answers[] = {
		{ "prog/ids", 0, ids, sizeof(ids) },
		{ "map/ids", 0, ids, sizeof(ids) },
		{ "sys/lives", 0, lives, sizeof(lives) - 1 },
		{ "sys/clock", 0, "1000000000000000000\n", 20 },
		{ 0 },
	};
	static const struct {
		const char *when;
		size_t n;
	} good[] = {
		{ "0", 2 },
		{ "0.99", 2 },
		{ "1.5", 3 },
		{ "2", 2 },
		{ "3", 2 },
		{ "2001-09-09T01:46:42.5Z", 3 },
		{ "2001-09-09T01:46:43Z", 2 },
		{ "2001-09-09T01:46:42.5+0000", 3 },
		{ "2001-09-09T01:46Z", 2 },
		{ "2001-09-09", 2 },
		{ "1000000002", 3 },
		{ "1500ms", 3 },
		{ "1s", 3 },
		{ "-2s", 3 },
		{ "2s ago", 3 },
		{ "01:46:42 UTC", 3 },
		{ "now", 2 },
	};
	static const char *const bad[] = { "-1",
					   "3.5",
					   "x",
					   "",
					   "2001-09-09T01:47Z",
					   "2001-09-10",
					   "yesterday 01:46Z",
					   "-4s",
					   "4s",
					   "2001-09-09T01:46:42.5ZZ",
					   "2001-09-09T01:46:40Z",
					   "2001-09-09T01:46:42.5e0Z",
					   "1990-01-01T00:00:00Z",
					   "2586-03-30T01:21:16.21Z", /* 2^64 ns later than one in it */
					   "nan",
					   "1e30",
					   "2001-09-09T01:46:42.5555555555555555555555Z" };
	struct source *inner, *at;

	(void)state;
	assert_int_equal(source_fake(&inner, answers), 0);
	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err e = { 0 };

		if (source_at(&at, inner, bad[i], &e) != -EINVAL || !e.code)
			fail_msg("taken: %s", bad[i]);
	}
	source_close(&inner);
	for (unsigned i = 0; i < ARRAY_SIZE(good); i++) {
		ARENA a = arena_new();
		struct err e = { 0 };
		struct blob b;

		assert_int_equal(source_fake(&inner, answers), 0);
		assert_int_equal(source_at(&at, inner, good[i].when, &e), 0);
		assert_int_equal(at->ops->get(at, &(const struct asked){ question_of(Q_IDS, OBJECT_PROG) }, a, &b), 0);
		if (b.n != good[i].n * sizeof(uint32_t))
			fail_msg("%s: %zu programs", good[i].when, b.n / sizeof(uint32_t));
		assert_int_equal(at->ops->get(at, &(const struct asked){ question_of(Q_IDS, OBJECT_MAP) }, a, &b), 0);
		assert_int_equal(b.n, sizeof(ids));
		source_close(&at);
	}
}

/* The recording of a killed recorder has a beginning, but no end. */
static void test_at_open(void **state)
{
	static const char lives[] = "recorded 1000000000 0\n2 2000000000 - ? ? copied - ?\n";
	static const struct fake_answer answers[] = {
		{ "sys/lives", 0, lives, sizeof(lives) - 1 },
		{ "sys/clock", 0, "1000000000000000000\n", 20 },
		{ 0 },
	};
	static const char *const before[] = { "1970-01-02T00:00:00Z", "1999-09-09T01:46:42Z", "2001-09-09T01:46:40Z" };
	struct source *inner, *at;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(source_fake(&inner, answers), 0);
	for (unsigned i = 0; i < ARRAY_SIZE(before); i++) {
		err_clear(&e);
		assert_int_equal(source_at(&at, inner, before[i], &e), -EINVAL);
		assert_non_null(strstr(e.msg, "is before the recording"));
	}
	err_clear(&e);
	assert_int_equal(source_at(&at, inner, "9999-01-01T00:00:00Z", &e), 0);
	assert_true(source_at_ns(at) > UINT64_MAX / 2);
	source_close(&at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_damaged), cmocka_unit_test(test_moments),
		cmocka_unit_test(test_at),	   cmocka_unit_test(test_at_open), cmocka_unit_test(test_nul),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
