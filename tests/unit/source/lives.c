/* SPDX-License-Identifier: BSD-2-Clause */
#include "pieces.h"
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

static int read_all(const char *const *piece, size_t n, struct arena *a, struct listed *ret)
{
	struct pieces p = PIECES(Q_LISTED, piece, n);

	return listed_read(&p.source, a, ret);
}

static void assert_was(const struct listed *l, enum object_kind kind, uint32_t id, uint64_t from, uint64_t gone_at)
{
	const struct presence *p = hash_get(&l->of[kind], id);

	assert_non_null(p);
	assert_int_equal(p->id, id);
	assert_int_equal(p->from, from);
	assert_int_equal(p->gone_at, gone_at);
}

/* What is there at the first look was there before; an id that is used again is that of the last object. */
static void test_looks(void **state)
{
	STR first = { 0 };
	STR second = { 0 };
	STR third = { 0 };
	ARENA a = arena_new();
	struct listed l;

	(void)state;
	listed_put_look(&first, (struct list_look){ 0, 100 });
	listed_put(&first, OBJECT_MAP, true, 7);
	listed_put(&first, OBJECT_BTF, true, 4294967295u);
	listed_put_look(&second, (struct list_look){ 150, 200 });
	listed_put(&second, OBJECT_MAP, false, 7);
	listed_put(&second, OBJECT_LINK, true, 7);
	listed_put_look(&third, (struct list_look){ 200, 300 });
	listed_put(&third, OBJECT_MAP, true, 7);
	listed_put(&third, OBJECT_LINK, false, 7);
	const char *const pieces[] = { first.p, second.p, third.p };

	assert_int_equal(read_all(pieces, 2, a, &l), 0);
	assert_was(&l, OBJECT_MAP, 7, 0, 200);
	assert_int_equal(l.to, 200);
	assert_int_equal(read_all(pieces, 3, a, &l), 0);
	assert_was(&l, OBJECT_MAP, 7, 300, 0);
	assert_was(&l, OBJECT_LINK, 7, 200, 300);
	assert_was(&l, OBJECT_BTF, 4294967295u, 0, 0);
	assert_null(hash_get(&l.of[OBJECT_BTF], 7));
	assert_false(presence_was_at(hash_get(&l.of[OBJECT_LINK], 7), 199));
	assert_true(presence_was_at(hash_get(&l.of[OBJECT_LINK], 7), 200));
	assert_false(presence_was_at(hash_get(&l.of[OBJECT_LINK], 7), 300));
	assert_true(presence_was_at(hash_get(&l.of[OBJECT_MAP], 7), UINT64_MAX));
	assert_int_equal(l.why, 0);
	for (uint64_t t = 50; t < 400; t += 50)
		assert_int_equal(listed_known_at(&l, t), t < 100 ? 100 : t == 250 ? 300 : t);
	assert_int_equal(listed_known_at(&l, 151), 200);
}

/* A bad piece ends what is known, and is not passed over. */
static void test_bad_looks(void **state)
{
	static const char *const bad[] = {
		"",
		"at 0 0\n",
		"at x 100\n",
		"+ map 1\n",
		"at 50 10\n",
		"at 200 99\n",
		"at 200 201\n",
		"at 200\n",
		"at 200 \n",
		"at 200 1 1\n",
		"at 200 100",
		"at 200 100\n+ map 1",
		"at 200 100\n* map 3\n",
		"at 200 100\n+- map 3\n",
		"at 200 100\n+ map\n",
		"at 200 100\n+ map \n",
		"at 200 100\n+ map x\n",
		"at 200 100\n+ map 4294967296\n",
		"at 200 100\n+ cgroup 3\n",
		"at 200 100\n+ map 1\n",
		"at 200 100\n- map 3\n",
		"at 200 100\n- map 1\n- map 1\n",
		"at 200 100\n\n",
	};
	const char *pieces[] = { "at 100 0\n+ map 1\n", NULL, "at 300 200\n- map 1\n" };
	ARENA a = arena_new();
	struct listed l;

	(void)state;
	assert_int_equal(read_all(pieces, 0, a, &l), -ENODATA);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		pieces[1] = bad[i];
		if (read_all(pieces, 3, a, &l) || l.why != -EBADMSG || l.to != 100)
			fail_msg("'%s' is accepted", bad[i]);
	}
	pieces[1] = "at 200 100\n";
	assert_int_equal(read_all(pieces, 3, a, &l), 0);
	assert_was(&l, OBJECT_MAP, 1, 0, 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_damaged),   cmocka_unit_test(test_moments),
		cmocka_unit_test(test_at),	   cmocka_unit_test(test_at_open),   cmocka_unit_test(test_nul),
		cmocka_unit_test(test_looks),	   cmocka_unit_test(test_bad_looks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
