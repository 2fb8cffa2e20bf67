/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <linux/bpf.h>

#include "source/live/live.h"

static const uint64_t skb = 1ull << BPF_CGROUP_INET_INGRESS | 1ull << BPF_CGROUP_INET_EGRESS;
static const uint64_t device = 1ull << BPF_CGROUP_DEVICE;

/* All programs of a list, one of which is gone: younger ones are left to be looked at. */
static void all_infos(void **state)
{
	struct live_cgroup c = { .last = 0 };

	live_cgroup_listed(&c, 3, 30);
	live_cgroup_saw(&c, 10, BPF_PROG_TYPE_CGROUP_SKB);
	live_cgroup_saw(&c, 10, BPF_PROG_TYPE_CGROUP_SKB); /* read again */
	live_cgroup_saw(&c, 20, 0);
	assert_int_equal(c.last, 0);
	live_cgroup_saw(&c, 31, BPF_PROG_TYPE_CGROUP_DEVICE);
	assert_int_equal(c.last, 0);
	live_cgroup_saw(&c, 30, BPF_PROG_TYPE_XDP);
	assert_int_equal(c.last, 30);
	assert_true((c.possible & (skb | device)) == skb);
	live_cgroup_listed(&c, 1, 40);
	live_cgroup_saw(&c, 40, BPF_PROG_TYPE_CGROUP_DEVICE);
	assert_int_equal(c.last, 40);
	assert_true((c.possible & (skb | device)) == (skb | device));
}

/* Infos in another order, of a type that has no place, or of an older list say nothing. */
static void some_infos(void **state)
{
	struct live_cgroup c = { .last = 5 };

	live_cgroup_listed(&c, 2, 20);
	live_cgroup_saw(&c, 20, BPF_PROG_TYPE_CGROUP_SKB);
	live_cgroup_saw(&c, 10, BPF_PROG_TYPE_CGROUP_SKB);
	live_cgroup_listed(&c, 2, 20);
	live_cgroup_saw(&c, 10, 64);
	live_cgroup_saw(&c, 20, BPF_PROG_TYPE_CGROUP_SKB);
	live_cgroup_listed(&c, 2, 20);
	live_cgroup_saw(&c, 10, BPF_PROG_TYPE_CGROUP_SKB);
	live_cgroup_listed(&c, 2, 20);
	live_cgroup_saw(&c, 20, BPF_PROG_TYPE_CGROUP_SKB);
	live_cgroup_listed(&c, 0, 0);
	assert_int_equal(c.last, 5);
	assert_true(!c.possible);
	/* Programs that were looked at already. */
	live_cgroup_listed(&c, 1, 4);
	live_cgroup_saw(&c, 4, BPF_PROG_TYPE_CGROUP_SKB);
	assert_int_equal(c.last, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(all_infos), cmocka_unit_test(some_infos) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
