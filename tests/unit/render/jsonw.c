/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "../strict_json.h"
#include "render/jsonw.h"

static struct out o;
static struct jsonw w;

static void start(bool pretty)
{
	out_init(&o, -1);
	jsonw_init(&w, &o, pretty);
}

static void expect(const char *want)
{
	struct strict s;

	assert_string_equal(out_cstr(&o), want);
	assert_true(strict_json(&s, o.buf, o.n, 0));
	out_close(&o, NULL);
}

static void document(void)
{
	jsonw_array(&w);
	jsonw_object(&w);
	jsonw_name(&w, "id");
	jsonw_uint(&w, 1);
	jsonw_name(&w, "map_ids");
	jsonw_array(&w);
	jsonw_uint(&w, 5);
	jsonw_uint(&w, 6);
	jsonw_end(&w);
	jsonw_end(&w);
	jsonw_object(&w);
	jsonw_name(&w, "none");
	jsonw_array(&w);
	jsonw_end(&w);
	jsonw_name(&w, "obj");
	jsonw_object(&w);
	jsonw_end(&w);
	jsonw_end(&w);
	jsonw_end(&w);
}

static void compact(void **state)
{
	(void)state;
	start(false);
	document();
	assert_int_equal(w.depth, 0);
	expect("[{\"id\":1,\"map_ids\":[5,6]},{\"none\":[],\"obj\":{}}]");
}

static void pretty(void **state)
{
	(void)state;
	start(true);
	document();
	expect("[{\n        \"id\": 1,\n        \"map_ids\": [5,6\n        ]\n    },{\n        \"none\": [],\n        \"obj\": {}\n"
	       "    }\n]");
}

static void scalars(void **state)
{
	(void)state;
	start(false);
	jsonw_array(&w);
	jsonw_int(&w, INT64_MIN);
	jsonw_int(&w, -1);
	jsonw_uint(&w, UINT64_MAX);
	jsonw_bool(&w, true);
	jsonw_bool(&w, false);
	jsonw_null(&w);
	jsonw_fmt(&w, "%d\"%s", 4, "x");
	jsonw_raw(&w, "7", 1);
	jsonw_double(&w, 0.1);
	jsonw_double(&w, 5);
	jsonw_double(&w, 1e300);
	jsonw_double(&w, NAN);
	jsonw_double(&w, -INFINITY);
	jsonw_double(&w, 1.0 / 3);
	jsonw_end(&w);
	expect("[-9223372036854775808,-1,18446744073709551615,true,false,null,\"4\\\"x\",7,0.1,5,1e+300,null,null,"
	       "0.3333333333333333]");
}

static void strings(void **state)
{
	char big[20001];

	(void)state;
	start(false);
	jsonw_array(&w);
	jsonw_str(&w, "a\"\\\b\f\n\r\t/");
	jsonw_strn(&w, "\0\x1f\x7f", 3);
	jsonw_str(&w, "caf\xc3\xa9 \xff\xc3");
	jsonw_str(&w, "\xed\xa0\x80");
	jsonw_str(&w, "\xc2\x9b\xc2\xa0\xe2\x80\xae\xe2\x81\xa9\xd8\x9c");
	jsonw_end(&w);
	expect("[\"a\\\"\\\\\\b\\f\\n\\r\\t/\",\"\\u0000\\u001f\\u007f\",\"caf\xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd\","
	       "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\",\"\\u009b\xc2\xa0\\u202e\\u2069\\u061c\"]");
	/* Longer than a step, a sequence across every boundary. */
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	memcpy(big + 8190, "\xf0\x9f\x98\x80", 4);
	start(false);
	jsonw_str(&w, big);
	assert_int_equal(o.n, sizeof(big) + 1);
	assert_memory_equal(o.buf + 1, big, sizeof(big) - 1);
	out_close(&o, NULL);
	memset(big, 1, sizeof(big) - 1);
	start(false);
	jsonw_str(&w, big);
	assert_int_equal(o.n, (sizeof(big) - 1) * 6 + 2);
	out_close(&o, NULL);
}

