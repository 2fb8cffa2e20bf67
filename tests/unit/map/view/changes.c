/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "base/wide.h"
#include "types/value/leaves.h"
#include "types/value/value.h"
#include "map/view/changes.h"
#include "map/elem/state.h"
#include "../../types/build.h"

struct elem {
	uint32_t key;
	int32_t a;
	uint32_t b;
};

static void put(struct state *s, uint32_t key, int32_t a, uint32_t b)
{
	struct elem e = { key, a, b };

	assert_int_equal(state_add(s, (const unsigned char *)&e, NULL), 0);
}

/* struct { int a; u32 b; } */
static struct btf_types *types_make(struct leaves *ret, struct arena *a)
{
	static struct btf_build b;
	struct btf_types *t;
	uint32_t s32, u32, top;

	build_init(&b);
	s32 = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	u32 = build_int(&b, "u32", 4, 0, 0, 32);
	top = build_type(&b, "v", BTF_KIND_STRUCT, 2, 0, 8);
	build_member(&b, "a", s32, 0);
	build_member(&b, "b", u32, 32);
	build_done(&b);
	assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, NULL), 0);
	leaves_find(ret, value_plan(t, top, VALUE_FORMATTED, a), a);
	return t;
}

static uint32_t key_of(const struct change *c)
{
	uint32_t key;

	memcpy(&key, c->elem, sizeof(key));
	return key;
}

static void test_changes(void **unused)
{
	static const struct {
		enum change_kind kind;
		uint32_t key;
		double moved;
	} want[] = {
		{ CHANGE_VALUE, 5, 4294967295.0 },
		{ CHANGE_VALUE, 2, 30 },
		{ CHANGE_VALUE, 3, 7 },
		{ CHANGE_VALUE, 4, 7 },
		{ CHANGE_NEW, 8, 0 },
		{ CHANGE_NEW, 9, 0 },
		{ CHANGE_GONE, 1, 0 },
	};
	struct arena *a = arena_new();
	struct changes c = { 0 };
	struct state old, now;
	struct btf_types *t;
	struct leaves l;
	struct wide moved;

	(void)unused;
	t = types_make(&l, a);
	state_init(&old, 4, 8);
	state_init(&now, 4, 8);
	put(&old, 1, 0, 0);
	put(&old, 2, 10, 1);
	put(&old, 3, 0, 10);
	put(&old, 4, -7, 0);
	put(&old, 5, 0, 0);
	put(&old, 6, 6, 6);
	put(&now, 9, 1, 1);
	put(&now, 6, 6, 6);
	put(&now, 4, 0, 0);
	put(&now, 3, 0, 3);
	put(&now, 5, 0, UINT32_MAX);
	put(&now, 2, -20, 2);
	put(&now, 8, 0, 0);
	changes_find(&c, &old, &now, &l);
	assert_int_equal(c.n, sizeof(want) / sizeof(*want));
	for (size_t i = 0; i < c.n; i++) {
		assert_int_equal(c.change[i].kind, want[i].kind);
		assert_int_equal(key_of(&c.change[i]), want[i].key);
		assert_true(c.change[i].moved == want[i].moved);
	}
	assert_int_equal(c.kinds[CHANGE_VALUE], 4);
	assert_int_equal(c.kinds[CHANGE_NEW], 2);
	assert_int_equal(c.kinds[CHANGE_GONE], 1);
	assert_true(leaf_has_moved(&l.leaf[0], &c.lapse, c.change[1].old + 4, c.change[1].elem + 4, 8, &moved) &&
		    !wide_cmp(moved, wide_s(-30)));
	/* Maps that were freed between the readings are noted, not counted. */
	c.lapse = (struct lapse){ .from = { [1] = UINT32_MAX - 1 }, .to = { [1] = UINT32_MAX } };
	changes_find(&c, &old, &now, &l);
	assert_int_equal(c.kinds[CHANGE_VALUE], 4);
	assert_int_equal(key_of(&c.change[3]), 5);
	assert_true(c.change[3].moved == 0);
	/* The same again: no changes, also none from before. */
	changes_find(&c, &now, &now, &l);
	assert_int_equal(c.n, 0);
	assert_int_equal(c.kinds[CHANGE_VALUE], 0);
	changes_release(&c);
	state_release(&old);
	state_release(&now);
	btf_release(&t);
	arena_free(a);
}

/* Without types all bytes are compared. */
static void test_bytes(void **unused)
{
	struct leaves none = { 0 };
	struct changes c = { 0 };
	struct state old, now;

	(void)unused;
	state_init(&old, 4, 8);
	state_init(&now, 4, 8);
	put(&old, 1, 0, 0);
	put(&now, 1, 0, 1);
	changes_find(&c, &old, &now, &none);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.change[0].kind, CHANGE_VALUE);
	changes_release(&c);
	state_release(&old);
	state_release(&now);
}

static void test_state(void **unused)
{
	struct err e = { 0 };
	struct state s;

	(void)unused;
	state_init(&s, 4, 8);
	assert_null(state_find(&s, (const unsigned char *)"\1\0\0"));
	for (uint32_t i = 0; i < 10000; i++)
		put(&s, i * 64, (int32_t)i, 0);
	put(&s, 64, 77, 0); /* the first one stays */
	assert_int_equal(s.n, 10000);
	for (uint32_t i = 0; i < 640000; i += 63) {
		const unsigned char *found = state_find(&s, (const unsigned char *)&i);
		struct elem elem;

		assert_int_equal(found != NULL, i % 64 == 0);
		if (found) {
			memcpy(&elem, found, sizeof(elem));
			assert_int_equal(elem.a, i / 64);
		}
	}
	state_clear(&s);
	assert_int_equal(s.n, 0);
	put(&s, 64, 78, 0);
	assert_int_equal(state_put(&s, (const unsigned char *)&(struct elem){ .key = 64, .a = 79 }, NULL), 0);
	assert_int_equal(((const struct elem *)state_find(&s, (const unsigned char *)&(uint32_t){ 64 }))->a, 79);
	state_release(&s);

	state_init(&s, 4, 8);
	s.max = 12 * 100;
	for (uint32_t i = 0; i < 100; i++)
		put(&s, i, 0, 0);
	assert_int_equal(state_add(&s, (const unsigned char *)&(struct elem){ .key = 100 }, &e), -E2BIG);
	assert_non_null(strstr(e.msg, "to keep in memory"));
	state_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
