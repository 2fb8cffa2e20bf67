/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <string.h>

#include "cli/watch/watch.h"
#include "record/field.h"

struct thing {
	uint32_t id;
	const char *where;
	uint64_t size, runs, since;
	uint8_t has_size;
};
static const struct field fields[] = {
	FIELD(thing, id, "id", "its number", .flags = FIELD_KEY),
	FIELD(thing, where, "where", "place", .flags = FIELD_DEFAULT | FIELD_KEY),
	FIELD_IF(thing, size, has_size, "size", "its size"),
	FIELD(thing, runs, "runs", "its runs", .unit = FU_COUNTER),
	FIELD_AS(thing, since, FT_TIME, "since", "when it began"),
};
static const struct schema things = SCHEMA("thing", thing, fields);

static struct arena *arena;
static struct listing listing;

/* The records of one reading; @text: "ID WHERE SIZE RUNS SINCE, ..."; size ? is unknown, - does not apply. */
static struct watch_reading reading(const char *text)
{
	struct watch_reading r = { .rec = arena_array(arena, 16, sizeof(*r.rec)) };
	char *all = arena_fmt(arena, "%s", text), *one;

	while ((one = strsep(&all, ",")) && *one) {
		struct thing *t = arena_alloc(arena, listing.schema->rec_size);
		char where[16], size[16];
		unsigned runs, since;

		assert_int_equal(sscanf(one, "%u %15s %15s %u %u", &t->id, where, size, &runs, &since), 5);
		t->where = arena_fmt(arena, "%s", where);
		t->has_size = *size == '?' ? AVAIL_UNKNOWN : *size == '-' ? AVAIL_NO : AVAIL_YES;
		t->size = strtoul(size, NULL, 10);
		t->runs = runs;
		t->since = since;
		r.rec[r.n++] = t;
	}
	return r;
}

/* What is shown, as lines of JSON. */
static const char *marked(const char *before, const char *now)
{
	const struct watch_reading a = reading(before), b = reading(now);
	const struct watch_marks m = watch_mark(arena, &listing, &a, &b, "T");
	STR ret = { 0 };
	size_t fresh = 0, changed = 0;

	for (size_t i = 0; i < m.n; i++) {
		struct jsonw_text t;
		struct jsonw *w = jsonw_text_begin(&t);
		const char *json;

		jsonw_object(w);
		render_json_fields(w, listing.schema, m.shown[i], 0, NULL);
		jsonw_end(w);
		json = jsonw_text_end(&t, arena);
		fresh += strstr(json, "\"new\"") != NULL;
		changed += strstr(json, "\"changed\",") != NULL;
		assert_int_equal(watch_change(listing.schema, m.shown[i]) != WATCH_SAME,
				 strstr(json, "\"change\"") != NULL);
		assert_int_equal(watch_change(listing.schema, m.shown[i]) == WATCH_GONE,
				 strstr(json, "\"gone\"") != NULL);
		str_fmt(&ret, "%s\n", json);
	}
	assert_int_equal(m.fresh, fresh);
	assert_int_equal(m.changed, changed);
	return ret.n ? arena_str(arena, ret.p, ret.n) : "";
}

