/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/json/jsonr.h"
#include "types/btf.h"
#include "types/value/format.h"
#include "types/value/member.h"
#include "types/value/value.h"
#include "record/field.h"
#include "record/value.h"
#include "source/machine.h"
#include "source/source.h"
#include "../build.h"
#include "random_types.h"
#include "../../../tools/fake_source.h"

static const char symbols[] = "ffffffff81000000 T schedule\nffffffffc0000000 t there\t[a_module]\n";
static const struct fake_answer answers[] = {
	{ "sys/kallsyms", 0, symbols, sizeof(symbols) - 1 },
	{ "sys/ifaces", 0, "1 lo\n2 eth0\n", 12 },
	{ "sys/cgroups", 0, "7 /system.slice\n1 /\n", 20 },
	{ "sys/clock", 0, "1700000000123456789\n", 20 },
	{ 0 },
};

/* The text of a member in a table is accepted as MEMBER=DATA, and no other member changes: structs of random members
 * with random bytes. */

struct shown {
	const struct value_plan *plan;
	struct arena *a;
	const unsigned char *bytes;
	size_t n;
	char *text[64];
	char *path[64];
	unsigned count;
};

static void member_shown(void *ctx, const char *path)
{
	struct shown *s = ctx;
	const struct value_plan *part;
	struct err e = { 0 };
	struct member m;
	uint64_t base;
	bool is_signed;

	assert_true(s->count < 64);
	assert_int_equal(member_find(&m, s->plan, "value", path[0] == '.' ? path + 1 : path, &e), 0);
	s->path[s->count] = arena_str(s->a, path + 1, SIZE_MAX);
	if (member_is_int(&m, &is_signed)) {
		const uint64_t v = member_int(&m, s->bytes);

		s->text[s->count++] = arena_fmt(s->a, is_signed ? "%lld" : "%llu", (long long)v);
		return;
	}
	part = member_plan(&m, &base, s->a);
	s->text[s->count++] = value_line(part, s->bytes + base, s->n - base, s->a);
}

static void shown(struct shown *ret, const struct value_plan *p, const unsigned char *bytes, size_t n, struct arena *a)
{
	*ret = (struct shown){ .plan = p, .a = a, .bytes = bytes, .n = n };
	members_each(p, member_shown, ret);
}

/* The text in the cell of a table. */
static const char *cell(const char *json, struct arena *a)
{
	static const struct field f = { .name = "cell", .type = FT_JSON };
	const struct value v = { .avail = AVAIL_YES, .type = FT_JSON, .s = json };
	char text[4096];
	struct out o;
	char *ret;

	assert_true(value_text(&f, &v, VALUE_TABLE, text, sizeof(text)) < sizeof(text));
	out_init(&o, -1);
	out_text(&o, text);
	ret = arena_str(a, o.buf, o.n);
	out_close(&o, NULL);
	return ret;
}

static void assert_assigns(const struct value_plan *p, const unsigned char *from, unsigned char *to, size_t n,
			   bool quoted, struct arena *a)
{
	struct shown want, before, after;

	shown(&want, p, from, n, a);
	for (unsigned i = 0; i < want.count; i++) {
		const char *text = quoted ? want.text[i] : cell(want.text[i], a),
			   *line = arena_fmt(a, "%s=%s", want.path[i], text);
		struct err e = { 0 };

		shown(&before, p, to, n, a);
		if (value_set(p, line, to, n, &e))
			fail_msg("%s: %s", line, e.msg);
		shown(&after, p, to, n, a);
		for (unsigned k = 0; k < want.count; k++)
			if (strcmp(after.text[k], k == i ? want.text[k] : before.text[k]))
				fail_msg("%s: %s became %s", line, want.path[k], after.text[k]);
	}
}

/* Some of the numbers that have a name. */
static void put_names(unsigned char *bytes, size_t n)
{
	static const uint64_t known[] = { 1, 2, 7, 0xffffffff81000000, 0xffffffffc0000010, 1000000007 };

	for (size_t i = 0; i + 8 <= n; i += 4)
		if (!rnd(4))
			memcpy(bytes + i, &known[rnd(6)], 8);
}

/* Can two values of the member be compared? */
static bool is_comparable(const char *text)
{
	return *text != '[' && *text != '{';
}

