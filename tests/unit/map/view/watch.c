/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../types/build.h"
#include "map/elem/state.h"
#include "map/map.h"
#include "map/view/watch.h"
#include "record/field.h"
#include "render/jsonw.h"
#include "render/render.h"
#include "types/value/leaves.h"
#include "types/value/value.h"

/* struct { u32 device; u16 port[2]; } and struct { int packets; u32 bytes; char name[4]; } */
struct elem {
	uint32_t device;
	uint16_t port[2];
	int32_t packets;
	uint32_t bytes;
	char name[4];
};

struct scene {
	struct watch w;
	struct map_rec map;
	struct out out;
	struct arena *a;
	struct btf_types *types;
	struct state old, now;
	bool differs[8];
};

static void scene_begin(struct scene *s, bool typed)
{
	static struct btf_build b;
	uint32_t s32, u32, u16, letter, ports, text, key, value;

	build_init(&b);
	s32 = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	u32 = build_int(&b, "u32", 4, 0, 0, 32);
	u16 = build_int(&b, "u16", 2, 0, 0, 16);
	letter = build_int(&b, "char", 1, BTF_INT_CHAR, 0, 8);
	ports = build_array(&b, u16, u32, 2);
	text = build_array(&b, letter, u32, 4);
	key = build_type(&b, "k", BTF_KIND_STRUCT, 2, 0, 8);
	build_member(&b, "device", u32, 0);
	build_member(&b, "port", ports, 32);
	value = build_type(&b, "v", BTF_KIND_STRUCT, 3, 0, 12);
	build_member(&b, "packets", s32, 0);
	build_member(&b, "bytes", u32, 32);
	build_member(&b, "name", text, 64);
	build_done(&b);

	memset(s, 0, sizeof(*s));
	s->a = arena_new();
	out_init(&s->out, -1);
	assert_int_equal(btf_parse(&s->types, b.out, b.out_n, NULL, NULL), 0);
	s->map.info.id = 7;
	s->map.name = "flows";
	s->w = (struct watch){ .map = &s->map,
			       .form = { .key_size = 8, .value_size = 12 },
			       .differs = s->differs,
			       .lap = 2 * NSEC_PER_SEC,
			       .frame.out = &s->out,
			       .arena = s->a };
	if (typed) {
		s->w.form.key = value_plan(s->types, key, VALUE_FORMATTED, s->a);
		s->w.form.value = value_plan(s->types, value, VALUE_FORMATTED, s->a);
		leaves_find(&s->w.key, s->w.form.key, s->a);
		leaves_find(&s->w.value, s->w.form.value, s->a);
		assert_true(s->w.key.n == 3 && s->w.key.n <= ARRAY_SIZE(s->differs));
	}
	state_init(&s->old, 8, 12);
	state_init(&s->now, 8, 12);
	setenv("LINES", "12", 1);
	setenv("COLUMNS", "80", 1);
}

static void scene_end(struct scene *s)
{
	unsetenv("LINES");
	unsetenv("COLUMNS");
	changes_release(&s->w.changes);
	state_release(&s->old);
	state_release(&s->now);
	btf_release(&s->types);
	out_close(&s->out, NULL);
	arena_free(s->a);
}

static void put(struct state *s, uint32_t device, uint16_t from, uint16_t to, int32_t packets, uint32_t bytes,
		const char *name)
{
	struct elem e = { device, { from, to }, packets, bytes, { 0 } };

	memcpy(e.name, name, strlen(name));
	assert_int_equal(state_add(s, (const unsigned char *)&e, NULL), 0);
}

/* The lines of the picture, without what moves the cursor, blanks at the ends and the time of day. */
static const char *picture(struct scene *s)
{
	static char got[4096];
	const char *p;
	size_t n = 0;

	changes_find(&s->w.changes, &s->old, &s->now, &s->w.value);
	s->w.elems = s->now.n;
	s->out.n = 0;
	watch_draw(&s->w);
	for (p = out_cstr(&s->out); *p && n < sizeof(got) - 1; p++) {
		if (*p == '\033') {
			p += strcspn(p, "HKJm");
			continue;
		}
		while (*p == '\n' && n && got[n - 1] == ' ')
			n--;
		if (*p != '\n' || n)
			got[n++] = *p;
	}
	got[n] = '\0';
	assert_true(n > 8 && got[2] == ':' && got[5] == ':');
	return got + 8;
}

static void test_typed(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s, true);
	put(&s.old, 2, 80, 1000, 10, 100, "web");
	put(&s.old, 2, 80, 2000, 10, 5000, "ssh");
	put(&s.old, 2, 80, 3000, 1, 1, "old");
	put(&s.now, 2, 80, 1000, 14, 4100, "web");
	put(&s.now, 2, 80, 2000, 7, 5000, "scp");
	put(&s.now, 2, 80, 4000, 3, 4, "new");
	assert_string_equal(picture(&s),
			    " UTC  map 7 flows: 3 elements, 2 changed, 1 new, 1 gone in 2.00s\n"
			    "all: device 2\n"
			    "port     MEMBER   VALUE  CHANGE  PER SECOND\n"
			    "80,1000  packets     14      +4        +2.0\n"
			    "         bytes     4100   +4000       +2000\n"
			    "80,2000  packets      7      -3        -1.5\n"
			    "         name     scp\n"
			    "80,4000  new      {\"packets\":3,\"bytes\":4,\"name\":\"new\"}\n"
			    "80,3000  gone     {\"packets\":1,\"bytes\":1,\"name\":\"old\"}\n");
	/* What differed once stays in the rows; columns do not become narrower. */
	state_clear(&s.old);
	state_clear(&s.now);
	put(&s.old, 2, 9, 9, 1, 1, "x");
	put(&s.now, 2, 9, 9, 2, 1, "x");
	assert_string_equal(picture(&s),
			    " UTC  map 7 flows: 1 element, 1 changed in 2.00s\n"
			    "all: device 2\n"
			    "port     MEMBER   VALUE  CHANGE  PER SECOND\n"
			    "9,9      packets      2      +1        +0.5\n");
	scene_end(&s);
}

