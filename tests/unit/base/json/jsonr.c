/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "base/json/jsonr.h"

/* All tokens of a text, a letter for each; names and numbers unchanged, text without escapes. */
static const char *tokens(const char *text, size_t n, unsigned flags)
{
	static char buf[1024];
	size_t at = 0, len;
	struct jsonr r;

	jsonr_init(&r, "text", flags, text, n);
	for (;;) {
		enum jsonr_token t = jsonr_next(&r);

		assert_true(at < sizeof(buf) - 200);
		buf[at++] = "!.{[}:snTF0"[t];
		if (t == JSONR_NAME || t == JSONR_STR || t == JSONR_NUM) {
			len = jsonr_text(&r, buf + at, 100);
			assert_true(len <= r.len);
			at += len < 100 ? len : 100;
			buf[at++] = ' ';
		}
		if (t == JSONR_BAD || t == JSONR_END)
			break;
	}
	buf[at] = '\0';
	if (r.state && buf[at - 1] == '!')
		assert_int_equal(jsonr_next(&r), JSONR_BAD);
	return buf;
}

#define TOKENS(text, want) assert_string_equal(tokens(text, sizeof(text) - 1, 0), want)

static void test_values(void **state)
{
	(void)state;
	TOKENS("1", "n1 .");
	TOKENS(" [ ] ", "[}.");
	TOKENS("{}", "{}.");
	TOKENS("[1,-0.5e+3,true,false,null,\"x\"]", "[n1 n-0.5e+3 TF0sx }.");
	TOKENS("{\"a\" : {\"b\":[{}]},\"c\":\"\"}", "{:a {:b [{}}}:c s }.");
	TOKENS("340282366920938463463374607431768211455", "n340282366920938463463374607431768211455 .");
	TOKENS("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\ud83d\\ude00\\u00e9\"",
	       "s\"\\/\b\f\n\r\tA\xf0\x9f\x98\x80\xc3\xa9 .");
}

static void test_refused(void **state)
{
	/* clang-format off */
	static const char *const texts[] = {
		"", " ", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "01", "-", "1.", ".5", "1e", "+1", "0x5",
		"tru", "nul", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\x01\"", "\"\xff\"",
		"\"\xc0\x80\"", "1 1", "[1]]", "[}", "{]", "'a'", "NaN", "Infinity", "[1", "{\"a\":1", ("\xef\xbb\xbf" "1"), "/**/1",
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *got = tokens(texts[i], strlen(texts[i]), 0);

		if (got[strlen(got) - 1] != '!')
			fail_msg("%s: %s", texts[i], got);
	}
	assert_string_equal(tokens("1\0", 2, 0), "n1 !");
}

static void test_depth(void **state)
{
	char text[200];

	(void)state;
	memset(text, '[', JSONR_DEPTH + 1);
	memset(text + JSONR_DEPTH, ']', JSONR_DEPTH);
	assert_int_equal(tokens(text, 2 * JSONR_DEPTH, 0)[2 * JSONR_DEPTH], '.');
	memset(text, '[', JSONR_DEPTH + 1);
	assert_int_equal(tokens(text, 2 * JSONR_DEPTH, 0)[JSONR_DEPTH], '!');
}

static void test_flags(void **state)
{
	(void)state;
	assert_string_equal(tokens("[0x1F,0,0x]", 11, JSONR_HEX), "[n0x1F n0 n0 !");
	assert_string_equal(tokens("init", 4, JSONR_WORD), "sinit .");
	assert_string_equal(tokens("", 0, JSONR_WORD), "s .");
	assert_string_equal(tokens("a\\n", 3, JSONR_WORD), "sa\\n .");
	assert_string_equal(tokens("[1]", 3, JSONR_WORD), "[n1 }.");
	assert_string_equal(tokens("\"a\\n\"", 5, JSONR_WORD), "sa\n .");
}

