/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <string.h>

#include "diff/rise.h"
#include "kernel/object.h"

static struct rises rises_of(struct arena *a)
{
	struct rises r;

	rises_init(&r, a);
	return r;
}

static struct rise_moment *moment(struct rises *r, uint64_t time)
{
	struct rise_moment *m = rises_moment(r);

	m->time = time;
	return m;
}

static void add(struct rises *r, const char *name, uint64_t bytes, uint64_t entries)
{
	static uint32_t id;

	rises_add(r, &(struct rising_object){ .kind = "map",
					      .object = OBJECT_MAP,
					      .type = "hash",
					      .name = name,
					      .id = ++id,
					      .v = { 1, bytes, entries } });
}

static const struct rising *find(const struct rises *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->v[i]->name, name))
			return r->v[i];
	fail_msg("no group %s", name);
	return NULL;
}

/* Only what is more at each moment than before rises, whatever the order of the moments; what is not there is none. */
static void test_rule(void **state)
{
	static const struct {
		const char *name;
		unsigned n[4]; /* objects at each moment */
		bool rises;
	} rows[] = {
		{ "always", { 1, 2, 3, 4 }, true }, { "new", { 0, 1, 2, 5 }, true },
		{ "stays", { 3, 3, 3, 3 }, false }, { "rests", { 1, 2, 2, 3 }, false },
		{ "falls", { 1, 9, 8, 9 }, false }, { "gone", { 1, 2, 3, 0 }, false },
		{ "once", { 0, 0, 0, 1 }, false },
	};
	static const unsigned order[] = { 2, 0, 3, 1 };
	ARENA a = arena_new();
	struct rises r = rises_of(a);
	struct err e = { 0 };

	(void)state;
	for (unsigned m = 0; m < 4; m++) {
		moment(&r, 100 + order[m]);
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
			for (unsigned n = 0; n < rows[i].n[order[m]]; n++)
				add(&r, rows[i].name, 8, order[m]);
	}
	assert_int_equal(rises_find(&r, &e), 0);
	assert_int_equal(rises_ns(&r), 3);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct rising *g = find(&r, rows[i].name);

		assert_int_equal(g->rises[AMOUNT_OBJECTS], rows[i].rises);
		assert_int_equal(g->rises[AMOUNT_BYTES], rows[i].rises);
		assert_int_equal(g->first[AMOUNT_OBJECTS], rows[i].n[0]);
		assert_int_equal(g->last[AMOUNT_BYTES], 8 * rows[i].n[3]);
	}
	assert_true(find(&r, "stays")->rises[AMOUNT_ENTRIES]);
}

/* A value that is unknown once, or a moment that lacks objects, is no growth; other amounts are. */
static void test_unknown(void **state)
{
	ARENA a = arena_new();
	struct rises r = rises_of(a);
	struct err e = { 0 };

	(void)state;
	for (unsigned m = 1; m <= 3; m++) {
		moment(&r, m);
		rises_add(&r, &(struct rising_object){ .kind = "map",
						       .object = OBJECT_MAP,
						       .type = "",
						       .name = "x",
						       .v = { m, m, m },
						       .unknown = { [AMOUNT_BYTES] = m == 2 } });
	}
	assert_int_equal(rises_find(&r, &e), 0);
	assert_true(find(&r, "x")->rises[AMOUNT_OBJECTS] && find(&r, "x")->rises[AMOUNT_ENTRIES]);
	assert_false(find(&r, "x")->rises[AMOUNT_BYTES]);
	moment(&r, 4)->lacks = 1u << OBJECT_MAP;
	add(&r, "y", 1, 1);
	rises_add(&r, &(struct rising_object){
			      .kind = "prog", .object = OBJECT_PROG, .type = "xdp", .name = "z", .v = { 1 } });
	assert_int_equal(rises_find(&r, &e), 0);
	assert_false(find(&r, "x")->rises[AMOUNT_OBJECTS] || find(&r, "y")->rises[AMOUNT_OBJECTS]);
	moment(&r, 5)->lacks = 1u << OBJECT_MAP;
	assert_int_equal(rises_find(&r, &e), 0);
	assert_false(find(&r, "z")->rises[AMOUNT_OBJECTS]);
}

/* The sum of a group, and the owner of its newest object; groups differ in each part of their name. */
static void test_groups(void **state)
{
	static const char *const units[] = { "a.service" };
	ARENA a = arena_new();
	struct rises r = rises_of(a);
	struct err e = { 0 };

	(void)state;
	for (unsigned m = 1; m <= 2; m++) {
		moment(&r, m);
		for (unsigned i = 0; i < m; i++) {
			rises_add(&r, &(struct rising_object){ "map",
							       "a b",
							       "c",
							       OBJECT_MAP,
							       i + 2,
							       i ? "new(2)" : "old(1)",
							       units,
							       i,
							       { 1, UINT64_MAX / 2 + 1 } });
			rises_add(&r, &(struct rising_object){
					      "map", "a", "b c", OBJECT_MAP, 1, "other(3)", NULL, 0, { 1 } });
		}
	}
	assert_int_equal(rises_find(&r, &e), 0);
	assert_int_equal(r.n, 2);
	assert_string_equal(find(&r, "c")->owner, "new(2)");
	assert_string_equal(find(&r, "c")->unit[0], "a.service");
	assert_true(find(&r, "c")->last[AMOUNT_BYTES] == UINT64_MAX);
	assert_string_equal(find(&r, "b c")->owner, "other(3)");
}

static void assert_refused(struct rises *r, const char *why)
{
	struct err e = { 0 };

	assert_int_equal(rises_find(r, &e), -EINVAL);
	assert_non_null(strstr(e.msg, why));
}

static void test_moments(void **state)
{
	const uint64_t boot = 1700000000000000000;
	ARENA a = arena_new();
	struct rises r = rises_of(a);
	struct err e = { 0 };

	(void)state;
	assert_refused(&r, "at least two");
	moment(&r, 5);
	assert_refused(&r, "at least two");
	moment(&r, 5);
	assert_refused(&r, "second");
	moment(&r, 9)->host = "one";
	r.moment[0].host = "one";
	assert_int_equal(rises_find(&r, &e), 0);
	r.moment[1].host = "two";
	assert_refused(&r, "one and two");
	/* A clock that was set a little is no boot; one boot more leaves out all before it. */
	r = rises_of(a);
	for (unsigned i = 0; i < 5; i++)
		moment(&r, i)->boot = i < 2 ? boot : boot + 3600 * NSEC_PER_SEC + i * NSEC_PER_SEC;
	assert_int_equal(rises_find(&r, &e), 0);
	assert_int_equal(r.left_out, 2);
	assert_int_equal(r.moments, 3);
	moment(&r, 9)->boot = boot + 7200 * NSEC_PER_SEC;
	assert_refused(&r, "boot");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rule), cmocka_unit_test(test_unknown),
					    cmocka_unit_test(test_groups), cmocka_unit_test(test_moments) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