static int start(void **state)
{
	struct env env;

	(void)state;
	arena = arena_new();
	env = (struct env){ .keep = arena };
	listing = (struct listing){ .schema = watch_schema(&env, &things), .render.ops = &render_ndjson };
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

#define A "{\"id\":1,\"where\":\"a\",\"size\":5,\"runs\":0,\"since\":0}\n"
static void test_same(void **state)
{
	(void)state;
	assert_string_equal(marked("", ""), "");
	assert_string_equal(marked("1 a 5 0 0,", "1 a 5 0 0,"), A);
	/* counters, times and what could not be read */
	assert_null(strstr(marked("1 a 5 0 0,", "1 a 5 7 0,"), "change"));
	assert_null(strstr(marked("1 a 5 0 0,", "1 a 5 0 1,"), "change"));
	assert_null(strstr(marked("1 a 5 0 0,", "1 a ? 0 0,"), "change"));
	assert_null(strstr(marked("1 a ? 0 0,", "1 a 5 0 0,"), "change"));
}

static void test_changed(void **state)
{
	(void)state;
	assert_string_equal(
		marked("1 a 4 0 0,", "1 a 5 0 0,"),
		"{\"change\":\"changed\",\"id\":1,\"where\":\"a\",\"size\":5,\"runs\":0,\"since\":0,\"time\":\"T\","
		"\"changed\":[{\"name\":\"size\",\"old\":4,\"value\":5}]}\n");
	assert_non_null(strstr(marked("1 a - 0 0,", "1 a 5 0 0,"), "\"old\":null,\"value\":5}"));
	/* A counter that the user named. */
	listing.view = (struct view){ .cols = (const char *[]){ "change", "runs" }, .ncols = 2 };
	assert_non_null(
		strstr(marked("1 a 4 0 0,", "1 a 5 7 0,"), "\"changed\":[{\"name\":\"runs\",\"old\":0,\"value\":7}]"));
	listing.view = (struct view){ 0 };
	/* In a table, default columns. */
	listing.render.ops = &render_table;
	assert_null(strstr(marked("1 a 4 0 0,", "1 a 5 0 0,"), "change"));
}

/* The order in which records are shown: letters with + new, - gone. */
static const char *order(const char *before, const char *now)
{
	const char *p = marked(before, now);
	STR ret = { 0 };

	for (const char *end; *p; p = end + 1) {
		const char *where = strstr(p, "\"where\":\"") + strlen("\"where\":\"");

		end = strchr(p, '\n');
		str_fmt(&ret, "%s%.*s ",
			str_starts(p, "{\"change\":\"new\"")  ? "+" :
			str_starts(p, "{\"change\":\"gone\"") ? "-" :
								"",
			(int)strcspn(where, "\""), where);
	}
	return arena_str(arena, ret.p, ret.n);
}

static void test_places(void **state)
{
	(void)state;
	assert_string_equal(order("1 a 0 0 0,2 b 0 0 0,3 c 0 0 0,", "1 a 0 0 0,3 c 0 0 0,4 d 0 0 0,"), "a -b c +d ");
	assert_string_equal(order("1 a 0 0 0,2 b 0 0 0,", "3 c 0 0 0,"), "-a -b +c ");
	assert_string_equal(order("", "1 a 0 0 0,2 b 0 0 0,"), "+a +b ");
	assert_string_equal(order("1 a 0 0 0,2 b 0 0 0,", ""), "-a -b ");
	assert_string_equal(order("1 a 0 0 0,2 b 0 0 0,3 c 0 0 0,", "2 b 0 0 0,"), "-a b -c ");
	/* another order */
	assert_string_equal(order("1 a 0 0 0,2 b 0 0 0,3 c 0 0 0,", "3 c 0 0 0,1 a 0 0 0,"), "c a -b ");
	/* the same number elsewhere is another one */
	assert_string_equal(order("1 a 0 0 0,", "1 b 0 0 0,"), "-a +b ");
}

/* Equal ones are counted. */
static void test_equal(void **state)
{
	(void)state;
	assert_string_equal(order("1 a 0 0 0,1 a 0 0 0,", "1 a 0 0 0,1 a 0 0 0,1 a 0 0 0,"), "a a +a ");
	assert_string_equal(order("1 a 0 0 0,1 a 0 0 0,1 a 0 0 0,", "1 a 0 0 0,"), "a -a -a ");
}

static void test_view(void **state)
{
	const struct view good = { .keys = (const char *[]){ "id" }, .nkeys = 1 },
			  bad = { .keys = (const char *[]){ "id", "change" }, .nkeys = 2 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(watch_check_view(&good, &e), 0);
	assert_int_equal(watch_check_view(&bad, &e), -EINVAL);
	assert_string_equal(e.msg,
			    "with --watch, 'change' is always shown, and records are not filtered or sorted by it");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, start, end)
	const struct CMUnitTest tests[] = {
		TEST(test_same), TEST(test_changed), TEST(test_places), TEST(test_equal), TEST(test_view),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
