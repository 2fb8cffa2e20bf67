/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <string.h>
#include <sys/prctl.h>

#include "events/tasks.h"
#include "kernel/perf/sideband.h"

#define NOBODY 4194304u /* above the kernel's highest pid */

static void named(struct tasks *t, uint32_t pid, uint32_t tid, const char *name)
{
	struct sideband_record r = { .kind = SIDEBAND_COMM, .comm = { pid, tid, name } };

	tasks_note(t, &r);
}

static void forked(struct tasks *t, uint32_t parent, uint32_t pid, uint32_t tid)
{
	struct sideband_record r = { .kind = SIDEBAND_FORK, .task = { pid, tid, parent, parent } };

	tasks_note(t, &r);
}

static void test_records(void **state)
{
	struct tasks t;

	(void)state;
	tasks_init(&t);
	assert_null(tasks_comm(&t, NOBODY + 1));
	named(&t, NOBODY + 1, NOBODY + 1, "shell");
	assert_string_equal(tasks_comm(&t, NOBODY + 1), "shell");
	named(&t, NOBODY + 1, NOBODY + 7, "a thread");
	assert_string_equal(tasks_comm(&t, NOBODY + 1), "shell");
	/* A child has its parent's name until it gets one. */
	forked(&t, NOBODY + 1, NOBODY + 2, NOBODY + 2);
	assert_string_equal(tasks_comm(&t, NOBODY + 2), "shell");
	named(&t, NOBODY + 2, NOBODY + 2, "a_long_name_cut_by_us");
	assert_string_equal(tasks_comm(&t, NOBODY + 2), "a_long_name_cut");
	assert_string_equal(tasks_comm(&t, NOBODY + 1), "shell");
	/* A new thread changes nothing. */
	forked(&t, NOBODY + 1, NOBODY + 2, NOBODY + 3);
	assert_string_equal(tasks_comm(&t, NOBODY + 2), "a_long_name_cut");
	/* A process with a number that was used before, of a parent that is not known. */
	forked(&t, NOBODY + 9, NOBODY + 2, NOBODY + 2);
	assert_null(tasks_comm(&t, NOBODY + 2));
	tasks_release(&t);
}

/* Two numbers in one slot: each is answered, or unknown, and not with the name of the other. */
static void test_slots(void **state)
{
	const uint32_t one = NOBODY + 5, other = one + TASKS_SLOTS, child = one + 2 * TASKS_SLOTS;
	struct tasks t;

	(void)state;
	tasks_init(&t);
	named(&t, one, one, "one");
	named(&t, other, other, "the other");
	assert_string_equal(tasks_comm(&t, other), "the other");
	assert_null(tasks_comm(&t, one));
	named(&t, one, one, "one");
	forked(&t, one, child, child);
	assert_null(tasks_comm(&t, child));
	tasks_release(&t);
}

static void test_proc(void **state)
{
	const uint32_t self = (uint32_t)getpid();
	char own[TASKS_COMM];
	struct tasks t;

	(void)state;
	if (access("/proc/self/comm", R_OK))
		skip_because("/proc is not mounted");
	tasks_init(&t);
	assert_null(tasks_comm(&t, 0));
	assert_null(tasks_comm(&t, UINT32_MAX));
	assert_int_equal(prctl(PR_GET_NAME, own), 0);
	assert_string_equal(tasks_comm(&t, self), own);
	tasks_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_proc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
