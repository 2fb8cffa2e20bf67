/* SPDX-License-Identifier: BSD-2-Clause */
#include "../sample.h"

#include "record/edge.h"

/* All objects that a record refers to, in the order of its fields; a null id, an empty path and its own id are no
 * references.
 */
static void test_all(void **state)
{
	const uint32_t ids[] = { 5, 0, 6 };
	const char *pins[] = { "/a", NULL, "/b" };
	struct sample_row pids[] = { { .addr = 12, .func = "sh" }, { .addr = 13 } };
	const struct sample s = {
		.id = 7,
		.ids = ids,
		.n_ids = 3,
		.pins = pins,
		.n_pins = 3,
		.pids = pids,
		.n_pids = 2,
		.btf = 4,
		.kind = 1,
		.part_map = 9,
	};
	static const struct {
		enum edge_to to;
		bool holder;
		uint64_t id;
		const char *name, *field;
	} want[] = {
		{ EDGE_MAP, false, 5, NULL, "map_ids" }, { EDGE_MAP, false, 6, NULL, "map_ids" },
		{ EDGE_PIN, true, 0, "/a", "pinned" },	 { EDGE_PIN, true, 0, "/b", "pinned" },
		{ EDGE_PROCESS, true, 12, "sh", "pid" }, { EDGE_PROCESS, true, 13, NULL, "pid" },
		{ EDGE_BTF, false, 4, NULL, "btf_id" },	 { EDGE_MAP, false, 9, NULL, "map_id" },
	};
	struct edge_iter it;
	struct edge e;
	size_t i = 0;

	(void)state;
	edge_begin(&it, &sample_schema, &s, 0);
	for (; edge_next(&it, &e); i++) {
		assert_true(i < ARRAY_SIZE(want));
		assert_int_equal(e.to, want[i].to);
		assert_int_equal(e.holder, want[i].holder);
		assert_int_equal(e.id, want[i].id);
		assert_string_equal(e.name ? e.name : "", want[i].name ? want[i].name : "");
		assert_string_equal(e.field->name, want[i].field);
	}
	assert_int_equal(i, ARRAY_SIZE(want));
	assert_false(it.unknown);
	assert_false(edge_next(&it, &e));
}

/* A device belongs to the namespace in the field next to it. */
static void test_places(void **state)
{
	struct at {
		uint32_t ifindex;
		uint64_t netns, cgroup;
	};
	static const struct field fields[] = {
		FIELD(at, ifindex, "ifindex", "device", .unit = FU_IFINDEX),
		FIELD(at, netns, "netns_ino", "namespace", .unit = FU_NETNS),
		FIELD(at, cgroup, "cgroup_id", "cgroup", .unit = FU_CGROUP),
	};
	static const struct schema one = SCHEMA("one", at, fields);
	const struct at at = { 2, 77, 42 };
	static const struct {
		enum edge_to to;
		uint64_t id, netns;
	} want[] = { { EDGE_DEVICE, 2, 77 }, { EDGE_NETNS, 77, 0 }, { EDGE_CGROUP, 42, 0 } };
	struct edge_iter it;
	struct edge e;
	size_t i = 0;

	(void)state;
	edge_begin(&it, &one, &at, 0);
	for (; edge_next(&it, &e); i++) {
		assert_true(i < ARRAY_SIZE(want));
		assert_int_equal(e.to, want[i].to);
		assert_int_equal(e.id, want[i].id);
		assert_int_equal(e.netns, want[i].netns);
		assert_false(e.holder);
	}
	assert_int_equal(i, ARRAY_SIZE(want));
}

/* Fields that were not read are skipped; fields that could not be read are reported. */
static void test_unread(void **state)
{
	const char *pins[] = { "/a" };
	static const struct field fields[] = {
		FIELD_IF(sample, btf, has_time, "btf_id", "BTF", .unit = FU_BTF),
	};
	static const struct schema one = SCHEMA("one", sample, fields);
	struct sample s = { .pins = pins, .n_pins = 1, .btf = 4 };
	struct edge_iter it;
	struct edge e;

	(void)state;
	edge_begin(&it, &sample_schema, &s, NEED_PINS);
	assert_true(edge_next(&it, &e));
	assert_int_equal(e.to, EDGE_BTF);
	assert_false(edge_next(&it, &e));
	s.has_time = AVAIL_UNKNOWN;
	edge_begin(&it, &one, &s, 0);
	assert_false(edge_next(&it, &e));
	assert_true(it.unknown);
	s.has_time = AVAIL_NO;
	edge_begin(&it, &one, &s, 0);
	assert_false(edge_next(&it, &e));
	assert_false(it.unknown);
}

static void test_need(void **state)
{
	(void)state;
	assert_int_equal(edge_need(&sample_schema, 0), NEED_PINS);
	assert_int_equal(edge_need(&sample_schema, NEED_PINS), 0);
}

static void test_any(void **state)
{
	static const struct field fields[] = {
		FIELD(sample, id, "id", "number", .unit = FU_PROG),
		FIELD(sample, btf, "btf_id", "BTF", .unit = FU_BTF, .need = NEED_BTF),
	};
	static const struct schema schema = SCHEMA("one", sample, fields);

	(void)state;
	assert_true(edge_any(&sample_schema, ~0u));
	assert_true(edge_any(&schema, NEED_PINS));
	assert_false(edge_any(&schema, ~0u)); /* its own id is not a reference */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),  cmocka_unit_test(test_places), cmocka_unit_test(test_unread),
		cmocka_unit_test(test_need), cmocka_unit_test(test_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
