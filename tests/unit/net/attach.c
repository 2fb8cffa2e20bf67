/* SPDX-License-Identifier: BSD-2-Clause */
#include "../cli/lab.h"

#include <linux/bpf.h>

#include "cli/place.h"
#include "kernel/abi.h"
#include "kernel/hooks.h"
#include "net/net.h"
#include "net/target.h"

/* A place that runs program 9, by link 4 or without a link. */
static struct hook_prog running = { .prog_id = 9 };

int __wrap_net_target_open(struct env *env, const char *where, const struct hook *h, struct net_target *t,
			   struct err *e);
int __wrap_net_target_open(struct env *env, const char *where, const struct hook *h, struct net_target *t,
			   struct err *e)
{
	(void)e;
	*t = (struct net_target)NET_TARGET_NONE;
	t->env = env;
	t->hook = h;
	t->where = where;
	return 0;
}

uint32_t __wrap_net_target_xdp(const struct net_target *t);
uint32_t __wrap_net_target_xdp(const struct net_target *t)
{
	(void)t;
	return running.prog_id;
}

int __wrap_net_target_progs(const struct net_target *t, struct hook_prog **ret, uint32_t *n, uint64_t *revision);
int __wrap_net_target_progs(const struct net_target *t, struct hook_prog **ret, uint32_t *n, uint64_t *revision)
{
	(void)t;
	*ret = &running;
	*n = 1;
	*revision = 1;
	return 0;
}

static int attach_for(const char *what, bool overwrite, uint32_t replaces, const char *link)
{
	const struct abi_prog_info info = { .type = (uint32_t)hook_find(what, NET_HOOKS)->progs[0], .id = 7 };
	const struct fake_answer answers[] = { { "prog/7/info", 0, &info, sizeof(info) }, { 0 } };
	const struct attach_request q = {
		.where = "eth0",
		.what = what,
		.prog_fd = -1,
		.prog_id = 7,
		.link = link,
		.overwrite = overwrite,
		.anchor_prog = replaces,
		.dry_run = true,
	};
	struct attach_result ret = { 0 };
	struct lab l;
	int err;

	lab_start(&l, (struct globals){ 0 }, answers);
	err = net_attach_place(&l.env, &q, &ret, &l.e);
	assert_int_equal(ret.replaced_prog, err ? 0 : running.prog_id);
	l.e = (struct err){ 0 };
	lab_end(&l);
	return err;
}

static int attach(const char *what, bool overwrite, const char *link)
{
	return attach_for(what, overwrite, 0, link);
}

/* A request may name the program that it replaces. */
static void test_replaced_by_id(void **state)
{
	static const char *const words[] = { "xdp", "flow_dissector", "tcx_ingress" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		assert_int_equal(attach_for(words[i], true, 9, NULL), 0);
		assert_int_equal(attach_for(words[i], true, 8, NULL), -ENOENT);
	}
}

/* One program runs there: a new one replaces it with `overwrite`, but not if either of the two has a link. */
static void test_replaced(void **state)
{
	static const char *const words[] = { "xdp", "flow_dissector" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		assert_int_equal(attach(words[i], false, NULL), -EEXIST);
		assert_int_equal(attach(words[i], true, NULL), 0);
		assert_int_equal(attach(words[i], true, "/sys/fs/bpf/link"), -EBUSY);
	}
	assert_int_equal(attach("tcx_ingress", true, NULL), 0);
	assert_int_equal(attach("tcx_ingress", true, "/sys/fs/bpf/link"), -EBUSY);
	running.link_id = 4;
	assert_int_equal(attach("tcx_ingress", true, NULL), -EBUSY);
	running.link_id = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_replaced), cmocka_unit_test(test_replaced_by_id) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
