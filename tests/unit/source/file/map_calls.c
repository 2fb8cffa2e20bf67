/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../fake.h"
#include "source/file/map_calls.h"

struct got {
	struct calls_elem elem[4];
	unsigned n;
};

static void keep(void *ctx, const struct calls_record *r)
{
	struct got *g = ctx;

	assert_true(g->n < ARRAY_SIZE(g->elem));
	memcpy(&g->elem[g->n++], r, sizeof(*r) + r->key_bytes + r->value_bytes);
}

static int parsed(const struct str *text, struct got *ret)
{
	ARENA a = arena_new();

	ret->n = 0;
	return map_calls_parse(&(struct blob){ (const unsigned char *)text->p, text->n }, a, keep, ret);
}

static struct calls_elem *sample(void)
{
	static struct calls_elem e;

	memset(&e, 0, sizeof(e));
	e.call = (struct calls_record){ .begin = 5,
					.end = UINT64_MAX,
					.result = INT64_MIN + 1,
					.pid = 7,
					.tid = UINT32_MAX,
					.cmd = 2,
					.size = 300,
					.got = CALLS_ATTR,
					.made = { OBJECT_LINK + 1, 9 },
					.comm = "sixteen let\n\\ r",
					.key_bytes = CALLS_KEY,
					.value_bytes = CALLS_VALUE };
	e.call.object[0] = (struct calls_object){ OBJECT_MAP + 1, 5 };
	e.call.object[3] = (struct calls_object){ OBJECT_PROG + 1, UINT32_MAX };
	memset(e.call.text, 't', sizeof(e.call.text));
	memset(e.call.attr, 0xa5, sizeof(e.call.attr));
	for (size_t i = 0; i < sizeof(e.bytes); i++)
		e.bytes[i] = (unsigned char)(i * 7);
	return &e;
}

static void test_round_trip(void **state)
{
	static struct got got;
	const struct calls_elem *whole = sample();
	struct calls_record empty = { .begin = 1, .end = 1 };
	STR text = { 0 };

	(void)state;
	map_calls_put(&text, &whole->call);
	map_calls_put(&text, &empty);
	assert_int_equal(parsed(&text, &got), 0);
	assert_int_equal(got.n, 2);
	assert_memory_equal(&got.elem[0], whole, sizeof(*whole));
	assert_memory_equal(&got.elem[1], &empty, sizeof(empty));
	assert_int_equal(strcmp(text.p + text.n - strlen("1 1 0 0 0 0 0 - - - - - - - - - ?\n"),
				"1 1 0 0 0 0 0 - - - - - - - - - ?\n"),
			 0);
}

/* A kind that is not known is not an object. */
static void test_kind(void **state)
{
	struct calls_record r = { .made = { OBJECT_KINDS + 1, 4 } };
	static struct got got;
	STR text = { 0 };

	(void)state;
	map_calls_put(&text, &r);
	assert_int_equal(parsed(&text, &got), 0);
	assert_int_equal(got.elem[0].call.made.kind, 0);
}

static void test_damaged(void **state)
{
#define GOOD "1 2 -3 4 5 6 7 map:1 - - - - 00 - 01 02 c\n"
	static const char *const bad[] = {
		"\n",
		"1 2 -3 4 5 6 7 map:1 - - - - 00 - 01 02 c",   /* no end of line */
		"1 2 -3 4 5 6 7 map:1 - - - - 00 - 01 02\n",   /* no command name */
		"3 2 -3 4 5 6 7 map:1 - - - - 00 - 01 02 c\n", /* the end is before the beginning */
		"1 2 --3 4 5 6 7 map:1 - - - - 00 - 01 02 c\n",
		"1 2 9223372036854775808 4 5 6 7 map:1 - - - - 00 - 01 02 c\n",
		"1 2 -3 4294967296 5 6 7 map:1 - - - - 00 - 01 02 c\n",
		"1 2 -3 4 5 6 7 mop:1 - - - - 00 - 01 02 c\n",
		"1 2 -3 4 5 6 7 map: - - - - 00 - 01 02 c\n",
		"1 2 -3 4 5 6 7 map - - - - 00 - 01 02 c\n",
		"1 2 -3 4 5 6 7 map:1 - - - - 0 - 01 02 c\n",
		"1 2 -3 4 5 6 7 map:1 - - - - 000 - 01 02 c\n",
		"1 2 -3 4 5 6 7 map:1 - - - - 0g - 01 02 c\n",
		"1 2 -3 4 5 6 7 map:1 - - - - 00 4100 01 02 c\n",
	};
	static struct got got;
	STR text = { 0 };

	(void)state;
	str_puts(&text, GOOD);
	assert_int_equal(parsed(&text, &got), 0);
	assert_int_equal(got.elem[0].call.result, -3);
	assert_int_equal(got.elem[0].bytes[1], 2);
	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
		str_reset(&text);
		str_puts(&text, GOOD);
		str_puts(&text, bad[i]);
		if (parsed(&text, &got) != -EBADMSG)
			fail_msg("%s", bad[i]);
		assert_true(got.n <= 1);
	}
}

/* More bytes than there is room for. */
static void test_long(void **state)
{
	static const struct {
		unsigned before, most;
	} field[] = { { 12, CALLS_ATTR }, { 13, CALLS_TEXT }, { 14, CALLS_KEY }, { 15, CALLS_VALUE } };
	static struct got got;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(field); i++)
		for (unsigned more = 0; more < 2; more++) {
			STR text = { 0 };

			for (unsigned k = 0; k < 16; k++) {
				str_puts(&text, k < 7 ? "9 " : k != field[i].before ? "- " : "");
				for (unsigned n = 0; k == field[i].before && n < field[i].most + more; n++)
					str_puts(&text, "ff");
				str_puts(&text, k == field[i].before ? " " : "");
			}
			str_puts(&text, "c\n");
			assert_int_equal(parsed(&text, &got), more ? -EBADMSG : 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_kind),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
