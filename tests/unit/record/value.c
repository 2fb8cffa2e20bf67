/* SPDX-License-Identifier: BSD-2-Clause */
#include "../sample.h"

#include <time.h>

#include "base/paint.h"
#include "record/value.h"

static const struct field *find(const char *name)
{
	return schema_find(&sample_schema, &(struct sample){ .kind = 1 }, name, NULL);
}

static void check(const struct sample *s, const char *name, enum value_style style, const char *want)
{
	struct value v = field_get(&sample_schema, find(name), s);
	char buf[200], small[6];
	size_t n = value_text(find(name), &v, style, buf, sizeof(buf));

	assert_string_equal(buf, want);
	assert_int_equal(n, strlen(want));
	memset(small, 'z', sizeof(small));
	assert_int_equal(value_text(find(name), &v, style, small, 5), strlen(want));
	assert_int_equal(strlen(small), strlen(want) < 4 ? strlen(want) : 4);
	assert_memory_equal(small, want, strlen(small));
	assert_int_equal(small[5], 'z');
	assert_int_equal(value_text(find(name), &v, style, NULL, 0), strlen(want));
}

static void texts(void **state)
{
	uint32_t ids[] = { 5, 6 };
	const char *pins[] = { "/a", NULL, "/b" };
	struct sample_row rows[] = { { 16, 255, "f" }, { 1, 2, NULL } };
	struct sample_pair meta[] = { { "k", "1" }, { "v", "\"x\"" } };
	struct sample s = { .type = 37,
			    .tag = { 0xab, 1 },
			    .info_len = 16,
			    .info.flags = 0x480,
			    .prio = INT64_MIN,
			    .tiny = -128,
			    .size = 1536,
			    .nsec = 1200000,
			    .count = 12345,
			    .ids = ids,
			    .n_ids = 2,
			    .pins = pins,
			    .n_pins = 3,
			    .rows = rows,
			    .n_rows = 2,
			    .pids = rows,
			    .n_pids = 2,
			    .meta = meta,
			    .n_meta = 2,
			    .has_time = AVAIL_YES,
			    .time = 1000000000 };

	(void)state;
	setenv("TZ", "UTC-2", 1);
	check(&s, "type", VALUE_PLAIN, "unknown(37)");
	s.type = 1;
	check(&s, "type", VALUE_PLAIN, "xdp");
	check(&s, "name", VALUE_PLAIN, "-");
	check(&s, "tag", VALUE_PLAIN, "ab01000000000000");
	check(&s, "flags", VALUE_PLAIN, "0x480");
	check(&s, "prio", VALUE_PLAIN, "-9223372036854775808");
	check(&s, "tiny", VALUE_TABLE, "-128");
	check(&s, "bytes", VALUE_PLAIN, "1536");
	check(&s, "bytes", VALUE_TABLE, "1.5K");
	check(&s, "share", VALUE_TABLE, "-");
	s.share = 1.0 / 3;
	check(&s, "share", VALUE_TABLE, "0.33");
	check(&s, "share", VALUE_PLAIN, "0.3333333333333333");
	s.share = -12345.678;
	check(&s, "share", VALUE_TABLE, "-12346");
	check(&s, "share", VALUE_PLAIN, "-12345.678");
	s.share = 1e300;
	check(&s, "share", VALUE_TABLE, "1e+300");
	s.share = strtod("nan", NULL);
	check(&s, "share", VALUE_TABLE, "?");
	check(&s, "run_time_ns", VALUE_PLAIN, "1200000");
	check(&s, "run_time_ns", VALUE_TABLE, "1.2ms");
	check(&s, "map_ids", VALUE_PLAIN, "5,6");
	check(&s, "pinned", VALUE_PLAIN, "/a,-,/b");
	check(&s, "funcs", VALUE_PLAIN, "0x10 0xff f, 0x1 0x2");
	check(&s, "pids", VALUE_PLAIN, "f(16), (1)");
	check(&s, "metadata", VALUE_PLAIN, "k=1, v=\"x\"");
	check(&s, "loaded_at", VALUE_PLAIN, "2001-09-09T03:46:40+0200");
	s.time = UINT64_MAX;
	check(&s, "loaded_at", VALUE_PLAIN, "18446744073709551615");
	s.has_time = AVAIL_UNKNOWN;
	check(&s, "loaded_at", VALUE_PLAIN, "?");
	check(&s, "gpl_compatible", VALUE_PLAIN, "false");
}

