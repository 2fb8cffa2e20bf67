/* SPDX-License-Identifier: BSD-2-Clause */
#include "../sample.h"

static struct value get(const struct sample *s, const char *name)
{
	const struct schema *in = NULL;
	const struct field *f = schema_find(&sample_schema, s, name, &in);

	assert_non_null(f);
	return field_get(in, f, s);
}

static void reads_every_type(void **state)
{
	uint32_t ids[] = { 5, 6 };
	struct sample s = { .id = 7,
			    .type = 3,
			    .name = "eth",
			    .tag = { 1, 2 },
			    .info_len = 16,
			    .info.flags = 0xffffffff,
			    .jited = true,
			    .prio = -300,
			    .tiny = -1,
			    .port = 65535,
			    .size = UINT64_MAX,
			    .path = "/x",
			    .json = "{}",
			    .ids = ids,
			    .n_ids = 2 };

	(void)state;
	assert_int_equal(get(&s, "id").u, 7);
	assert_int_equal(get(&s, "type").u, 3);
	assert_string_equal(get(&s, "name").s, "eth");
	assert_int_equal(get(&s, "tag").list.n, 8);
	assert_int_equal(get(&s, "flags").u, 0xffffffff);
	assert_true(get(&s, "jited").b);
	assert_int_equal(get(&s, "prio").i, -300);
	assert_int_equal(get(&s, "tiny").i, -1);
	assert_int_equal(get(&s, "port").u, 65535);
	assert_int_equal(get(&s, "bytes").u, UINT64_MAX);
	assert_string_equal(get(&s, "path").s, "/x");
	assert_string_equal(get(&s, "extra").s, "{}");
	assert_int_equal(get(&s, "map_ids").list.n, 2);
	assert_int_equal(get(&s, "map_ids").list.stride, 4);
}

static void distinguishes_absent_values(void **state)
{
	struct sample s = { .has_time = AVAIL_UNKNOWN, .info_len = 15, .n_ids = 4, .kind = 1 };

	(void)state;
	assert_int_equal(get(&s, "loaded_at").avail, AVAIL_UNKNOWN);
	s.has_time = AVAIL_NO;
	assert_int_equal(get(&s, "loaded_at").avail, AVAIL_NO);
	s.has_time = 77;
	assert_int_equal(get(&s, "loaded_at").avail, AVAIL_UNKNOWN);
	assert_int_equal(get(&s, "path").avail, AVAIL_NO);
	assert_int_equal(get(&s, "name").avail, AVAIL_NO);
	assert_int_equal(get(&s, "map_ids").avail, AVAIL_NO);
	assert_int_equal(get(&s, "dev").avail, AVAIL_NO);
	assert_int_equal(get(&s, "funcs").avail, AVAIL_YES);
	assert_int_equal(get(&s, "flags").avail, AVAIL_YES);
	assert_int_equal(get(&s, "later").avail, AVAIL_NO);
	s.info_len = 16;
	assert_int_equal(get(&s, "later").avail, AVAIL_YES);
	s.info_len = 3;
	assert_int_equal(get(&s, "flags").avail, AVAIL_NO);
	memset(s.name, 'x', sizeof(s.name));
	assert_int_equal(get(&s, "name").avail, AVAIL_UNKNOWN);
}

static void walks_fixed_part_then_own(void **state)
{
	struct sample s = { .kind = 1, .info_len = 4 };
	struct schema_iter it = SCHEMA_ITER(&sample_schema, &s);
	size_t n = 0, part = 0, i;
	const struct field *f;

	(void)state;
	while ((f = schema_next(&it))) {
		n++;
		if (it.s == &sample_part)
			part++;
		/* The part has no length of the kernel's answer: the length of the fixed part is used for it. */
		if (it.s == &sample_part && strcmp(f->name, "part_later") == 0)
			assert_int_equal(schema_value(&it, f).avail, AVAIL_NO);
	}
	assert_int_equal(n, ARRAY_SIZE(sample_fields) + 2);
	assert_int_equal(part, 2);
	assert_null(schema_next(&it));
	s.kind = 0;
	it = (struct schema_iter)SCHEMA_ITER(&sample_schema, &s);
	for (i = 0; schema_next(&it); i++)
		;
	assert_int_equal(i, ARRAY_SIZE(sample_fields));
	assert_null(schema_next(&it));
	assert_null(schema_find(&sample_schema, &s, "map_id", NULL));
	s.kind = 1;
	assert_non_null(schema_find(&sample_schema, &s, "map_id", NULL));
	assert_null(schema_find(&sample_schema, NULL, "map_id", NULL));
	assert_null(schema_find(&sample_schema, &s, "nothing", NULL));
	assert_int_equal(schema_need(&sample_schema, 0), NEED_FDINFO | NEED_PINS);
}

static void words(void **state)
{
	(void)state;
	assert_string_equal(names_word(&sample_types, 1), "xdp");
	assert_null(names_word(&sample_types, 2));
	assert_null(names_word(&sample_types, 4));
	assert_null(names_word(&sample_types, UINT64_MAX));
	assert_null(names_word(NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_type),
		cmocka_unit_test(distinguishes_absent_values),
		cmocka_unit_test(walks_fixed_part_then_own),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
