/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../test.h"
#include "../source/file/recorder.h"

#include "own/own.h"
#include "recording/catalog.h"
#include "source/file/recorder.h"

/* A machine with program 1, which has all answers, most of them empty. */
static int one_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	static const uint32_t ids[] = { 1 };
	static const struct abi_prog_info info = { .type = 1, .id = 1 };

	(void)s, (void)a;
	*ret = (struct blob){ (const void *)"", 0 };
	if (q->q == question_of(Q_IDS, OBJECT_PROG))
		*ret = (struct blob){ (const void *)ids, sizeof(ids) };
	else if (q->q == question_of(Q_INFO, OBJECT_PROG))
		*ret = (struct blob){ (const void *)&info, sizeof(info) };
	return 0;
}
static void one_close(struct source *s)
{
	(void)s;
}

static struct source *recorder_of_one(const struct dir *d)
{
	static const struct source_ops ops = { .name = "one", .get = one_get, .close = one_close };
	static struct source one;
	struct source *ret = NULL;
	struct err e = { 0 };

	one = (struct source){ .ops = &ops };
	assert_int_equal(source_record(&ret, &one, d->file, NULL, &e), 0);
	return ret;
}

static const struct life *life_of(const struct catalog *cat, uint32_t id)
{
	const struct catalog_prog *p = hash_get(&cat->by_id, id);

	assert_non_null(p);
	return &p->life;
}

/*
 * The list of programs at the beginning is made a moment after the beginning: a program in it was loaded before, unless
 * its announcement or its copy is of a later time.
 */
static void test_beginning(void **state)
{
	static const struct {
		uint64_t time; /* of the announcement; the recording begins at 1000 */
		enum life_how how;
	} rows[] = { { 1, LIFE_BEFORE }, { 999, LIFE_BEFORE }, { 1000, LIFE_ASKED }, { 1001, LIFE_ASKED } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (int copied = 0; copied < 2; copied++) {
			struct own own = { 0 };
			struct catalog cat;
			struct source *file;
			struct dir d;

			dir_make(&d);
			file = recorder_of_one(&d);
			catalog_init(&cat, file, &own);
			cat.from = 1000;
			assert_int_equal(catalog_begin(&cat), 0);
			assert_int_equal(life_of(&cat, 1)->how, LIFE_BEFORE);
			if (copied)
				catalog_add_copy(&cat, &(struct captured){ .id = 1, .time = rows[i].time });
			else
				catalog_note_load(&cat, 1, rows[i].time, 7, (const uint8_t[8]){ 0xa5 });
			assert_int_equal(life_of(&cat, 1)->how, rows[i].how);
			assert_int_equal(life_of(&cat, 1)->loaded, rows[i].time);
			catalog_release(&cat);
			source_close(&file);
			dir_drop(&d);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_beginning) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
