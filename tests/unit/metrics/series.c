/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include "metrics/series.h"

static struct series_set set;
static struct arena *keep;

static int setup(void **state)
{
	keep = arena_new();
	series_init(&set, keep);
	return 0;
}

static int teardown(void **state)
{
	arena_free(keep);
	return 0;
}

static void add(struct series_limit *l, const char *name, const char *type, unsigned i, uint64_t value)
{
	const char *const label[LABELS] = { [LABEL_NAME] = name, [LABEL_TYPE] = type };

	series_add(series_of(&set, l, label), l, i, value);
}

static void equal_labels_are_summed(void **state)
{
	struct series_limit l = { .room = 100 };
	char name[] = "one";

	add(&l, name, "xdp", 0, 5);
	name[0] = 'O'; /* the set has a copy */
	add(&l, "one", "xdp", 0, 7);
	add(&l, "one", "xdp", 3, 1);
	add(&l, "one", "tc", 0, 9);
	add(&l, "one", NULL, 0, 2);
	assert_int_equal(set.n, 3);
	assert_string_equal(set.v[0]->label[LABEL_NAME], "one");
	assert_int_equal(set.v[0]->value[0], 12);
	assert_int_equal(set.v[0]->value[3], 1);
	assert_int_equal(set.v[0]->known, 1 | 1 << 3);
	assert_int_equal(set.v[1]->value[0], 9);
	assert_null(set.v[2]->label[LABEL_TYPE]);
	assert_int_equal(l.room, 96);
	assert_int_equal(l.left_out, 0);
}

/* Where one label ends and the next begins is part of the set. */
static void labels_are_apart(void **state)
{
	struct series_limit l = { .room = 100 };

	add(&l, "ab", "c", 0, 1);
	add(&l, "a", "bc", 0, 1);
	add(&l, "a4 1 c", NULL, 0, 1);
	add(&l, NULL, "abc", 0, 1);
	add(&l, "abc", NULL, 0, 1);
	add(&l, "", NULL, 0, 1);
	add(&l, NULL, NULL, 0, 1);
	add(&l, NULL, NULL, 0, 1);
	assert_int_equal(set.n, 7);
	assert_int_equal(set.v[6]->value[0], 2);
}

static void a_sum_ends_at_the_maximum(void **state)
{
	struct series_limit l = { .room = 1 };

	add(&l, "one", NULL, 0, UINT64_MAX - 1);
	add(&l, "one", NULL, 0, 1);
	assert_int_equal(set.v[0]->value[0], UINT64_MAX);
	add(&l, "one", NULL, 0, 1);
	assert_int_equal(set.v[0]->value[0], UINT64_MAX);
}

static void what_has_no_room_is_counted(void **state)
{
	struct series_limit l = { .room = 3 };

	add(&l, "one", NULL, 0, 1);
	add(&l, "one", NULL, 1, 1);
	add(&l, "two", NULL, 0, 1);
	add(&l, "three", NULL, 0, 1);
	add(&l, "two", NULL, 1, 1);
	assert_int_equal(l.left_out, 2);
	add(&l, "one", NULL, 1, 4);
	assert_int_equal(l.left_out, 2);
	assert_int_equal(l.room, 0);
	assert_int_equal(set.n, 2);
	assert_int_equal(set.v[0]->value[1], 5);
	assert_int_equal(set.v[1]->known, 1);
}

static void many_sets(void **state)
{
	struct series_limit l = { .room = 20000 };
	char name[16];

	for (unsigned i = 0; i < 30000; i++) {
		snprintf(name, sizeof(name), "p%u", i % 15000);
		add(&l, name, "xdp", 0, i);
	}
	assert_int_equal(set.n, 15000);
	assert_int_equal(set.v[7]->value[0], 7 + 15007);
	assert_int_equal(l.left_out, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(equal_labels_are_summed, setup, teardown),
		cmocka_unit_test_setup_teardown(labels_are_apart, setup, teardown),
		cmocka_unit_test_setup_teardown(a_sum_ends_at_the_maximum, setup, teardown),
		cmocka_unit_test_setup_teardown(what_has_no_room_is_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(many_sets, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
