/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../test.h"
#include "../../tools/fake_source.h"
#include "../keys.h"

#include <errno.h>
#include <string.h>

#include "source/machine.h"

/* Every question has its own name, by which it is found. */
static void test_names(void **state)
{
	for (unsigned i = 0; i < QUESTIONS; i++) {
		const struct question_row *row = &questions[i];
		struct asked q = { (enum question)i, 42, 7, 99,
				   row->pattern && strchr(row->pattern, '$') ? "/a/b" : NULL },
			     back;
		STR key = { 0 };

		assert_non_null(row->pattern);
		assert_true(row->what && *row->what && row->help && *row->help);
		assert_true(i == Q_META ||
			    (row->saved == SAVED_RECORDED ? !row->text && !row->live : !row->text != !row->live));
		assert_int_equal(question_key(&q, &key), 0);
		assert_true(question_parse(key.p, &back));
		assert_int_equal(back.q, i);
		assert_int_equal(back.id, strchr(row->pattern, '#') ? 42 : 0);
		assert_int_equal(back.index, strpbrk(row->pattern, "@*") ? 7 : 0);
		assert_int_equal(back.sub, strchr(row->pattern, '~') ? 99 : 0);
		if (q.text)
			assert_string_equal(back.text, q.text);
	}
}

static void test_key_too_long(void **state)
{
	char path[QUESTION_KEY_MAX + 1];
	STR key = { 0 };

	memset(path, 'x', sizeof(path));
	path[QUESTION_KEY_MAX - strlen("pin/")] = '\0';
	assert_int_equal(question_key(&(const struct asked){ Q_PIN, .text = path }, &key), 0);
	assert_int_equal(key.n, QUESTION_KEY_MAX);
	path[QUESTION_KEY_MAX - strlen("pin/")] = 'x';
	path[QUESTION_KEY_MAX] = '\0';
	assert_int_equal(question_key(&(const struct asked){ Q_PIN, .text = path }, &key), -ENAMETOOLONG);
	assert_int_equal(key.n, QUESTION_KEY_MAX);
}

/* Refusals are kept once for each question and reason, with the first one; on a running machine, an object
 * that is gone is not a refusal. */
static void test_refusals(void **state)
{
	static const struct fake_answer answers[] = {
		{ "prog/1/map_ids", -EPERM, NULL, 0 },
		{ "prog/2/map_ids", -EPERM, NULL, 0 },
		{ "prog/3/map_ids", -EINVAL, NULL, 0 },
		{ "prog/4/map_ids", -ENOENT, NULL, 0 },
		{ "sys/pins", 0, "cut", 3 },
		{ "sys/cpus", 0, "4\n", 2 },
		{ "func/7/0x10//gone", -ENOENT, NULL, 0 },
		{ "sys/cgroups", -ENOENT, NULL, 0 },
		{ 0 },
	};
	struct source *src;
	struct machine *m;
	ARENA a = arena_new();
	const struct refusal *r;
	struct blob b = { (const void *)"untouched", 9 };
	char *text;

	assert_int_equal(source_fake(&src, answers), 0);
	m = machine_new(src);
	assert_int_equal(ask(m, a, &b, Q_PROG_MAP_IDS, 1), -EPERM);
	assert_int_equal(ask(m, a, &b, Q_PROG_MAP_IDS, 2), -EPERM);
	assert_int_equal(ask(m, a, &b, Q_PROG_MAP_IDS, 3), -EINVAL);
	assert_int_equal(ask(m, a, &b, Q_PROG_MAP_IDS, 4), -ENOENT);
	assert_int_equal(ask_silently(m, a, &b, Q_PROG_MAP_IDS, 1), -EPERM);
	assert_int_equal(b.n, 9);
	assert_int_equal(ask_lines(m, a, &text, Q_PINS), -EBADMSG);
	assert_int_equal(ask_lines(m, a, &text, Q_CPUS), 0);
	assert_string_equal(text, "4\n");
	assert_int_equal(ask(m, a, &b, Q_FUNC, 7, 0x10, .text = "/gone"), -ENOENT);
	assert_int_equal(ask_lines(m, a, &text, Q_CGROUPS), -ENOENT);
	r = m->refused;
	assert_true(r && r->n == 2 && r->why == -EPERM && r->first.id == 1);
	assert_string_equal(question_what(&r->first, a), "maps of program 1");
	r = r->next;
	assert_true(r && r->n == 1 && r->why == -EINVAL && r->first.id == 3);
	r = r->next;
	assert_true(r && r->why == -EBADMSG && r->first.q == Q_PINS);
	r = r->next;
	assert_true(r && r->why == -ENOENT && r->first.q == Q_CGROUPS && !r->next);
	machine_forget(m);
	assert_null(m->refused);
	machine_free(&m);
	assert_null(m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_key_too_long),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
