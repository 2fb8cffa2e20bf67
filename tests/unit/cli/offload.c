/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab.h"

#include "cli/offload.h"

/* An index means a device in one network namespace only: the machine's list of names is that of its own. */
static void test_name(void **state)
{
	static const struct fake_answer answers[] = {
		{ "sys/netns", 0, "4 4026531840\n", 13 },
		{ "sys/ifaces", 0, "2 eth0\n", 7 },
		{ 0 },
	};
	static const struct {
		uint32_t ifindex;
		uint64_t dev, ino;
		const char *name;
	} cases[] = {
		{ 2, 4, 4026531840, "eth0" },
		{ 2, 5, 4026531840, NULL },
		{ 2, 4, 4026531841, NULL },
		{ 3, 4, 4026531840, NULL },
	};
	struct object_offload o;
	struct lab l;

	(void)state;
	lab_start(&l, (struct globals){ .from = "x" }, answers);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		object_offload_read(&l.env, l.env.arena, cases[i].ifindex, cases[i].dev, cases[i].ino, &o);
		assert_int_equal(o.ndev, 1);
		if (cases[i].name)
			assert_string_equal(o.dev->ifname, cases[i].name);
		else
			assert_null(o.dev->ifname);
	}
	object_offload_read(&l.env, l.env.arena, 0, 4, 4026531840, &o);
	assert_int_equal(o.ndev, 0);
	lab_end(&l);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
