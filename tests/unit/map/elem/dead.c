/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <string.h>

#include "cli/env.h"
#include "map/elem/dead.h"

static void test_names(void **state)
{
	static const struct {
		const char *name;
		enum format want;
	} rows[] = {
		{ "pid", FORMAT_PID },		 { "tgid", FORMAT_TGID },	{ "cgroup_id", FORMAT_CGROUP },
		{ "netns", FORMAT_NETNS },	 { "ifindex", FORMAT_IFINDEX }, { "ppid", FORMAT_NONE },
		{ "netns_cookie", FORMAT_NONE }, { "pids", FORMAT_NONE },	{ "", FORMAT_NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(dead_format(rows[i].name, strlen(rows[i].name)), rows[i].want);
}

/* Any member that names what is gone counts; 0 names nothing, and a value that is not there neither. */
static void test_members(void **state)
{
	ARENA a = arena_new();
	struct env env = { .keep = a };
	struct dead d = {
		.env = &env,
		.key_size = 12,
		.n = 3,
		.member = { { FORMAT_NETNS, false, 0, 8 },
			    { FORMAT_IFINDEX, false, 8, 4 },
			    { FORMAT_IFINDEX, true, 4, 4 } },
	};
	static const struct {
		uint64_t netns;
		uint32_t key, value;
		int err;
		bool want, big;
	} rows[] = {
		{ 7, 1, 1, 0, false, false },	   { 0, 0, 0, 0, false, false }, { 8, 1, 1, 0, true, false },
		{ 7, 2, 1, 0, true, false },	   { 7, 1, 2, 0, true, false },	 { 7, 1, 2, -ENOENT, false, false },
		{ 7, 2, 1, -ENOENT, true, false }, { 7, 1, 1, 0, false, true },	 { 7, 1, 2, 0, true, true },
	};

	(void)state;
	hash_init(&d.netns, a);
	hash_init(&d.devices, a);
	*hash_put(&d.netns, 7) = &d;
	*hash_put(&d.devices, 1) = &d;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned char elem[20] = { 0 };

		d.big = rows[i].big;
		store_uint(elem, 8, rows[i].netns, d.big);
		store_uint(elem + 8, 4, rows[i].key, d.big);
		store_uint(elem + 16, 4, rows[i].value, d.big);
		assert_int_equal(dead_is(&d, elem, rows[i].err), rows[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_names), cmocka_unit_test(test_members) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