/* The same as strftime(), in zones on both sides of Greenwich and with odd minutes. */
static void times(void **state)
{
	static const char *const zones[] = { "UTC0", "UTC-2", "A5:30", "B-5:45", "C0:30", "D-14", "E12", "EST5EDT" };
	static const uint64_t when[] = { 0, 1, 59, 86399, 951782400, 1000000000, 1720000000, 4102444799, 253402300799 };

	(void)state;
	for (size_t z = 0; z < sizeof(zones) / sizeof(zones[0]); z++) {
		setenv("TZ", zones[z], 1);
		tzset();
		for (size_t i = 0; i < sizeof(when) / sizeof(when[0]); i++) {
			struct sample s = { .has_time = AVAIL_YES, .time = when[i] };
			time_t t = (time_t)when[i];
			char want[64];

			assert_true(strftime(want, sizeof(want), "%Y-%m-%dT%H:%M:%S%z", localtime(&t)) > 0);
			check(&s, "loaded_at", VALUE_PLAIN, want);
		}
	}
}

static void elements(void **state)
{
	uint32_t ids[] = { 5, 6 };
	struct sample s = { .ids = ids, .n_ids = 2 };
	struct value v = field_get(&sample_schema, find("map_ids"), &s);

	(void)state;
	assert_int_equal(value_elem(find("map_ids"), &v, 1).u, 6);
	assert_int_equal(value_elem(find("map_ids"), &v, 2).avail, AVAIL_NO);
	assert_int_equal(value_elem(find("map_ids"), &v, UINT32_MAX).avail, AVAIL_NO);
}

static int cmp(const struct sample *a, const struct sample *b, const char *name)
{
	struct value va = field_get(&sample_schema, find(name), a), vb = field_get(&sample_schema, find(name), b);
	int c = value_cmp(find(name), &va, &vb), r = value_cmp(find(name), &vb, &va);

	assert_true((c > 0 && r < 0) || (c < 0 && r > 0) || (c == 0 && r == 0));
	return c;
}

static void compares(void **state)
{
	uint32_t x[] = { 1, 9 }, y[] = { 2 };
	struct sample a = { .id = 1, .type = 1, .prio = -1, .ids = x, .n_ids = 2, .tag = { 2 } };
	struct sample b = { .id = 2, .type = 3, .prio = 1, .ids = y, .n_ids = 1, .tag = { 1 } };

	(void)state;
	assert_true(cmp(&a, &b, "id") < 0);
	assert_true(cmp(&a, &b, "type") > 0); /* names: tc before xdp */
	assert_true(cmp(&a, &b, "prio") < 0);
	assert_true(cmp(&a, &b, "map_ids") > 0);
	b.n_ids = 0;
	assert_true(cmp(&a, &b, "map_ids") > 0);
	assert_true(cmp(&a, &b, "tag") > 0);
	assert_true(cmp(&a, &a, "tag") == 0);
	a.has_time = AVAIL_NO, b.has_time = AVAIL_UNKNOWN;
	assert_true(cmp(&a, &b, "loaded_at") < 0);
	a.has_time = AVAIL_YES;
	assert_true(cmp(&a, &b, "loaded_at") > 0);
	a.type = 2, b.type = 1;
	assert_true(cmp(&a, &b, "type") > 0); /* no name: last */
}

static void zero(void **state)
{
	struct sample s = { .path = "", .json = "{}", .info_len = 16 };
	static const char *const names[] = {
		"id", "type", "tag", "jited", "prio", "path", "extra", "map_ids", "funcs", "loaded_at", "name",
	};
	struct value v;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		v = field_get(&sample_schema, find(names[i]), &s);
		assert_true(value_is_zero(&v));
	}
	s.tag[7] = 1;
	v = field_get(&sample_schema, find("tag"), &s);
	assert_false(value_is_zero(&v));
}

/* A word that says how good or bad it is has its role, any other one that of the field. */
static void roles(void **state)
{
	static const struct {
		const char *word;
		enum role field, want;
	} cases[] = {
		{ "load", ROLE_CHANGED, ROLE_ADDED },	    { "unload", ROLE_CHANGED, ROLE_REMOVED },
		{ "lost", ROLE_CHANGED, ROLE_CHANGED },	    { "ok", ROLE_LIMITED, ROLE_OK },
		{ "watching", ROLE_LIMITED, ROLE_LIMITED }, { "hidden", ROLE_LIMITED, ROLE_PROBLEM },
		{ "unknown", ROLE_LIMITED, ROLE_UNKNOWN },  { "ok", ROLE_NAME, ROLE_NAME },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct field f = { .type = FT_STR, .role = (uint8_t)cases[i].field };
		const struct value v = { .avail = AVAIL_YES, .type = FT_STR, .s = cases[i].word };

		assert_int_equal(field_role(&f, &v), cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roles),    cmocka_unit_test(texts),	cmocka_unit_test(times),
		cmocka_unit_test(elements), cmocka_unit_test(compares), cmocka_unit_test(zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