static void hexbytes(void **state)
{
	unsigned char bytes[20000];
	struct strict s;
	size_t i;

	(void)state;
	start(false);
	jsonw_object(&w);
	jsonw_name_raw(&w, "\"k\"", 3);
	jsonw_hexbytes(&w, "\0\xff\x1a", 3);
	jsonw_name(&w, "v");
	jsonw_hexbytes(&w, NULL, 0);
	jsonw_end(&w);
	expect("{\"k\":[\"0x00\",\"0xff\",\"0x1a\"],\"v\":[]}");
	start(true);
	jsonw_object(&w);
	jsonw_name(&w, "k");
	jsonw_hexbytes(&w, "\1\2", 2);
	jsonw_end(&w);
	expect("{\n    \"k\": [\"0x01\",\"0x02\"\n    ]\n}");
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 31);
	start(false);
	jsonw_hexbytes(&w, bytes, sizeof(bytes));
	assert_int_equal(o.n, sizeof(bytes) * 7 + 1);
	assert_true(strict_json(&s, o.buf, o.n, 0));
	for (i = 0; i < sizeof(bytes); i++)
		assert_int_equal(strtoul(o.buf + 1 + i * 7 + 3, NULL, 16), bytes[i]);
	out_close(&o, NULL);
}

static void too_deep_becomes_null(void **state)
{
	struct strict s;
	int i;

	(void)state;
	start(false);
	for (i = 0; i < 100; i++)
		jsonw_array(&w);
	jsonw_uint(&w, 5);
	jsonw_name(&w, "x");
	jsonw_hexbytes(&w, "abc", 3);
	for (i = 0; i < 100; i++)
		jsonw_end(&w);
	assert_int_equal(w.depth, 0);
	assert_int_equal(o.n, 64 + 4 + 64);
	assert_true(strict_json(&s, o.buf, o.n, 0));
	out_close(&o, NULL);
	start(false);
	for (i = 0; i < 64; i++)
		jsonw_array(&w);
	jsonw_hexbytes(&w, "abc", 3);
	jsonw_uint(&w, 1);
	jsonw_close(&w, 0);
	assert_memory_equal(o.buf + 64, "null,1]", 7);
	out_close(&o, NULL);
}

static void close_at_any_moment(void **state)
{
	(void)state;
	start(false);
	jsonw_array(&w);
	jsonw_object(&w);
	jsonw_name(&w, "a");
	jsonw_object(&w);
	jsonw_name(&w, "due");
	jsonw_close(&w, 1);
	jsonw_uint(&w, 3);
	jsonw_close(&w, 0);
	jsonw_close(&w, 0);
	jsonw_end(&w);
	expect("[{\"a\":{\"due\":null}},3]");
	start(false);
	jsonw_object(&w);
	jsonw_name(&w, "due");
	jsonw_close(&w, 1);
	jsonw_close(&w, 0);
	expect("{\"due\":null}");
}

static void slips_do_not_break_the_document(void **state)
{
	(void)state;
	start(false);
	jsonw_array(&w);
	jsonw_name(&w, "in array");
	jsonw_object(&w);
	jsonw_uint(&w, 1);
	jsonw_name(&w, "a");
	jsonw_name(&w, "b");
	jsonw_uint(&w, 2);
	jsonw_end(&w);
	jsonw_end(&w);
	expect("[{\"\":1,\"a\":null,\"b\":2}]");
}

static void text_of_string(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	assert_string_equal(jsonw_text_str("x\",y:[1]}", a), "\"x\\\",y:[1]}\"");
	arena_free(a);
}

