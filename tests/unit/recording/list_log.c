/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorded.h"

#include "cli/env.h"
#include "recording/list_log.h"
#include "source/lives.h"

struct logged {
	struct recorded r;
	struct globals globals;
	struct report report;
	struct env env;
	struct list_log log;
};

static void logged_begin(struct logged *l)
{
	*l = (struct logged){ 0 };
	recorded_begin(&l->r);
	l->env = (struct env){ .opts = &l->globals, .report = &l->report };
	list_log_init(&l->log, &l->env, &l->r.cat);
}

static void logged_end(struct logged *l)
{
	list_log_release(&l->log);
	report_release(&l->report);
	recorded_end(&l->r);
}

static struct listed listed;
static size_t answers; /* of maps 1 to 9, in the file */

static void read_back(struct recorded *r, struct source *archive)
{
	struct blob b;

	assert_int_equal(listed_read(archive, r->arena, &listed), 0);
	assert_int_equal(listed.why, 0);
	answers = 0;
	for (uint32_t id = 1; id < 10; id++)
		answers += !source_get(archive, r->arena, &b, "map/%u/info", id);
}

static const struct presence *find(enum object_kind kind, uint32_t id)
{
	return hash_get(&listed.of[kind], id);
}

/* Objects come and go; a refused list is no list, and nothing is written if nothing has changed. */
static void test_looks(void **state)
{
	struct logged l;

	(void)state;
	logged_begin(&l);
	THERE(&l.r.maps, 1, 3);
	THERE(&l.r.btfs, 2);
	list_log_write(&l.log, true);
	list_log_write(&l.log, true);
	assert_int_equal(l.log.pieces, 1);
	THERE(&l.r.maps, 3, 5);
	list_log_write(&l.log, true);
	l.r.refuses_lists = true;
	list_log_write(&l.log, true);
	assert_int_equal(l.log.pieces, 2);
	l.r.refuses_lists = false;
	THERE(&l.r.maps, 5, 7);
	list_log_write(&l.log, true);
	assert_int_equal(l.log.pieces, 3);
	recorded_finish(&l.r, read_back);
	assert_int_equal(answers, 4);
	assert_true(find(OBJECT_MAP, 1)->from == 0 && find(OBJECT_MAP, 1)->gone_at);
	assert_true(find(OBJECT_MAP, 3)->from == 0 && find(OBJECT_MAP, 3)->gone_at > find(OBJECT_MAP, 1)->gone_at);
	assert_true(find(OBJECT_MAP, 5)->from == find(OBJECT_MAP, 1)->gone_at && !find(OBJECT_MAP, 5)->gone_at);
	assert_true(find(OBJECT_MAP, 7)->from == find(OBJECT_MAP, 3)->gone_at);
	assert_true(find(OBJECT_BTF, 2) && !find(OBJECT_BTF, 2)->from && !find(OBJECT_BTF, 2)->gone_at);
	logged_end(&l);
}

/* A map that is in the list but gone when it is asked about was never seen. */
static int gone_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	return questions[q->q].about == ABOUT_MAP && q->id == 3 ? -ENOENT : recorded_get(s, q, a, ret);
}

static void test_gone(void **state)
{
	static const struct source_ops ops = { .name = "gone", .get = gone_get, .close = recorded_close };
	struct logged l;

	(void)state;
	logged_begin(&l);
	THERE(&l.r.maps, 1, 3, 5);
	l.r.source.ops = &ops;
	list_log_write(&l.log, true);
	recorded_finish(&l.r, read_back);
	assert_null(find(OBJECT_MAP, 3));
	assert_true(find(OBJECT_MAP, 1) && find(OBJECT_MAP, 5));
	logged_end(&l);
}

/* The next file has everything again, and what it needs of each; zeroed, nothing is written. */
static void test_files(void **state)
{
	struct list_log none = { 0 };
	struct recorded second;
	struct logged l;

	(void)state;
	list_log_write(&none, true);
	logged_begin(&l);
	recorded_begin(&second);
	THERE(&l.r.maps, 1, 3);
	THERE(&second.maps, 3, 5);
	list_log_write(&l.log, true);
	recorded_finish(&l.r, read_back);
	l.log.cat = &second.cat;
	list_log_next(&l.log);
	list_log_write(&l.log, false);
	recorded_finish(&second, read_back);
	assert_int_equal(answers, 2);
	assert_null(find(OBJECT_MAP, 1));
	assert_true(find(OBJECT_MAP, 3)->from == 0 && find(OBJECT_MAP, 5)->from == 0);
	recorded_end(&second);
	logged_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_looks), cmocka_unit_test(test_gone),
					    cmocka_unit_test(test_files) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
