/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <stdlib.h>

#include "base/base.h"
#include "record/field.h"
#include "render/doc.h"
#include "render/jsonw.h"

struct line {
	const char *above, *first, *second;
	uint64_t number, place;
	const unsigned char *bytes;
	uint32_t nbytes;
	uint8_t has_number;
};
#define LINE(m, name, ...) FIELD(line, m, name, "a field of the test", ##__VA_ARGS__)
static const struct field fields[] = {
	LINE(above, "above", .plain = "%:"),
	LINE(number, "number", .plain = "%: ", .line = 1, .width = 4, .flags = FIELD_JSON_NZ,
	     FIELD_WHEN(line, has_number)),
	LINE(place, "place", .plain = " at %", .line = 1, .col = 1, .unit = FU_CODE),
	LINE(first, "first", .line = 1, .col = 2, .flags = FIELD_NOPLAIN),
	LINE(second, "second", .plain = " <%>", .line = 1, .col = 3, .flags = FIELD_ELSE),
	FIELD_LIST(line, bytes, nbytes, FT_UINT, "bytes", "its bytes", .plain = "\t% ", .line = 2, .unit = FU_BYTE,
		   .flags = FIELD_PLAIN_NZ),
};
static const struct schema schema = SCHEMA("line", line, fields, .indent = "");

struct test_doc {
	struct out out;
	struct jsonw jw;
	struct arena *arena;
	struct doc d;
};

static void begin(struct test_doc *t, bool json)
{
	out_init(&t->out, -1);
	jsonw_init(&t->jw, &t->out, false);
	t->arena = arena_new();
	doc_init(&t->d, &t->out, json ? &t->jw : NULL, t->arena);
}

static void end(struct test_doc *t, const char *text)
{
	assert_string_equal(out_cstr(&t->out), text);
	assert_int_equal(t->jw.depth, 0);
	out_close(&t->out, NULL);
	arena_free(t->arena);
}

static void stars(void *ctx, unsigned line, struct out *o)
{
	out_str(o, ctx);
	out_dec(o, line);
	out_char(o, ' ');
}

static const unsigned char bytes[] = { 0xb7, 0 };
static const struct line one = {
	.above = "f",
	.number = 7,
	.has_number = AVAIL_YES,
	.place = 31,
	.first = "a",
	.second = "b",
	.bytes = bytes,
	.nbytes = 2,
};
static const struct line two = { .has_number = AVAIL_YES, .second = "c", .bytes = bytes };

static void both_write(struct doc *d)
{
	doc_list(d, NULL);
	doc_object(d, NULL);
	doc_headline(d, &schema, &one);
	doc_list(d, "lines");
	doc_margin(d, stars, "*");
	doc_record(d, &schema, &one);
	doc_record(d, &schema, &two);
	doc_margin(d, NULL, NULL);
	doc_end(d);
	doc_text(d, "\n");
	doc_object(d, "last");
	doc_fields(d, &schema, &two);
	doc_end(d);
	doc_end(d);
	doc_end(d);
}

static void test_text(void **state)
{
	struct test_doc t;

	(void)state;
	begin(&t, false);
	both_write(&t.d);
	assert_int_equal(t.d.unread, 0);
	end(&t, "f:\n*0 f:\n*1    7:  at 1f\n*2 \tb7 00 \n*1    0:  at 0 <c>\n\n   0:  at 0 <c>\n");
}

static void test_json(void **state)
{
	struct test_doc t;

	(void)state;
	begin(&t, true);
	both_write(&t.d);
	end(&t,
	    "[{\"above\":\"f\",\"lines\":[{\"above\":\"f\",\"number\":7,\"place\":\"0x1f\",\"first\":\"a\",\"second\":\"b\",\"bytes\":[\"0xb7\",\"0x00\"]},"
	    "{\"place\":\"0x0\",\"second\":\"c\",\"bytes\":[]}],\"last\":{\"place\":\"0x0\",\"second\":\"c\",\"bytes\":[]}}]");
}

/* A field that could not be read is marked in both formats and counted. */
static void test_unread(void **state)
{
	const struct line unread = { .has_number = AVAIL_UNKNOWN };
	struct test_doc t;

	(void)state;
	for (int json = 0; json < 2; json++) {
		begin(&t, json);
		doc_record(&t.d, &schema, &unread);
		assert_int_equal(t.d.unread, 1);
		end(&t, json ? "{\"number\":null,\"place\":\"0x0\",\"bytes\":[]}" : "   ?:  at 0\n");
	}
}

static const struct line left = { .has_number = AVAIL_YES, .second = "\x1b" };

static void write_left(void *ctx, struct doc *d)
{
	(void)ctx;
	doc_record(d, &schema, &left);
}

static void write_right(void *ctx, struct doc *d)
{
	doc_text(d, ctx);
}

static void test_beside(void **state)
{
	static char text[] = "\033[1mone two three\033[0m four five\n",
		    word[] = "0123456789012345678901234567890123456789";
	struct test_doc t;

	(void)state;
	begin(&t, false);
	doc_cell(&t.d, &schema, &left);
	assert_true(doc_columns(&t.d) > 0);
	end(&t, "   0:  at 0 <\\x1b>");
	setenv("COLUMNS", "42", 1);
	begin(&t, false);
	doc_pair(&t.d, write_left, write_right, "\tx\n", 20);
	doc_pair(&t.d, write_left, NULL, NULL, 20);
	doc_pair(&t.d, NULL, write_right, "x", 4);
	/* Text that does not fit is continued in its column, with the same colours. */
	doc_pair(&t.d, write_left, write_right, text, 20);
	doc_pair(&t.d, write_left, write_right, word, 20);
	doc_pair(&t.d, write_right, NULL, word, 20);
	end(&t,
	    "   0:  at 0 <\\x1b>   | \tx\n   0:  at 0 <\\x1b>\n     | x\n"
	    "   0:  at 0 <\\x1b>   | \033[1mone two three\033[0m four\n"
	    "                     |         five\n"
	    "   0:  at 0 <\\x1b>   | 0123456789012345678\n"
	    "                     |         90123456789\n"
	    "                     |         0123456789\n"
	    "0123456789012345678901234567890123456789\n");
	begin(&t, false);
	t.out.wide = true;
	doc_pair(&t.d, write_left, write_right, word, 4);
	end(&t, "   0:  at 0 <\\x1b> | 0123456789012345678901234567890123456789\n");
	unsetenv("COLUMNS");
	begin(&t, true);
	assert_int_equal(doc_columns(&t.d), 0);
	doc_cell(&t.d, &schema, &left);
	end(&t, "{\"place\":\"0x0\",\"second\":\"\\u001b\",\"bytes\":[]}");
}

/* On a terminal, a wide cell takes the blanks of the columns after it. */
static void test_row(void **state)
{
	static const struct doc_column columns[] = { { "above", "ABOVE", 6 },
						     { "first", "FIRST", 8 },
						     { "second", "SECOND", 8 } };
	static const struct line wide = { .above = "12345678", .first = "ab", .second = "z" };
	struct test_doc t;

	(void)state;
	setenv("COLUMNS", "60", 1);
	begin(&t, false);
	t.out.tty = true;
	doc_row(&t.d, 0, columns, ARRAY_SIZE(columns), &schema, &wide);
	doc_row(&t.d, 0, columns, ARRAY_SIZE(columns), &schema, &one);
	end(&t, "12345678 ab     z       \nf      a        b       \n");
	unsetenv("COLUMNS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),   cmocka_unit_test(test_json), cmocka_unit_test(test_unread),
		cmocka_unit_test(test_beside), cmocka_unit_test(test_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