/* Nothing has changed; then one element: all members of its key are in the row. */
static void test_few(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s, true);
	assert_string_equal(picture(&s),
			    " UTC  map 7 flows: 0 elements in 2.00s\n"
			    "device port  MEMBER  VALUE  CHANGE  PER SECOND\n");
	put(&s.now, 2, 80, 1000, 14, 4100, "web");
	s.map.name = NULL;
	s.map.type = "hash";
	assert_string_equal(picture(&s),
			    " UTC  map 7 hash: 1 element, 1 new in 2.00s\n"
			    "device port  MEMBER  VALUE  CHANGE  PER SECOND\n"
			    "2 80,1000    new     {\"packets\":14,\"bytes\":4100,\"name\":\"web\"}\n");
	scene_end(&s);
}

static void test_bytes(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s, false);
	put(&s.old, 0x02020202, 0x5050, 0x5050, 0x01010101, 0, "web");
	put(&s.now, 0x02020202, 0x5050, 0x5050, 0x01010101, 0, "wep");
	assert_string_equal(picture(&s),
			    " UTC  map 7 flows: 1 element, 1 changed in 2.00s\n"
			    "KEY                      MEMBER  VALUE  CHANGE  PER SECOND\n"
			    "02 02 02 02 50 50 50 50  value   01 01 01 01 00 00 00 00 77 65 70 00\n");
	/* The key is what becomes narrower. */
	setenv("COLUMNS", "50", 1);
	assert_non_null(strstr(picture(&s), "\nKEY              MEMBER  VALUE  CHANGE  PER SECOND\n02 02 "));
	scene_end(&s);
}

/* No more rows than fit, and than were asked for. */
static void test_limits(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s, true);
	for (uint16_t i = 0; i < 20; i++) {
		put(&s.old, 1, i, i, 0, 0, "");
		put(&s.now, 1, i, i, 1, 1, "");
	}
	setenv("LINES", "6", 1);
	assert_string_equal(picture(&s),
			    " UTC  map 7 flows: 20 elements, 20 changed in 2.00s\n"
			    "all: device 1\n"
			    "port  MEMBER   VALUE  CHANGE  PER SECOND\n"
			    "0,0   packets      1      +1        +0.5\n"
			    "      bytes        1      +1        +0.5\n");
	setenv("LINES", "20", 1);
	s.w.limit = 1;
	assert_string_equal(picture(&s),
			    " UTC  map 7 flows: 20 elements, 20 changed in 2.00s\n"
			    "all: device 1\n"
			    "port  MEMBER   VALUE  CHANGE  PER SECOND\n"
			    "0,0   packets      1      +1        +0.5\n"
			    "      bytes        1      +1        +0.5\n");
	scene_end(&s);
}

static const char *record(struct scene *s, size_t i)
{
	struct watch_rec rec;
	struct jsonw w;

	change_read(&s->w, "now", &s->w.changes.change[i], &rec);
	s->out.n = 0;
	jsonw_init(&w, &s->out, false);
	jsonw_object(&w);
	render_json_fields(&w, &schema_change, &rec, 0, NULL);
	jsonw_end(&w);
	return out_cstr(&s->out);
}

#define KEY(a, b) "\"key\":{\"device\":2,\"port\":[" #a "," #b "]}"

static void test_records(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s, true);
	put(&s.old, 2, 80, 1000, 10, 100, "web");
	put(&s.old, 2, 80, 3000, 1, 1, "old");
	put(&s.now, 2, 80, 1000, 7, 100, "top");
	put(&s.now, 2, 80, 4000, 3, 4, "new");
	picture(&s);
	assert_string_equal(record(&s, 0), "{\"time\":\"now\",\"change\":\"changed\"," KEY(80, 1000)
			    ",\"members\":[{\"name\":\"value.packets\",\"old\":10,\"value\":7,\"delta\":-3,\"rate\":-1.5},"
			    "{\"name\":\"value.name\",\"old\":\"web\",\"value\":\"top\"}]}");
	assert_string_equal(record(&s, 1),
			    "{\"time\":\"now\",\"change\":\"new\"," KEY(
				    80, 4000) ",\"value\":{\"packets\":3,\"bytes\":4,\"name\":\"new\"}}");
	assert_string_equal(record(&s, 2),
			    "{\"time\":\"now\",\"change\":\"gone\"," KEY(
				    80, 3000) ",\"value\":{\"packets\":1,\"bytes\":1,\"name\":\"old\"}}");
	scene_end(&s);
	/* Without types: the whole value. */
	scene_begin(&s, false);
	put(&s.old, 0, 0, 0, 0, 0, "");
	put(&s.now, 0, 0, 0, 0, 0, "a");
	picture(&s);
	assert_non_null(
		strstr(record(&s, 0),
		       "\"old\":[\"0x00\",\"0x00\",\"0x00\",\"0x00\",\"0x00\",\"0x00\",\"0x00\",\"0x00\",\"0x00\""));
	assert_non_null(
		strstr(out_cstr(&s.out),
		       ",\"value\":[\"0x00\",\"0x00\",\"0x00\",\"0x00\",\"0x00\",\"0x00\",\"0x00\",\"0x00\",\"0x61\""));
	scene_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_typed),  cmocka_unit_test(test_few),     cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_limits), cmocka_unit_test(test_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
