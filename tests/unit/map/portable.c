/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "../types/build.h"
#include "map/map.h"
#include "map/elem/portable.h"
#include "render/jsonw.h"

/* A map of this form; its key is u32 and its value {u8 a; (3 bytes) u32 b} if it has types. */
struct lab {
	struct btf_build b;
	struct btf_types *t;
	struct arena *a;
	struct elem_form map;
	struct portable_form form;
};

static void lab_init(struct lab *l, uint32_t type, uint32_t key, uint32_t value, uint32_t cpus)
{
	const struct abi_map_info info = { .type = type, .key_size = key, .value_size = value };

	memset(l, 0, sizeof(*l));
	l->a = arena_new();
	elem_form_init(&l->map, &info, cpus);
	l->map.big = false;
	portable_form_init(&l->form, &l->map, 8);
}

static void lab_types(struct lab *l)
{
	uint32_t u8, u32, v;

	build_init(&l->b);
	u8 = build_int(&l->b, "u8", 1, 0, 0, 8);
	u32 = build_int(&l->b, "u32", 4, 0, 0, 32);
	v = build_type(&l->b, "v", BTF_KIND_STRUCT, 2, 0, 8);
	build_member(&l->b, "a", u8, 0);
	build_member(&l->b, "b", u32, 32);
	build_done_little(&l->b);
	assert_int_equal(btf_parse(&l->t, l->b.out, l->b.out_n, NULL, NULL), 0);
	l->map.key = value_plan(l->t, u32, VALUE_FORMATTED, l->a);
	l->map.value = value_plan(l->t, v, VALUE_FORMATTED, l->a);
	portable_form_init(&l->form, &l->map, 8);
}

static void lab_free(struct lab *l)
{
	btf_release(&l->t);
	arena_free(l->a);
}

/* Key and value as hex, the object that the value refers to, or the message. */
static const char *read_text(struct lab *l, const char *text)
{
	static char ret[700];
	unsigned char elem[64];
	size_t n = 0, i, size = l->map.key_size + (size_t)elem_value_bytes(&l->map);
	struct err e = { 0 };
	struct portable got;

	memset(elem, 0xcc, sizeof(elem));
	if (portable_read(&l->form, text, strlen(text), l->a, elem, &got, &e)) {
		snprintf(ret, sizeof(ret), "%s", e.msg);
		return ret;
	}
	if (got.is_map)
		return "map";
	for (i = 0; i < size; i++)
		n += (size_t)snprintf(ret + n, sizeof(ret) - n, i == l->map.key_size ? ":%02x" : "%02x", elem[i]);
	if (got.object.by)
		snprintf(ret + n, sizeof(ret) - n, ":%s%u", got.object.text ? got.object.text : "", got.object.id);
	return ret;
}

struct row {
	const char *text, *want;
};

static void assert_rows(struct lab *l, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_string_equal(read_text(l, rows[i].text), rows[i].want);
}
#define ASSERT_ROWS(l, rows) assert_rows(l, rows, ARRAY_SIZE(rows))

#define KEY "\"key\":[\"0x01\",\"0x02\",\"0x03\",\"0x04\"]"
#define NONE "without a type it is a list of "

