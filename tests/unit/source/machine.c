/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../keys.h"
#include "../test.h"
#include "../../tools/fake_source.h"

#include <errno.h>

#include "source/machine.h"
#include "source/source.h"

/* Each refused question counts once, even if it is asked again. */
static void refusals_counted(void **state)
{
	const struct fake_answer answers[] = { { 0 } };
	struct source *s = NULL;
	ARENA a = arena_new();
	struct machine *m;
	struct blob b;

	(void)state;
	assert_int_equal(source_fake(&s, answers), 0);
	m = machine_new(s);
	for (unsigned i = 0; i < 3; i++)
		for (uint32_t id = 1; id < 3; id++)
			assert_int_equal(ask(m, a, &b, Q_PROG_MAP_IDS, id), -ENODATA);
	assert_int_equal(machine_refusals(m), 2);
	for (unsigned i = 0; i < 3; i++)
		for (uint32_t id = 1; id < 3; id++)
			note_refused(m, -EPERM, Q_PROG_MAP_IDS, id);
	assert_int_equal(machine_refusals(m), 4);
	note_refused(m, -EBADMSG, Q_PROG_MAP_IDS, 1);
	assert_int_equal(machine_refusals(m), 5);
	assert_int_equal(m->refused->first.id, 1);
	machine_free(&m);
}

/* Somebody else's process that may not be read is a gap; another error, or a process that is ours, is a refusal. */
static void unseen_noted(void **state)
{
	const struct fake_answer answers[] = { { 0 } };
	struct source *s = NULL;
	struct machine *m;

	(void)state;
	assert_int_equal(source_fake(&s, answers), 0);
	m = machine_new(s);
	note_refused(m, -EACCES, Q_TASK_CGROUP, 7);
	assert_true(m->refused->unseen);
	note_refused(m, -EIO, Q_TASK_CGROUP, 7);
	assert_false(m->refused->next->unseen);
	note_unseen(m, -EPERM, Q_HOLDERS);
	assert_true(m->refused->next->next->unseen);
	note_unseen(m, -EIO, Q_TASK_FDS);
	assert_false(m->refused->next->next->next->unseen);
	note_refused(m, -EACCES, Q_FUNC, 0, 4, .text = "/bin/sh");
	assert_false(m->refused->next->next->next->next->unseen);
	assert_int_equal(machine_refusals(m), 5);
	machine_free(&m);
}

/* What follows a NUL, or a line without an end, would be lost. */
static void torn_lines(void **state)
{
	static const char nul[] = "prog 1 /a\n\0prog 2 /b\n", whole[] = "1 lo\n2 eth0\n";
	const struct fake_answer answers[] = {
		{ "sys/pins", 0, nul, sizeof(nul) - 1 },
		{ "sys/cgroups", 0, whole, sizeof(whole) - 2 },
		{ "sys/ifaces", 0, whole, sizeof(whole) - 1 },
		{ "sys/pmus", 0, "", 0 },
		{ 0 },
	};
	struct source *s = NULL;
	ARENA a = arena_new();
	struct machine *m;
	char *text;

	(void)state;
	assert_int_equal(source_fake(&s, answers), 0);
	m = machine_new(s);
	assert_int_equal(ask_lines(m, a, &text, Q_PINS), -EBADMSG);
	assert_int_equal(ask_lines(m, a, &text, Q_CGROUPS), -EBADMSG);
	assert_int_equal(machine_refusals(m), 2);
	assert_int_equal(ask_lines(m, a, &text, Q_IFACES), 0);
	assert_string_equal(text, whole);
	assert_int_equal(ask_lines(m, a, &text, Q_PMUS), 0);
	assert_string_equal(text, "");
	machine_free(&m);
}

/* The same source, asked again; refusals, and what was read, stay with the machine before. */
static void read_again(void **state)
{
	const struct fake_answer answers[] = { { "sys/ifaces", 0, "2 lo\n", 5 }, { 0 } };
	struct source *s = NULL;
	ARENA a = arena_new();
	struct machine *m, *again;
	char *text, *same;

	(void)state;
	assert_int_equal(source_fake(&s, answers), 0);
	m = machine_new(s);
	machine_once(m);
	machine_once(m);
	assert_int_equal(ask_lines(m, a, &text, Q_IFACES), 0);
	note_refused(m, -EPERM, Q_PROG_MAP_IDS, 1);
	again = machine_again(m);
	assert_ptr_equal(again->src, s);
	assert_int_equal(machine_refusals(m), 1);
	assert_int_equal(machine_refusals(again), 0);
	machine_free(&m);
	assert_int_equal(ask_lines(again, a, &same, Q_IFACES), 0);
	assert_string_equal(same, text);
	m = again;
	again = machine_again(m);
	machine_free(&m);
	assert_ptr_equal(again->src, s);
	machine_free(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refusals_counted),
		cmocka_unit_test(unseen_noted),
		cmocka_unit_test(torn_lines),
		cmocka_unit_test(read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