/* The word that a filter compares: without the quotes. */
static const char *unquoted(const char *text, struct arena *a)
{
	char *ret = arena_alloc(a, strlen(text) + 1);
	struct jsonr r;
	size_t n;

	if (*text != '"')
		return text;
	jsonr_init(&r, "a cell", 0, text, strlen(text));
	if (jsonr_next(&r) != JSONR_STR)
		return text;
	n = jsonr_text(&r, ret, strlen(text));
	ret[n] = '\0';
	return ret;
}

/* The text in the cell of a table selects the value in a filter. */
static void assert_selects(const struct value_plan *p, const unsigned char *from, size_t n, struct arena *a)
{
	struct shown s;

	shown(&s, p, from, n, a);
	for (unsigned i = 0; i < s.count; i++) {
		const char *text = unquoted(cell(s.text[i], a), a);
		const struct member_test *test;
		struct err e = { 0 };
		struct member m;

		if (!is_comparable(s.text[i]))
			continue;
		assert_int_equal(member_find(&m, p, "value", s.path[i], &e), 0);
		if (member_test_parse(&test, &m, s.path[i], OP_EQ, text, a, &e))
			fail_msg("%s == %s: %s", s.path[i], text, e.msg);
		if (!member_match(test, from, n))
			fail_msg("%s == %s is false", s.path[i], text);
	}
}

static void test_random(void **state)
{
	unsigned tried = 0;
	struct source *s = NULL;
	struct machine *machine;

	(void)state;
	assert_int_equal(source_fake(&s, answers), 0);
	machine = machine_new(s);
	for (unsigned i = 0; i < 1500; i++) {
		ARENA a = arena_new();
		struct btf_types *t = NULL;
		struct btf_build b;
		unsigned char from[2048], to[2048];
		const struct value_plan *p;
		unsigned size;
		bool quoted; /* as JSON; tables have the other form */
		uint32_t id;

		seed = i;
		quoted = rnd(2);
		build_init(&b);
		id = make_struct(&b, &size);
		build_done(&b);
		assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, NULL), 0);
		assert_true(size <= sizeof(from));
		p = value_plan_tagged(t, id, quoted ? VALUE_FORMATTED : VALUE_TYPED, VIEW_NAMED, machine, a);
		for (unsigned k = 0; k < size; k++) {
			from[k] = (unsigned char)(rnd(3) ? rnd(256) :
						  rnd(2) ? 0 :
							   (unsigned)"ab,= [{\"\\1x\x7f\xff\xf0\xc0\x1b"[rnd(16)]);
			to[k] = (unsigned char)rnd(256);
		}
		put_names(from, size);
		assert_assigns(p, from, to, size, quoted || rnd(2), a);
		if (!quoted)
			assert_selects(p, from, size, a);
		tried += MEMBERS;
		btf_release(&t);
	}
	assert_true(tried > 10000);
	machine_free(&machine);
}

/* In objects and lists, a dump prints numbers as in memory, and a table prints them with the formats of names: both are
 * read. */
static void assert_dump_read(const struct value_plan *p, const struct value_plan *dumped, const unsigned char *from,
			     size_t n, const char *want, struct arena *a)
{
	const char *dump = value_line(dumped, from, n, a);
	unsigned char to[2048];
	struct err e = { 0 };

	if (*dump != '[' && *dump != '{')
		return;
	if (value_read_word(p, "key", dump, to, n, &e))
		fail_msg("%s: %s", dump, e.msg);
	assert_string_equal(value_line(p, to, n, a), want);
}

static struct made make_whole(struct btf_build *b)
{
	unsigned size;
	const uint32_t id = make_struct(b, &size);

	return (struct made){ id, size * 8, 0, NULL, NULL };
}

