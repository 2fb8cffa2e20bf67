/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../test.h"
#include "../../tools/fake_source.h"

#include <errno.h>
#include <string.h>

#include "source/machine.h"
#include "source/xsk.h"

static void test_slots(void **state)
{
	struct xsk_raw two[] = { { .slot = 1, .queue = 7, .inode = 1ull << 40, .ifname = "eth0" }, { .slot = 9 } },
		       back[2], twins[2];
	const struct fake_answer answers[] = {
		{ "map/1/xsk", 0, two, sizeof(two) },
		{ "map/2/xsk", 0, two, sizeof(two) - 1 },
		{ "map/3/xsk", 0, "", 0 },
		{ "map/4/xsk", 0, back, sizeof(back) },
		{ "map/5/xsk", 0, twins, sizeof(twins) },
		{ "map/6/xsk", -EPERM, NULL, 0 },
		{ 0 },
	};
	ARENA a = arena_new();
	struct source *src;
	struct machine *m;
	struct xsks x = { 0 };

	(void)state;
	memset(two[1].ifname, 'x', sizeof(two[1].ifname)); /* in an archive it may have no terminator */
	back[0] = two[1];
	back[1] = twins[0] = twins[1] = two[0];
	assert_int_equal(source_fake(&src, answers), 0);
	m = machine_new(src);
	assert_int_equal(xsks_get(m, a, 1, &x), 0);
	assert_int_equal(x.n, 2);
	assert_int_equal(xsks_at(&x, 0).queue, 7);
	assert_true(xsks_at(&x, 0).inode == 1ull << 40);
	assert_int_equal(strlen(xsks_at(&x, 1).ifname), sizeof(two[1].ifname) - 1);
	assert_int_equal(xsks_get(m, a, 2, &x), -EBADMSG);
	assert_int_equal(xsks_get(m, a, 4, &x), -EBADMSG);
	assert_int_equal(xsks_get(m, a, 5, &x), -EBADMSG);
	assert_int_equal(xsks_get(m, a, 6, &x), -EPERM);
	assert_int_equal(xsks_get(m, a, 7, &x), -ENODATA);
	assert_int_equal(x.n, 2);
	assert_int_equal(xsks_get(m, a, 3, &x), 0);
	assert_int_equal(x.n, 0);
	machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_slots) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
