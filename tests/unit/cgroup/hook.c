/* SPDX-License-Identifier: BSD-2-Clause */
#include "../cli/lab.h"

#include "cgroup/cgroup.h"
#include "cgroup/hook.h"
#include "cli/place.h"
#include "cli/records.h"
#include "kernel/hooks.h"
#include "kernel/query.h"

static void test_find(void **state)
{
	static const struct {
		const char *word;
		bool alias;
		int want;
	} all[] = {
		{ "cgroup_inet_ingress", false, 0 },
		{ "ingress", true, 0 },
		{ "ingress", false, -1 },
		{ "e", true, 1 },
		{ "sock", true, 2 },
		{ "sock_o", true, 3 },
		{ "dev", true, 6 },
		{ "bind6", true, 9 },
		{ "post", true, 12 },
		{ "cgroup_inet", true, -1 },
		{ "lsm_cgroup", true, 43 },
		{ "", true, -1 },
		{ "xdp", true, -1 },
		{ "sock_release", true, 34 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		const struct hook *h = cgroup_hook_find(all[i].word, all[i].alias);

		assert_int_equal(h ? h->type : -1, all[i].want);
	}
}

static const struct {
	struct prog_query_head h;
	uint32_t v[3];
} progs = {
	{ .attach_type = 6, .attach_flags = 2, .count = 3, .has = 1u << QUERY_PROGS },
	{ 4, 5, 6 },
};

/* The list: paths with a blank by number; a cgroup that is gone, and one that is refused, do not end the list. */
static void test_list(void **state)
{
	static const char dirs[] = "1 /\n2 /a b\n3 /gone\n4 /no\n5 /c\n", mounts[] = "1 /m\n";
	const struct fake_answer answers[] = {
		{ "sys/cgroups", 0, dirs, sizeof(dirs) - 1 },
		{ "sys/cgroup_mounts", 0, mounts, sizeof(mounts) - 1 },
		{ "cgroup/1/progs", 0, "", 0 },
		{ "cgroup/2/progs", 0, &progs, sizeof(progs.h) + 12 },
		{ "cgroup/3/progs", -ENOENT, NULL, 0 },
		{ "cgroup/4/progs", -EIO, NULL, 0 },
		{ "cgroup/5/progs", 0, &progs, sizeof(progs.h) + 12 },
		{ "link/ids", 0, "", 0 },
		{ 0 },
	};
	static const struct schema s = { .name = "x", .rec_size = sizeof(struct attachment) };
	struct records recs = { .s = &s };
	const struct attachment *a;
	struct lab l;

	(void)state;
	lab_start(&l, (struct globals){ .from = "x" }, answers);
	assert_int_equal(place_cgroup.list(&l.env, &recs, &l.e), 0);
	assert_int_equal(recs.n, 6);
	assert_int_equal(l.env.report->unread, 1);
	a = (const struct attachment *)recs.rec;
	assert_string_equal(a[0].where, "cgroup:2");
	assert_string_equal(a[4].where, "/m/c");
	assert_string_equal(a[4].what, "cgroup_device");
	assert_string_equal(a[4].detail, "multi");
	assert_int_equal(a[4].prog_id, 5);
	assert_int_equal(a[4].order, 2);
	assert_int_equal(a[4].cgroup_id, 5);
	lab_end(&l);
}

/* Without a cgroup mount no program is attached; an archive without the answers reports that once. */
static void test_no_list(void **state)
{
	static const char dirs[] = "1 /\n2 /a\n";
	const struct fake_answer none[] = { { "sys/cgroups", 0, "", 0 }, { 0 } };
	const struct fake_answer old[] = { { "sys/cgroups", 0, dirs, sizeof(dirs) - 1 }, { 0 } };
	static const struct schema s = { .name = "x", .rec_size = sizeof(struct attachment) };
	struct records recs = { .s = &s };
	struct lab l;

	(void)state;
	lab_start(&l, (struct globals){ .from = "x" }, none);
	assert_int_equal(place_cgroup.list(&l.env, &recs, &l.e), 0);
	lab_end(&l);
	lab_start(&l, (struct globals){ .from = "x" }, old);
	assert_int_equal(place_cgroup.list(&l.env, &recs, &l.e), -ENODATA);
	assert_string_equal(l.e.msg, "this archive does not have the programs of cgroups");
	assert_int_equal(l.env.report->unread, 0);
	assert_int_equal(recs.n, 0);
	l.e = (struct err){ 0 };
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_no_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