static void test_names(void **state)
{
	static const char text[] = "{\"a\":1, \"b\" :2,\"\\u0063\":3}";
	struct jsonr r;
	uint32_t c;

	(void)state;
	jsonr_init(&r, "text", 0, text, sizeof(text) - 1);
	assert_false(jsonr_name_is(&r, "\"a\"", 3));
	assert_int_equal(jsonr_next(&r), JSONR_OBJECT);
	assert_false(jsonr_name_is(&r, "\"b\"", 3));
	assert_true(jsonr_name_is(&r, "\"a\"", 3));
	assert_int_equal(jsonr_peek(&r), JSONR_NUM);
	assert_int_equal(jsonr_next(&r), JSONR_NUM);
	assert_false(jsonr_name_is(&r, "\"b\"", 3)); /* written differently */
	assert_int_equal(jsonr_next(&r), JSONR_NAME);
	assert_true(jsonr_equal(&r, "\"b\"", 3));
	assert_true(jsonr_equal(&r, "\"\\u0062\"", 8));
	assert_int_equal(jsonr_skip(&r, JSONR_NAME), JSONR_NUM);
	assert_int_equal(jsonr_next(&r), JSONR_NAME);
	assert_true(jsonr_equal(&r, "\"c\"", 3));
	assert_false(jsonr_equal(&r, "\"cc\"", 4));
	assert_int_equal(jsonr_char(&r, &c), 6);
	assert_int_equal(c, 'c');
}

static void test_uint(void **state)
{
	static const char text[] = "{\"a\":18,\"b\":-1,\"c\":[0,7,08,300 ,1.5]}";
	struct jsonr r;
	uint64_t v = 5;

	(void)state;
	jsonr_init(&r, "text", 0, text, sizeof(text) - 1);
	assert_false(jsonr_uint(&r, 99, &v));
	assert_int_equal(jsonr_next(&r), JSONR_OBJECT);
	assert_false(jsonr_uint(&r, 99, &v)); /* a name comes next */
	assert_true(jsonr_name_is(&r, "\"a\"", 3));
	assert_false(jsonr_uint(&r, 17, &v));
	assert_int_equal(v, 5);
	assert_true(jsonr_uint(&r, 18, &v));
	assert_int_equal(v, 18);
	assert_false(jsonr_uint(&r, 99, &v));
	assert_true(jsonr_name_is(&r, "\"b\"", 3));
	assert_false(jsonr_uint(&r, 99, &v));
	assert_int_equal(jsonr_next(&r), JSONR_NUM);
	assert_true(jsonr_name_is(&r, "\"c\"", 3));
	assert_int_equal(jsonr_next(&r), JSONR_ARRAY);
	assert_true(jsonr_uint(&r, 0, &v));
	assert_int_equal(v, 0);
	assert_true(jsonr_uint(&r, 7, &v));
	assert_false(jsonr_uint(&r, 99, &v));
	assert_int_equal(jsonr_next(&r), JSONR_BAD);
	assert_false(jsonr_uint(&r, 99, &v));
	assert_int_equal(jsonr_next(&r), JSONR_BAD);
}

static void test_skip(void **state)
{
	static const char text[] = "[{\"a\":[1,{}]},2]";
	struct jsonr r;

	(void)state;
	jsonr_init(&r, "text", 0, text, sizeof(text) - 1);
	jsonr_next(&r);
	assert_int_equal(jsonr_skip(&r, jsonr_next(&r)), JSONR_CLOSE);
	assert_int_equal(jsonr_next(&r), JSONR_NUM);
	assert_int_equal(jsonr_next(&r), JSONR_CLOSE);
	assert_int_equal(jsonr_next(&r), JSONR_END);
}

static void test_sentence(void **state)
{
	struct err e = { 0 };
	struct jsonr r;

	(void)state;
	jsonr_init(&r, "value", 0, "{\"a\":1 \"b\":2}", 13);
	while (jsonr_next(&r) != JSONR_BAD)
		;
	assert_int_equal(jsonr_error(&r, &e), -EINVAL);
	assert_string_equal(e.msg, "value: byte 8: a comma or '}' is missing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values), cmocka_unit_test(test_refused),	cmocka_unit_test(test_depth),
		cmocka_unit_test(test_flags),  cmocka_unit_test(test_names),	cmocka_unit_test(test_uint),
		cmocka_unit_test(test_skip),   cmocka_unit_test(test_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
