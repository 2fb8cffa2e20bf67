/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab.h"

#include "cli/owner.h"
#include "own/holders.h"

/* Program 1 is pinned, 2 is held by a process; 3 has neither. */
static const struct holder_raw held = { .kind = OBJECT_PROG, .id = 2, .pid = 20, .comm = "loader" };

static void expect(const char *pins, int unseen, enum avail third)
{
	const struct holder_raw holders[] = { held, { .kind = HOLDER_UNSEEN, .id = (uint32_t)unseen, .pid = 7 } };
	const struct fake_answer answers[] = {
		{ "sys/pins", 0, pins, strlen(pins) },
		{ "sys/holders", 0, holders, unseen ? sizeof(holders) : sizeof(held) },
		{ 0 },
	};
	struct lab l;

	lab_start(&l, (struct globals){ .from = "x" }, answers);
	for (uint32_t id = 1; id <= 3; id++) {
		struct object_owners o;

		object_owners_read(&l.env, l.env.arena, OBJECT_PROG, id, NEED_OWNER | NEED_HOLDERS | NEED_PINS, &o);
		assert_int_equal(o.has_owner, id < 3 ? AVAIL_YES : third);
		assert_int_equal(o.has_holders, id == 2 || !unseen ? AVAIL_YES : AVAIL_UNSEEN);
		assert_int_equal(o.has_pins, id == 1 || !strchr(pins, '?') ? AVAIL_YES : AVAIL_UNKNOWN);
	}
	lab_end(&l);
}

/* A process or a pin that could not be read may be the owner. */
static void test_missing(void **state)
{
	(void)state;
	expect("prog 1 /a\n", 0, AVAIL_NO);
	expect("prog 1 /a\n", EACCES, AVAIL_UNSEEN);
	expect("prog 1 /a\n? 13 /secret\n", 0, AVAIL_UNKNOWN);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
