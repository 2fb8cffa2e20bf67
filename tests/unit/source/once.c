/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../keys.h"
#include "../test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source/elems.h"
#include "source/once.h"

/* Counts what it is asked. */
static struct counting {
	struct source source;
	unsigned asked;
	size_t size;
	int err;
	bool closed;
} counting;

static int counting_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct counting *c = (struct counting *)s;
	unsigned char *p = arena_alloc(a, c->size);

	c->asked++;
	memset(p, (int)c->asked, c->size);
	if (!c->err)
		*ret = (struct blob){ p, c->size };
	return c->err;
}

static void counting_close(struct source *s)
{
	((struct counting *)s)->closed = true;
}

static struct source *over_counting(size_t size, int err)
{
	static const struct source_ops ops = { .name = "counting", .get = counting_get, .close = counting_close };

	counting = (struct counting){ .source.ops = &ops, .size = size, .err = err };
	return source_once(&counting.source);
}

static const char *const names[] = {
	"prog/ids",
	"map/ids",
	"prog/7/info",
	"map/7/info",
	"link/7/buf/16.24.0",
	"pin//a",
	"pin//b",
	"func/1/0x10//bin/a",
	"func/2/0x10//bin/a",
	"cgroup/4294967303/progs",
	"net/1/filters/2/3",
	"sys/clock",
};

static void once_asks_once(void **state)
{
	for (int err = 0; err >= -EPERM; err -= EPERM) {
		struct source *s = over_counting(100, err);

		for (unsigned i = 0; i < 2 * ARRAY_SIZE(names); i++) {
			ARENA a = arena_new(); /* remembered answers outlive the arena of the question */
			struct blob b = { 0 };

			assert_int_equal(source_get(s, a, &b, "%s", names[i % ARRAY_SIZE(names)]), err);
			assert_int_equal(b.n, err ? 0 : 100);
			if (!err)
				assert_int_equal(b.p[99], i % ARRAY_SIZE(names) + 1);
		}
		assert_int_equal(counting.asked, ARRAY_SIZE(names));
		source_close(&s);
		assert_true(counting.closed);
	}
}

/* The source goes on; what was answered lives until the other is closed. */
static void once_gives_back(void **state)
{
	ARENA a = arena_new();
	struct source *s = source_once(over_counting(100, 0)), *inner, *none = NULL;
	struct blob b, again;

	assert_int_equal(source_get(s, a, &b, "sys/clock"), 0);
	inner = source_once_take(&s);
	assert_ptr_equal(inner, &counting.source);
	source_close(&inner);
	assert_true(counting.closed);
	counting.closed = false;
	assert_int_equal(b.p[99], 1);
	assert_int_equal(source_get(s, a, &again, "sys/clock"), 0);
	assert_int_equal(again.p[99], 1);
	source_close(&s);
	assert_false(counting.closed);
	inner = &counting.source;
	assert_ptr_equal(source_once_take(&inner), &counting.source);
	assert_null(inner);
	assert_null(source_once_take(&none));
}

/* Names that are longer than any question's are refused by the writer; here they are only not remembered. */
static void long_names_pass(void **state)
{
	static char path[QUESTION_KEY_MAX + 1];
	const struct asked q = { Q_PIN, .text = path };
	struct source *s = over_counting(1, 0);
	ARENA a = arena_new();
	struct blob b;

	memset(path, 'a', QUESTION_KEY_MAX);
	for (unsigned i = 1; i < 3; i++) {
		assert_int_equal(s->ops->get(s, &q, a, &b), 0);
		assert_int_equal(counting.asked, i);
	}
	source_close(&s);
}

static void once_is_bounded(void **state)
{
	struct source *s = over_counting(ONCE_ANSWER + 1, 0);
	unsigned kept = ONCE_ALL / ONCE_ANSWER;
	struct blob b;

	for (unsigned i = 1; i < 3; i++) {
		ARENA a = arena_new();

		assert_int_equal(source_get(s, a, &b, "sys/kallsyms"), 0);
		assert_int_equal(counting.asked, i);
	}
	counting.size = ONCE_ANSWER;
	counting.asked = 0;
	for (unsigned i = 0; i < 2 * kept; i++) {
		ARENA a = arena_new();

		assert_int_equal(source_get(s, a, &b, "prog/%u/xlated", i % kept), 0);
		assert_int_equal(b.n, ONCE_ANSWER);
	}
	assert_true(counting.asked == kept + 1 || counting.asked == kept + 2);
	source_close(&s);
}

/* A cursor may be valid for one step only: each walk starts at the kernel again, unless there is one batch. */
static int batch_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	struct elems_head *head = arena_alloc(a, sizeof(*head) + 1);

	((struct counting *)s)->asked++;
	head->next_len = q->id == 1;
	*ret = (struct blob){ (void *)head, sizeof(*head) + head->next_len };
	return 0;
}

static void walks_begin_anew(void **state)
{
	static const struct source_ops ops = { .name = "batches", .get = batch_get, .close = counting_close };
	struct source *s = over_counting(0, 0);
	ARENA a = arena_new();
	struct blob b;

	counting.source.ops = &ops;
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(source_get(s, a, &b, "map/1/elems/start"), 0);
	assert_int_equal(counting.asked, 2);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(source_get(s, a, &b, "map/2/elems/start"), 0);
	assert_int_equal(counting.asked, 3);
	source_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(once_asks_once),   cmocka_unit_test(once_gives_back),
		cmocka_unit_test(long_names_pass),  cmocka_unit_test(once_is_bounded),
		cmocka_unit_test(walks_begin_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
