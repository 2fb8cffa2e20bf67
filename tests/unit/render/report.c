/* SPDX-License-Identifier: BSD-2-Clause */
#include "../fake.h"

#include <errno.h>

#include "base/base.h"
#include "render/render.h"
#include "render/report.h"
#include "source/machine.h"

static void miss(struct fake_machine *m)
{
	struct err e = { 0 };

	err_set(&e, -EPERM, "map 3: cannot be read");
	report_unread(&m->report, &e);
	assert_int_equal(e.code, 0);
	report_add_unlisted(&m->report, "link", -EPERM);
	note_refused(m->env.machine, -EPERM, Q_PROG_MAP_IDS, 7);
}

/* Each of the three kinds makes an answer partial. */
static void test_partial(void **state)
{
	struct err e = { .code = -EPERM };
	struct fake_machine m;

	(void)state;
	fake_init(&m);
	assert_false(report_is_partial(&m.report));
	report_unread(&m.report, &e);
	assert_true(report_is_partial(&m.report));
	report_excuse(&m.report, m.env.machine);
	assert_false(report_is_partial(&m.report));
	report_add_unlisted(&m.report, "link", -EPERM);
	assert_true(report_is_partial(&m.report));
	report_excuse(&m.report, m.env.machine);
	assert_false(report_is_partial(&m.report));
	note_refused(m.env.machine, -EPERM, Q_PROG_MAP_IDS, 7);
	report_add_refused(&m.report, m.env.machine);
	assert_true(report_is_partial(&m.report));
	fake_free(&m);
}

/* Each list has its reason. */
static void test_unlisted(void **state)
{
	struct fake_machine m;

	(void)state;
	fake_init(&m);
	report_add_unlisted(&m.report, "link", -EPERM);
	report_add_unlisted(&m.report, "map", -EPERM);
	assert_string_equal(m.report.unlisted, "links, maps");
	assert_int_equal(m.report.unlisted_why, -EPERM);
	report_add_unlisted(&m.report, "program", -EINVAL);
	report_add_unlisted(&m.report, "BTF object", -EINVAL);
	assert_string_equal(m.report.unlisted, "links, maps: Operation not permitted; programs, BTF objects");
	assert_int_equal(m.report.unlisted_why, -EINVAL);
	fake_free(&m);
}

/* Excused refusals are not reported, later ones are. */
static void test_excuse(void **state)
{
	struct fake_machine m;

	(void)state;
	fake_init(&m);
	miss(&m);
	report_excuse(&m.report, m.env.machine);
	report_add_refused(&m.report, m.env.machine);
	assert_false(report_is_partial(&m.report));
	assert_string_equal(m.report.unread_why, "");
	miss(&m);
	report_add_refused(&m.report, m.env.machine);
	assert_int_equal(m.report.unread, 1);
	assert_string_equal(m.report.unlisted, "links");
	assert_non_null(strstr(m.report.refused.p, "EPERM"));
	fake_free(&m);
}

/* Several notes are one, as far as there is room; none is repeated. */
static void test_notes(void **state)
{
	struct report r = { 0 }, sub = { .note = "b is missing; c too" };

	(void)state;
	report_note(&r, "%s is missing", "a");
	report_note(&r, "%s is missing", "b");
	report_note(&r, "%s is missing", "a");
	assert_string_equal(r.note, "a is missing; b is missing");
	report_merge(&r, &sub);
	assert_string_equal(r.note, "a is missing; b is missing; b is missing; c too");
	report_merge(&r, &(struct report){ 0 });
	assert_string_equal(r.note, "a is missing; b is missing; b is missing; c too");
	for (int i = 0; i < 1000; i++)
		report_note(&r, "%d is missing", i);
	assert_true(strlen(r.note) < sizeof(r.note));
	assert_string_equal(r.note + strlen(r.note) - 3, "...");
	for (size_t n = sizeof(r.note) - 8; n < sizeof(r.note); n++) {
		memset(r.note, 'x', n);
		r.note[n] = '\0';
		report_note(&r, "more");
		assert_string_equal(r.note + strlen(r.note) - 3, n + strlen("; more") < sizeof(r.note) ? "ore" : "...");
	}
}

/* Columns that do not fit are also named if there is another note, once. */
static void test_left_out(void **state)
{
	struct render rendered = { .left_out = "uid, tag" };
	struct fake_machine m;

	(void)state;
	fake_init(&m);
	report_left_out(&m.report, &rendered);
	assert_string_equal(m.report.note, "--wide also shows uid, tag");
	str_fit(m.report.note, sizeof(m.report.note), "3 are missing");
	report_left_out(&m.report, &rendered);
	report_left_out(&m.report, &rendered);
	assert_string_equal(m.report.note, "3 are missing; --wide also shows uid, tag");
	fake_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_partial), cmocka_unit_test(test_unlisted),
					    cmocka_unit_test(test_excuse), cmocka_unit_test(test_notes),
					    cmocka_unit_test(test_left_out) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