static void test_bytes(void **state)
{
	static const struct row rows[] = {
		{ "{" KEY ",\"value\":[\"0xff\",\"0x00\",\"0x1F\"]}", "01020304:ff001f" },
		{ " { \"value\" : [ \"0x01\" , \"0x02\" , \"0x03\" ] , \"key\" : 258 } ", "02010000:010203" },
		{ "{" KEY ",\"value\":[\"0x01\",\"0x02\",\"0x03\"],\"formatted\":{(unsupported-kind)}",
		  "01020304:010203" },
		{ "{\"formatted\":{\"x\":[1]}," KEY ",\"value\":[\"0x01\",\"0x02\",\"0x03\"]}", "01020304:010203" },
		{ "{" KEY ",\"value\":[\"0x01\",\"0x02\"]}", "value: " NONE "3 bytes like \"0x1f\"" },
		{ "{" KEY ",\"value\":[\"0x01\",\"0x02\",\"0x03\",\"0x04\"]}", "value: " NONE "3 bytes like \"0x1f\"" },
		{ "{" KEY ",\"value\":[\"0x01\",\"0x02\",\"0x3\"]}", "value: " NONE "3 bytes like \"0x1f\"" },
		{ "{" KEY ",\"value\":[\"0x01\",\"0x02\",\"0xg0\"]}", "value: " NONE "3 bytes like \"0x1f\"" },
		{ "{" KEY ",\"value\":5}", "value: " NONE "3 bytes like \"0x1f\"" },
		{ "{\"key\":4294967296,\"value\":5}", "key: 4294967296 does not fit in 32 bits" },
		{ "{\"key\":-1,\"value\":5}", "key: -1 does not fit in 32 bits" },
		{ "{\"key\":\"x\"}", "key: " NONE "4 bytes like \"0x1f\", or a number" },
		{ "{" KEY "," KEY "}", "the key is given twice" },
		{ "{" KEY "}", "the value is missing" },
		{ "{\"value\":[\"0x01\",\"0x02\",\"0x03\"]}", "the key is missing" },
		{ "{\"value\":[\"0x01\",\"0x02\",\"0x03\"],\"value\":1}", "the value is given twice" },
		{ "{" KEY ",\"values\":[1]}", "values: the map has a single value for all CPUs" },
		{ "{\"id\":5}", "unexpected member 'id' of an element" },
		{ "[]", "an element must be an object with key and value" },
		{ "{" KEY, "element: byte 37: a comma or '}' is missing" },
		{ "", "element: byte 1: a value is missing" },
		{ "{" KEY ",\"value\":[\"0x01\",\"0x02\",\"0x03\"]}x",
		  "element: byte 69: unexpected text after the value" },
		{ "{\"map\":{\"type\":\"hash\",\"bytes_key\":4,\"x\":[{}],\"bytes_value\":3}}", "map" },
		{ "{\"map\":{\"bytes_key\":4,\"bytes_value\":8}}",
		  "the elements have keys of 4 bytes and values of 8; those of the map have 4 and 3" },
		{ "{\"map\":{\"bytes_key\":\"4\"}}", "map: its sizes must be numbers" },
		{ "{\"map\":7}", "map: expected an object" },
	};
	struct lab l;

	(void)state;
	lab_init(&l, BPF_MAP_TYPE_HASH, 4, 3, 1);
	ASSERT_ROWS(&l, rows);
	lab_free(&l);
}

static void test_typed(void **state)
{
	static const struct row rows[] = {
		{ "{\"key\":7,\"value\":{\"a\":1,\"b\":2}}", "07000000:0100000002000000" },
		{ "{\"key\":0x7,\"value\":{\"b\":0x2,\"a\":\"0x1\"}}", "07000000:0100000002000000" },
		{ "{" KEY ",\"value\":[\"0x01\",\"0x02\",\"0x03\",\"0x04\",\"0x05\",\"0x06\",\"0x07\",\"0x08\"]}",
		  "01020304:0102030405060708" },
		{ "{\"key\":7,\"value\":{\"a\":256,\"b\":2}}", "value.a: 256 does not fit in 8 bits (0 to 255)" },
		{ "{\"key\":7,\"value\":{\"a\":1}}", "value: member 'b' is missing" },
		{ "{\"key\":\"x\",\"value\":{\"a\":1}}", "key: 'x' is not an integer" },
		{ "{\"key\":7,\"value\":{\"a\":1,}}", "value: byte 25: a member's name in quotes is missing" },
	};
	struct lab l;

	(void)state;
	lab_init(&l, BPF_MAP_TYPE_HASH, 4, 8, 1);
	lab_types(&l);
	ASSERT_ROWS(&l, rows);
	lab_free(&l);
}

static void test_percpu(void **state)
{
	static const struct row rows[] = {
		{ "{\"key\":7,\"values\":[258,3]}", "07000000:02010000000000000300000000000000" },
		{ "{\"key\":7,\"values\":[{\"cpu\":0,\"value\":258},{\"cpu\":1,\"value\":[\"0x03\",\"0x00\"]}]}",
		  "07000000:02010000000000000300000000000000" },
		{ "{\"key\":7,\"value\":258}", "07000000:02010000000000000201000000000000" },
		{ "{\"key\":7,\"values\":[258]}", "values: the list has 1 elements, and there are 2 possible CPUs" },
		{ "{\"key\":7,\"values\":[1,2,3]}",
		  "values: the list has more than 2 elements, one for each possible CPU" },
		{ "{\"key\":7,\"values\":3}", "values: expected a list of 2 elements, one for each possible CPU" },
		{ "{\"key\":7,\"values\":[{\"cpu\":1,\"value\":258},2]}",
		  "CPU 0: value: " NONE "2 bytes like \"0x1f\", or a number" },
		{ "{\"key\":7,\"values\":[1,{\"cpu\":1,\"value\":70000}]}",
		  "CPU 1: value: 70000 does not fit in 16 bits" },
		{ "{\"key\":7,\"values\":[{\"cpu\":0,\"value\":1,\"x\":1},2]}",
		  "CPU 0: unexpected text after the value" },
	};
	struct lab l;

	(void)state;
	lab_init(&l, BPF_MAP_TYPE_PERCPU_HASH, 4, 2, 2);
	ASSERT_ROWS(&l, rows);
	lab_free(&l);
}

