/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>

#include "base/base.h"
#include "map/types.h"
#include "kernel/abi.h"
#include "kernel/names.h"

/* Every type with a name has a row, and every verb that it lacks has a reason and an alternative. */
static void test_table(void **state)
{
	(void)state;
	for (uint32_t i = 1; i < names_map_type.n; i++) {
		assert_int_equal(map_type(i)->can >> MAP_VERBS, 0);
		for (unsigned v = 0; v < MAP_VERBS; v++) {
			struct err e = { 0 };
			int err = map_can(7, i, v, &e);

			assert_int_equal(err, map_type_can(i, v) ? 0 : -EOPNOTSUPP);
			assert_int_equal(e.code, err);
			assert_int_equal(!err, !*e.hint);
			assert_null(strstr(e.msg, "(null)"));
			assert_int_equal(!err, !strstr(e.msg, names_of(&names_map_type, i)));
		}
	}
	assert_int_equal(map_type(BPF_MAP_TYPE_LRU_PERCPU_HASH)->flags, MAP_PERCPU | MAP_EVICTS);
}

/* All of them or none: verbs that need the kernel's walk. An arena is dumped by pages. */
static void test_walk(void **state)
{
	(void)state;
	for (uint32_t i = 0; i <= names_map_type.n; i++) {
		bool walk = map_type_can(i, VERB_GETNEXT);

		assert_int_equal(map_type_can(i, VERB_DUMP), walk || i == ABI_MAP_ARENA);
		assert_int_equal(map_type_can(i, VERB_EXPORT), walk);
		assert_int_equal(map_type_can(i, VERB_HISTOGRAM), walk);
		assert_int_equal(map_type_can(i, VERB_WATCH), walk);
	}
}

static void says(uint32_t type, enum map_verb verb, const char *msg, const char *hint)
{
	struct err e = { 0 };

	assert_int_equal(map_can(7, type, verb, &e), -EOPNOTSUPP);
	assert_string_equal(e.msg, msg);
	assert_string_equal(e.hint, hint);
}

static void test_sentences(void **state)
{
	(void)state;
	says(BPF_MAP_TYPE_ARRAY, VERB_DELETE, "map 7: an array cannot be deleted from: its elements always exist",
	     "`map update` with zeros clears one");
	says(BPF_MAP_TYPE_HASH, VERB_TAP, "map 7: a hash cannot be tapped: it is not a ring buffer",
	     "`map dump` shows its elements");
	says(BPF_MAP_TYPE_PERF_EVENT_ARRAY, VERB_TAP,
	     "map 7: a perf_event_array cannot be tapped: it is not a ring buffer",
	     "`map event_pipe` listens to perf events");
	says(BPF_MAP_TYPE_QUEUE, VERB_GETNEXT,
	     "map 7: a queue cannot be walked by key: its elements have no keys, and "
	     "reading them all would remove them",
	     "`map peek` shows the next one, `map pop` removes it");
	says(0xffffffff, VERB_TAP, "map 7: a map of type 4294967295 cannot be tapped: it is not a ring buffer",
	     "`map dump` shows its elements");
	assert_int_equal(map_can(7, 0xffffffff, VERB_DUMP, NULL), 0);
	assert_int_equal(map_type(0xffffffff)->flags, 0);
}

/* The manual's table has each type once. */
static void test_rows(void **state)
{
	struct arena *a = arena_new();
	const char *types, *verbs;
	unsigned row, n = 0;

	(void)state;
	for (row = 0; map_types_row(row, a, &types, &verbs); row++) {
		assert_true(*verbs);
		for (n++; (types = strchr(types, ',')); types++)
			n++;
	}
	assert_int_equal(n, names_map_type.n - 1);
	assert_true(map_types_row(0, a, &types, &verbs) && !strncmp(types, "hash , prog_array , ", 20));
	assert_string_equal(
		verbs,
		"lookup, peek, update, push, enqueue, delete, getnext, freeze, import, dump, export, histogram, watch");
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_sentences),
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
