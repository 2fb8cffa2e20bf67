/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "source/live/early.h"
#include "source/questions.h"
#include "source/source.h"

#define OBJECTS 20000u
static const enum question asks[] = { Q_INFO + OBJECT_MAP, Q_FDINFO + OBJECT_MAP };
static uint32_t ids[OBJECTS];
static atomic_uint asked[OBJECTS][2], opened, closed;

/* The id is the answer; every seventh has none, and some are slow. */
static int slow_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	uint32_t *p = arena_alloc(a, sizeof(*p)), i = (uint32_t)q->id / 3;

	asked[i][q->q == asks[1]]++;
	if (i % 512 == 1)
		sched_yield();
	*p = (uint32_t)q->id;
	if (i % 7 == 0)
		return -EPERM;
	*ret = (struct blob){ (const unsigned char *)p, q->q == asks[1] ? 0 : sizeof(*p) };
	return 0;
}

static void slow_close(struct source *s)
{
	closed++;
}

static const struct source_ops slow_ops = { .name = "slow", .get = slow_get, .close = slow_close };
static struct source slow = { .ops = &slow_ops };

static struct source *slow_open(void)
{
	opened++;
	return &slow;
}

static struct source *no_open(void)
{
	return NULL;
}

static struct early *start(size_t n, struct source *(*open)(void))
{
	const struct expected x = { .ids = ids, .n = n, .q = asks, .nq = ARRAY_SIZE(asks) };

	for (uint32_t i = 0; i < OBJECTS; i++)
		ids[i] = 3 * i;
	memset(asked, 0, sizeof(asked));
	opened = closed = 0;
	return early_start(&x, &slow, open);
}

/* True: it was asked early, and the answer is right. */
static bool take(struct early *e, uint32_t i, unsigned q)
{
	const struct asked question = { asks[q], .id = ids[i] };
	ARENA a = arena_new();
	struct blob b = { 0 };
	int err = 1;

	if (!early_take(e, &question, a, &b, &err))
		return false;
	assert_int_equal(err, i % 7 == 0 ? -EPERM : 0);
	if (err)
		return true;
	assert_int_equal(b.n, q ? 0 : sizeof(ids[i]));
	assert_memory_equal(b.p, &ids[i], b.n);
	return true;
}

static bool one_cpu(void)
{
	cpu_set_t cpus;

	return sched_getaffinity(0, sizeof(cpus), &cpus) || CPU_COUNT(&cpus) < 2;
}

static void each_is_asked_once(void **state)
{
	struct early *e;

	if (one_cpu())
		skip_because("there is one CPU only");
	e = start(OBJECTS, slow_open);
	assert_non_null(e);
	while (!asked[0][0])
		sched_yield();
	for (uint32_t i = 0; i < OBJECTS; i++) {
		for (unsigned q = 0; q < 2; q++) {
			assert_true(take(e, i, q));
			assert_int_equal(asked[i][q], 1);
		}
		/* The caller does other work from time to time. */
		if (i % 64 == 0)
			sched_yield();
	}
	/* Ids that were passed are not kept. */
	assert_false(take(e, 0, 0));
	early_end(&e);
	assert_null(e);
	assert_true(opened && opened == closed);
	for (uint32_t i = 0; i < OBJECTS; i++)
		assert_true(asked[i][0] == 1 && asked[i][1] == 1);
}

static void others_are_not_known(void **state)
{
	const struct asked other[] = {
		{ Q_INFO + OBJECT_MAP, .id = 1 },
		{ Q_INFO + OBJECT_MAP, .id = 3 * OBJECTS },
		{ Q_INFO + OBJECT_MAP, .id = 1ull << 32 },
		{ Q_INFO + OBJECT_PROG, .id = 3 },
		{ Q_UNAME },
	};
	struct early *e;
	struct blob b;
	int err;

	if (one_cpu())
		skip_because("there is one CPU only");
	e = start(OBJECTS, slow_open);
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		assert_false(early_take(e, &other[i], NULL, &b, &err));
	/* Any order is allowed, and any last id. */
	for (uint32_t i = 0; i < OBJECTS; i += 777)
		take(e, OBJECTS - 1 - i, 0);
	take(e, 0, 0);
	early_end(&e);
	assert_int_equal(opened, closed);
}

static void not_worth_it(void **state)
{
	cpu_set_t all, one;
	struct early *e = start(EARLY_LEAST - 1, slow_open);

	assert_null(e);
	early_end(&e);
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	e = start(OBJECTS, slow_open);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	assert_null(e);
	assert_int_equal(opened, 0);
}

static void no_source(void **state)
{
	struct early *e = start(OBJECTS, no_open);

	for (uint32_t i = 0; e && i < OBJECTS; i++)
		assert_true(take(e, i, 0));
	early_end(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_asked_once),
		cmocka_unit_test(others_are_not_known),
		cmocka_unit_test(not_worth_it),
		cmocka_unit_test(no_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