/* Whole keys and values, as one word. */
static void test_whole(void **state)
{
	static struct made (*const makers[])(struct btf_build * b) = { make_int, make_enum, make_named, make_other,
								       make_whole };
	unsigned nans = 0, texts = 0;

	(void)state;
	for (unsigned i = 0; i < 4000; i++) {
		ARENA a = arena_new();
		struct btf_types *t = NULL;
		struct btf_build b;
		unsigned char from[2048], to[2048];
		const struct value_plan *p;
		const char *want, *word;
		enum value_form form;
		struct err e = { 0 };
		struct made m;

		seed = i;
		rnd(2);
		build_init(&b);
		m = makers[rnd(5)](&b);
		build_done(&b);
		assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, NULL), 0);
		form = rnd(2) ? VALUE_TYPED : VALUE_FORMATTED;
		p = value_plan_tagged(t, m.id, form, VIEW_NAMED, NULL, a);
		assert_true(m.bits / 8 <= sizeof(from));
		for (unsigned k = 0; k < m.bits / 8; k++)
			from[k] = (unsigned char)(rnd(2) ? 0xff : rnd(2) ? 0 : "a\"\\[{\x7f"[rnd(6)]);
		want = value_line(p, from, m.bits / 8, a);
		word = rnd(2) ? want : cell(want, a);
		nans += !strcmp(word, "nan");
		texts += word == want && *want == '"';
		if (value_read_word(p, "key", word, to, m.bits / 8, &e))
			fail_msg("%s: %s", word, e.msg);
		assert_string_equal(value_line(p, to, m.bits / 8, a), want);
		assert_dump_read(p, value_plan_tagged(t, m.id, form, VIEW_BPFTOOL, NULL, a), from, m.bits / 8, want, a);
		btf_release(&t);
	}
	assert_true(nans > 5 && texts > 50);
}

/* A value that is not a number has no word in JSON. */
static void test_floats(void **state)
{
	static const struct {
		double d;
		const char *want;
	} rows[] = {
		{ 1.5, "1.5" },	    { -0.0, "-0" },	 { INFINITY, "\"inf\"" }, { -INFINITY, "\"-inf\"" },
		{ NAN, "\"nan\"" }, { -NAN, "\"nan\"" },
	};
	ARENA a = arena_new();
	struct btf_types *t = NULL;
	struct btf_build b;
	double d;

	(void)state;
	build_init(&b);
	build_type(&b, "double", BTF_KIND_FLOAT, 0, 0, 8);
	build_done(&b);
	assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, NULL), 0);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct value_plan *p = value_plan(t, 1, VALUE_FORMATTED, a);

		assert_string_equal(value_line(p, &rows[i].d, sizeof(d), a), rows[i].want);
		assert_int_equal(value_read_word(p, "value", rows[i].want, &d, sizeof(d), NULL), 0);
		assert_true(d == rows[i].d || (isnan(d) && isnan(rows[i].d)));
	}
	btf_release(&t);
}

/* Text is text, even if it begins like JSON. */
static void test_text(void **state)
{
	static const struct {
		const char *line, *want;
	} rows[] = {
		{ "c=[worker]", "[worker]" },
		{ "c={", "{" },
		{ "c=\"a", "\"a" },
		{ "c=\"a\"", "a" },
		{ "c=[1,2,0,0,0,0,0,0,0,0,0,0]", "\1\2" },
		{ "c=12", "12" },
		{ "c=true", "true" },
		{ "c= b", " b" },
		{ "c=", "" },
	};
	ARENA a = arena_new();
	struct btf_types *t = NULL;
	const struct value_plan *p;
	struct err e = { 0 };
	struct btf_build b;
	uint32_t c, top;
	char got[12];

	(void)state;
	build_init(&b);
	c = build_int(&b, "char", 1, BTF_INT_SIGNED, 0, 8);
	c = build_array(&b, c, c, sizeof(got));
	top = build_type(&b, "t", BTF_KIND_STRUCT, 1, 0, sizeof(got));
	build_member(&b, "c", c, 0);
	build_done(&b);
	assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, NULL), 0);
	p = value_plan(t, top, VALUE_FORMATTED, a);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(got, 'x', sizeof(got));
		if (value_set(p, rows[i].line, got, sizeof(got), &e))
			fail_msg("%s: %s", rows[i].line, e.msg);
		assert_string_equal(got, rows[i].want);
	}
	assert_int_equal(value_set(p, "c=[a text too long]", got, sizeof(got), &e), -EINVAL);
	assert_string_equal(e.msg, "c: 17 characters do not fit: there is room for 11 and a NUL");
	assert_int_equal(
		value_read_word(value_plan(t, c, VALUE_FORMATTED, a), "key", "[worker]", got, sizeof(got), NULL), 0);
	assert_string_equal(got, "[worker]");
	btf_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_random), cmocka_unit_test(test_whole),
					    cmocka_unit_test(test_floats), cmocka_unit_test(test_text) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
