/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <string.h>

#include "own/ids.h"
#include "own/iter.h"

/* What the iterator writes; not @on: the real one. */
static struct {
	bool on;
	int err;
	uint32_t ids[5];
	size_t n; /* bytes */
} output;

int __real_iter_run(int link_fd, iter_after *after, void *ctx, struct str *ret);
int __wrap_iter_run(int link_fd, iter_after *after, void *ctx, struct str *ret);
int __wrap_iter_run(int link_fd, iter_after *after, void *ctx, struct str *ret)
{
	if (!output.on)
		return __real_iter_run(link_fd, after, ctx, ret);
	if (!output.err)
		str_add(ret, output.ids, output.n);
	return output.err;
}

/* Without our own objects of the kind, but with other objects and processes that have the same number. */
static void test_run(void **state)
{
	static const uint32_t others[] = { 3, 9 };
	struct own_object ours[] = { { OBJECT_PROG, 7, 0 }, { OBJECT_MAP, 9, 0 } };
	struct own own = { .all = ours, .n = 2 };
	STR ids = { 0 };

	(void)state;
	output.on = true;
	memcpy(output.ids, (uint32_t[]){ 3, 7, 9 }, 12);
	output.n = 12 + 2; /* the last one is cut */
	assert_int_equal(ids_run(-1, &own, OBJECT_PROG, &ids), 0);
	assert_int_equal(ids.n, sizeof(others));
	assert_memory_equal(ids.p, others, sizeof(others));
	assert_int_equal(ids_run(-1, &own, IDS_PROCESS, &ids), 0); /* appended */
	assert_int_equal(ids.n, sizeof(others) + 12);
	output.err = -EPERM;
	assert_int_equal(ids_run(-1, &own, OBJECT_LINK, &ids), -EPERM);
	assert_int_equal(ids.n, sizeof(others) + 12);
	output.err = 0;
	output.on = false;
}

static void test_open(void **state)
{
	struct own own = { .never = true };

	(void)state;
	assert_int_equal(ids_open(&own, OBJECT_BTF), -ENOENT); /* the kernel has no such iterator */
	assert_int_equal(ids_open(&own, OBJECT_MAP), -ECANCELED);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_run), cmocka_unit_test(test_open) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