static void test_others(void **state)
{
	static const struct row objects[] = {
		{ "{\"key\":7,\"value\":{\"id\":12}}", "07000000:00000000:12" },
		{ "{\"key\":7,\"value\":12}", "07000000:00000000:12" },
		{ "{\"key\":7,\"value\":[\"0x0c\",\"0x00\",\"0x00\",\"0x00\"],\"inner_map_id\":12}",
		  "07000000:00000000:12" },
		{ "{\"key\":7,\"value\":{\"pinned\":\"/a/\\u0041\"}}", "07000000:00000000:/a/A0" },
		{ "{\"key\":7,\"value\":{\"name\":\"inner\"}}", "07000000:00000000:inner0" },
		{ "{\"key\":7,\"value\":{\"tag\":\"x\"}}",
		  "value: expected a map, like {\"id\":7} or {\"pinned\":\"PATH\"}" },
		{ "{\"key\":7,\"value\":{\"id\":7,\"x\":1}}",
		  "value: expected a map, like {\"id\":7} or {\"pinned\":\"PATH\"}" },
		{ "{\"key\":7,\"value\":{\"id\":\"7\"}}",
		  "value: expected a map, like {\"id\":7} or {\"pinned\":\"PATH\"}" },
		{ "{\"key\":7,\"value\":4294967296}", "value: 4294967296 is not an id" },
	};
	static const struct row queue[] = {
		{ "{\"value\":5}", ":05" },
		{ "{\"key\":[],\"value\":[\"0x05\"]}", ":05" },
		{ "{\"key\":1,\"value\":5}", "key: the map has no keys" },
	};
	struct lab l;

	(void)state;
	lab_init(&l, BPF_MAP_TYPE_HASH_OF_MAPS, 4, 4, 1);
	ASSERT_ROWS(&l, objects);
	lab_free(&l);
	lab_init(&l, BPF_MAP_TYPE_QUEUE, 0, 1, 1);
	ASSERT_ROWS(&l, queue);
	lab_free(&l);
	/* Global data: typed dumps do not have the key. */
	lab_init(&l, BPF_MAP_TYPE_ARRAY, 4, 1, 1);
	l.form.entries = 1;
	assert_string_equal(read_text(&l, "{\"value\":5}"), "00000000:05");
	lab_free(&l);
}

static void assert_written(struct lab *l, const void *elem, const char *want)
{
	struct out o, scratch;
	struct jsonw w;

	out_init(&o, -1);
	out_init(&scratch, -1);
	jsonw_init(&w, &o, false);
	portable_write(&l->form, &w, elem, &scratch);
	assert_string_equal(out_cstr(&o), want);
	out_close(&o, NULL);
	out_close(&scratch, NULL);
}

static void test_write(void **state)
{
	struct lab l;

	(void)state;
	lab_init(&l, BPF_MAP_TYPE_HASH, 4, 8, 1);
	lab_types(&l);
	assert_true(l.form.key_exact);
	assert_false(l.form.value_exact);
	assert_written(&l,
		       "\7\0\0\0"
		       "\1\0\0\0\2\0\0\0",
		       "{\"key\":7,\"value\":{\"a\":1,\"b\":2}}");
	assert_written(
		&l,
		"\7\0\0\0"
		"\1\0\1\0\2\0\0\0",
		"{\"key\":7,\"value\":[\"0x01\",\"0x00\",\"0x01\",\"0x00\",\"0x02\",\"0x00\",\"0x00\",\"0x00\"]}");
	l.form.hex = true;
	assert_written(&l,
		       "\7\0\0\0"
		       "\1\0\0\0\2\0\0\0",
		       "{\"key\":[\"0x07\",\"0x00\",\"0x00\",\"0x00\"],"
		       "\"value\":[\"0x01\",\"0x00\",\"0x00\",\"0x00\",\"0x02\",\"0x00\",\"0x00\",\"0x00\"]}");
	lab_free(&l);
	lab_init(&l, BPF_MAP_TYPE_PERCPU_ARRAY, 1, 2, 2);
	assert_written(&l,
		       "\7"
		       "\1\2......"
		       "\3\4......",
		       "{\"key\":[\"0x07\"],\"values\":[[\"0x01\",\"0x02\"],[\"0x03\",\"0x04\"]]}");
	lab_free(&l);
	lab_init(&l, BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 1);
	assert_written(&l,
		       "\7\0\0\0"
		       "\0\1\0\0",
		       "{\"key\":[\"0x07\",\"0x00\",\"0x00\",\"0x00\"],\"value\":{\"id\":256}}");
	lab_free(&l);
}