static void embeds(void **state)
{
	static const struct {
		const char *json, *compact, *pretty;
	} rows[] = {
		{ "{\"a\":[1,{\"b\":\"x\\\"]}\"}],\"c\":-1.5e3}", "[{\"a\":[1,{\"b\":\"x\\\"]}\"}],\"c\":-1.5e3}]",
		  "[{\n        \"a\": [1,{\n                \"b\": \"x\\\"]}\"\n            }\n        ],\n        \"c\": -1.5e3\n    }\n]" },
		{ "[]", "[[]]", "[[]\n]" },
		{ "", "[null]", "[null\n]" },
		{ "\"s\"", "[\"s\"]", "[\"s\"\n]" },
		{ "[1,2]]]]", "[[1,2]]", "[[1,2\n    ]\n]" },
		{ "[1", "[[1]]", "[[1\n    ]\n]" },
		{ "true", "[true]", "[true\n]" },
		{ "]", "[null]", "[null\n]" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start(false);
		jsonw_array(&w);
		jsonw_embed(&w, rows[i].json);
		jsonw_end(&w);
		expect(rows[i].compact);
		start(true);
		jsonw_array(&w);
		jsonw_embed(&w, rows[i].json);
		jsonw_end(&w);
		expect(rows[i].pretty);
	}
}

static void random_call(void)
{
	static const char *const texts[] = { "", "a", "\xff", "\"", "{\"x\":[1]}", "\n" };
	const char *text = texts[(size_t)random() % 6];

	switch (random() % 14) {
	case 0:
	case 1:
		jsonw_object(&w);
		break;
	case 2:
		jsonw_array(&w);
		break;
	case 3:
	case 4:
		jsonw_end(&w);
		break;
	case 5:
	case 6:
	case 7:
		jsonw_name(&w, text);
		break;
	case 8:
		jsonw_str(&w, text);
		break;
	case 9:
		jsonw_int(&w, random() - 100);
		break;
	case 10:
		jsonw_hexbytes(&w, text, strlen(text));
		break;
	case 11:
		jsonw_embed(&w, random() % 2 ? "{\"x\":[1,[2]]}" : "[]");
		break;
	case 12:
		jsonw_double(&w, (double)random() / 7);
		break;
	case 13:
		if (random() % 20 == 0)
			jsonw_close(&w, 1 + (unsigned)random() % 3);
		break;
	}
}

/* For any order of calls inside an array, the document is valid JSON. */
static void any_calls_give_json(void **state)
{
	struct strict s;
	unsigned i, k, n;

	(void)state;
	srandom(5);
	for (i = 0; i < 3000; i++) {
		start(i % 2);
		jsonw_array(&w);
		for (k = 0, n = (unsigned)random() % 200; k < n; k++) {
			random_call();
			if (!w.depth)
				break;
		}
		jsonw_close(&w, 0);
		if (!strict_json(&s, o.buf, o.n, STRICT_ANY_KEYS))
			fail_msg("%u: %s", i, out_cstr(&o));
		out_close(&o, NULL);
	}
}

/* The short call for a member must have the same result as the long one, in any state. */
static void member_numbers(void **state)
{
	char quoted[400];

	(void)state;
	memset(quoted, 'x', sizeof(quoted));
	quoted[0] = quoted[sizeof(quoted) - 1] = '"';
	for (int pretty = 0; pretty < 2; pretty++) {
		start(pretty);
		jsonw_member_num(&w, "\"top\"", 5, false, 1);
		expect("1");
		start(pretty);
		jsonw_object(&w);
		jsonw_member_num(&w, "\"a\"", 3, false, 0);
		jsonw_member_num(&w, "\"b\"", 3, true, UINT64_MAX);
		jsonw_name(&w, "due");
		jsonw_member_num(&w, "\"c\"", 3, true, 7);
		jsonw_end(&w);
		expect(pretty ?
			       "{\n    \"a\": 0,\n    \"b\": -18446744073709551615,\n    \"due\": null,\n    \"c\": -7\n}" :
			       "{\"a\":0,\"b\":-18446744073709551615,\"due\":null,\"c\":-7}");
		start(pretty);
		jsonw_array(&w);
		jsonw_member_num(&w, "\"in array\"", 10, false, 3);
		jsonw_member_num(&w, "\"in array\"", 10, true, 4);
		jsonw_end(&w);
		expect(pretty ? "[3,-4\n]" : "[3,-4]");
		start(pretty);
		jsonw_object(&w);
		jsonw_member_num(&w, quoted, sizeof(quoted), false, 5);
		jsonw_end(&w);
		assert_memory_equal(o.buf + 1 + 5 * pretty, quoted, sizeof(quoted));
		out_close(&o, NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compact),
		cmocka_unit_test(member_numbers),
		cmocka_unit_test(pretty),
		cmocka_unit_test(scalars),
		cmocka_unit_test(strings),
		cmocka_unit_test(hexbytes),
		cmocka_unit_test(too_deep_becomes_null),
		cmocka_unit_test(close_at_any_moment),
		cmocka_unit_test(slips_do_not_break_the_document),
		cmocka_unit_test(text_of_string),
		cmocka_unit_test(embeds),
		cmocka_unit_test(any_calls_give_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
