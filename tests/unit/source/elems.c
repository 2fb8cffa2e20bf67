/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../test.h"
#include "../../tools/fake_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "source/machine.h"
#include "source/elems.h"

#define WALK_MAX 20u

static void batch(struct str *s, uint32_t count, uint32_t key_size, uint32_t value_size, const char *next,
		  const char *elems)
{
	struct elems_head h = { count, key_size, value_size, (uint16_t)strlen(next), 0 };

	str_add(s, &h, sizeof(h));
	str_puts(s, next);
	str_puts(s, elems);
}

static int put_question(const struct str *s, const char *cursor, struct elems *ret)
{
	struct fake_answer fake[] = {
		{ "map/5/elems/start", 0, s->p, s->n },
		{ "map/5/elems/b.1.ff", 0, s->p, s->n },
		{ "map/5/elems/k.refused", -EPERM, NULL, 0 },
		{ 0 },
	};
	struct source *src = NULL;
	struct machine *m;
	ARENA a = arena_new();
	int err;

	memset(ret, 0, sizeof(*ret));
	strcpy(ret->cursor, cursor);
	assert_int_equal(source_fake(&src, fake), 0);
	m = machine_new(src);
	err = elems_get(m, a, 5, 2, 3, ret);
	machine_free(&m);
	return err;
}

static void good(void **state)
{
	struct elems e;
	STR s = { 0 };

	(void)state;
	batch(&s, 2, 2, 3, "b.1.ff", "\xff\xff\xff\xffkkvvv");
	str_add(&s, "\0\0\0\0KKVVV", 9);
	assert_int_equal(put_question(&s, "", &e), 0);
	assert_int_equal(e.head.count, 2);
	assert_int_equal(e.stride, 9);
	assert_string_equal(e.cursor, "b.1.ff");
	assert_int_equal(elems_err(e.elems), -1);
	assert_memory_equal(elems_key(e.elems), "kkvvv", 5);
	assert_memory_equal(elems_key(e.elems + e.stride), "KKVVV", 5);
	assert_int_equal(put_question(&s, "start", &e), 0);
	assert_int_equal(put_question(&s, "k.refused", &e), -EPERM);
	assert_string_equal(e.cursor, "k.refused");
	assert_int_equal(put_question(&s, "k.else", &e), -ENODATA);
	str_reset(&s);
	batch(&s, 0, 2, 3, "", "");
	assert_int_equal(put_question(&s, "b.1.ff", &e), 0);
	assert_int_equal(e.head.count, 0);
	assert_string_equal(e.cursor, "");
}

/* The batch reports more elements than it has. */
static void lies(void **state)
{
	static const struct elems_head heads[] = {
		{ 2, 2, 3, 0, 0 },
		{ 0, 2, 3, 0, 0 },
		{ 1, 2, 4, 0, 0 },
		{ 1, 3, 3, 0, 0 },
		{ 1, 0, 0, 0, 0 },
		{ UINT32_MAX, 2, 3, 0, 0 },
		{ 1, 2, 3, 1, 0 },
		{ 1, 2, 3, UINT16_MAX, 0 },
		{ 0, 2, 3, 9, 0 },
		{ 0x1c71c71d, 2, 3, 0, 0 },
		{ 1, UINT32_MAX, 3, 0, 0 },
		{ 1, 2, UINT32_MAX, 0, 0 },
		{ 1, 2, 3, ELEMS_CURSOR_MAX + 1, 0 },
	};
	struct elems e;

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		STR s = { 0 };

		str_add(&s, &heads[i], sizeof(heads[i]));
		str_puts(&s, "0000kkvvv");
		assert_int_equal(put_question(&s, "", &e), -EBADMSG);
	}
	for (size_t n = 1; n < sizeof(heads[0]); n++) {
		STR s = { 0 };

		str_add(&s, &heads[0], n);
		assert_int_equal(put_question(&s, "", &e), -EBADMSG);
	}
}

static void cursors(void **state)
{
	static const char *const bad[] = { "b/1", "B", "a b", "../x", "\n", "b-1", "\xc3\xa4" };
	struct elems e;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		STR s = { 0 };

		batch(&s, 1, 2, 3, bad[i], "0000kkvvv");
		assert_int_equal(put_question(&s, "", &e), -EBADMSG);
	}
	STR same = { 0 }, none = { 0 };

	batch(&same, 1, 2, 3, "b.1.ff", "0000kkvvv"); /* stands still */
	assert_int_equal(put_question(&same, "b.1.ff", &e), -EBADMSG);
	batch(&none, 0, 2, 3, "b.1.ff", ""); /* moves, but brings nothing */
	assert_int_equal(put_question(&none, "", &e), -EBADMSG);
}

/* Batches until the last one, or until an error. @n batches; the next cursor of the last one is @then. */
static int walk(unsigned n, const char *then, unsigned *ret)
{
	struct fake_answer fake[WALK_MAX + 1] = { 0 };
	char keys[WALK_MAX][32], next[32];
	struct str s[WALK_MAX] = { 0 };
	struct elems e = { .cursor = "" };
	struct source *src = NULL;
	struct machine *m;
	ARENA a = arena_new();
	int err = 0;

	for (unsigned i = 0; i < n; i++) {
		snprintf(keys[i], sizeof(keys[i]), i ? "map/5/elems/k.%u" : "map/5/elems/start", i);
		snprintf(next, sizeof(next), "k.%u", i + 1);
		batch(&s[i], 1, 2, 3, i + 1 < n ? next : then, "0000kkvvv");
		fake[i] = (struct fake_answer){ keys[i], 0, s[i].p, s[i].n };
	}
	assert_int_equal(source_fake(&src, fake), 0);
	m = machine_new(src);
	*ret = 0;
	do
		err = elems_get(m, a, 5, 2, 3, &e);
	while (!err && ++*ret < 10 * WALK_MAX && *e.cursor);
	/* Another walk with the same struct. */
	if (!err) {
		e.cursor[0] = '\0';
		for (unsigned i = 0; i < n; i++)
			assert_int_equal(elems_get(m, a, 5, 2, 3, &e), 0);
	}
	machine_free(&m);
	for (unsigned i = 0; i < n; i++)
		str_release(&s[i]);
	return err;
}

static void circles(void **state)
{
	unsigned batches;

	(void)state;
	for (unsigned n = 1; n <= WALK_MAX; n++) {
		char then[32];

		assert_int_equal(walk(n, "", &batches), 0);
		assert_int_equal(batches, n);
		assert_int_equal(walk(n, "start", &batches), -EBADMSG);
		assert_int_equal(batches, n - 1);
		for (unsigned to = 1; to < n; to++) {
			snprintf(then, sizeof(then), "k.%u", to);
			assert_int_equal(walk(n, then, &batches), -EBADMSG);
			assert_true(batches < 4 * n);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(lies),
		cmocka_unit_test(cursors),
		cmocka_unit_test(circles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