/* Bytes outside of all members are exported with the members, and imported. */
static void test_padding(void **state)
{
	static const struct row rows[] = {
		{ "{\"key\":7,\"value\":{\"a\":1,\"b\":2},\"value_padding\":[\"0x00\",\"0x01\",\"0x7f\"]}",
		  "07000000:0100017f02000000" },
		{ "{\"value_padding\":[\"0x00\",\"0x01\",\"0x7f\"],\"key\":7,\"value\":{\"a\":9,\"b\":2}}",
		  "07000000:0900017f02000000" },
		{ "{\"key\":7,\"value\":{\"a\":1,\"b\":2},\"value_padding\":[\"0x00\"]}",
		  "value_padding: expected a list of 3 bytes, like [\"0x00\"]" },
		{ "{\"key\":7,\"value\":{\"a\":1,\"b\":2},\"key_padding\":[\"0x00\"]}",
		  "key_padding: expected a list of 0 bytes, like [\"0x00\"]" },
	};
	struct lab l;

	(void)state;
	lab_init(&l, BPF_MAP_TYPE_HASH, 4, 8, 1);
	lab_types(&l);
	portable_form_padding(&l.form, l.a);
	assert_int_equal(l.form.key_padding.n, 0);
	assert_written(&l,
		       "\7\0\0\0"
		       "\1\0\1\177\2\0\0\0",
		       "{\"key\":7,\"value\":{\"a\":1,\"b\":2},\"value_padding\":[\"0x00\",\"0x01\",\"0x7f\"]}");
	assert_written(&l,
		       "\7\0\0\0"
		       "\1\0\0\0\2\0\0\0",
		       "{\"key\":7,\"value\":{\"a\":1,\"b\":2}}");
	ASSERT_ROWS(&l, rows);
	lab_free(&l);
}

/* Each CPU has its own padding, if one of them has any; a single value is written to all CPUs with its padding. */
static void test_values_padding(void **state)
{
	static const struct row rows[] = {
		{ "{\"key\":7,\"values\":[{\"a\":1,\"b\":2},{\"a\":3,\"b\":4}],"
		  "\"values_padding\":[[\"0x00\",\"0x01\",\"0x7f\"],[\"0x00\",\"0x00\",\"0x00\"]]}",
		  "07000000:0100017f020000000300000004000000" },
		{ "{\"key\":7,\"value_padding\":[\"0x05\",\"0x00\",\"0x00\"],\"value\":{\"a\":1,\"b\":2}}",
		  "07000000:01050000020000000105000002000000" },
		{ "{\"key\":7,\"values\":[{\"a\":1,\"b\":2},{\"a\":3,\"b\":4}],\"values_padding\":[[\"0x00\",\"0x01\",\"0x7f\"]]}",
		  "values_padding: expected a list for each of 2 possible CPUs, of 3 bytes like \"0x00\"" },
		{ "{\"key\":7,\"values\":[{\"a\":1,\"b\":2},{\"a\":3,\"b\":4}],\"values_padding\":[[\"0x00\"],[\"0x00\"]]}",
		  "values_padding: expected a list for each of 2 possible CPUs, of 3 bytes like \"0x00\"" },
	};
	struct lab l;

	(void)state;
	lab_init(&l, BPF_MAP_TYPE_PERCPU_HASH, 4, 8, 2);
	lab_types(&l);
	portable_form_padding(&l.form, l.a);
	assert_written(&l,
		       "\7\0\0\0"
		       "\1\0\1\177\2\0\0\0"
		       "\3\0\0\0\4\0\0\0",
		       rows[0].text);
	assert_written(&l,
		       "\7\0\0\0"
		       "\1\0\0\0\2\0\0\0"
		       "\3\0\0\0\4\0\0\0",
		       "{\"key\":7,\"values\":[{\"a\":1,\"b\":2},{\"a\":3,\"b\":4}]}");
	ASSERT_ROWS(&l, rows);
	lab_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),	       cmocka_unit_test(test_typed), cmocka_unit_test(test_percpu),
		cmocka_unit_test(test_others),	       cmocka_unit_test(test_write), cmocka_unit_test(test_padding),
		cmocka_unit_test(test_values_padding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
