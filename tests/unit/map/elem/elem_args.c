/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "types/btf.h"
#include "types/value/format.h"
#include "cli/env.h"
#include "map/elem/open.h"
#include "map/elem/elem_args.h"
#include "../../types/build.h"

/* Words split at blanks. */
static struct arg_list split(char *buf, size_t size, const char **word, const char *text)
{
	struct arg_list l = { word, 0 };
	char *save = NULL, *w;

	snprintf(buf, size, "%s", text);
	for (w = strtok_r(buf, " ", &save); w; w = strtok_r(NULL, " ", &save))
		word[l.n++] = w;
	return l;
}

static struct open_map map_of(uint32_t type, uint32_t key, uint32_t value, uint32_t cpus)
{
	struct open_map m = { .fd = -1, .info = { .type = type, .id = 7, .key_size = key, .value_size = value } };

	elem_form_init(&m.form, &m.info, cpus);
	m.form.big = false;
	return m;
}

/* Key and values as hex, or the message. */
static const char *element(const struct open_map *m, const char *text)
{
	static char ret[700];
	static const struct globals none;
	struct env env = { .opts = &none };
	unsigned char key[64] = { 0 }, value[64] = { 0 };
	const char *word[32];
	struct elem_args w;
	struct err e = { 0 };
	char buf[300];
	struct arg_list l = split(buf, sizeof(buf), word, text);
	size_t n = 0, i;
	int fd;

	if (elem_args_split(m, &l, ELEM_ARGS_KEY | ELEM_ARGS_VALUE | ELEM_ARGS_FLAGS, &w, &e) ||
	    elem_args_key(m, &w, key, &e) || elem_args_value(&env, m, &w, value, &fd, &e)) {
		assert_int_equal(e.status, EXIT_USAGE);
		snprintf(ret, sizeof(ret), "%s", e.msg);
		return ret;
	}
	ret[0] = '\0';
	for (i = 0; i < m->info.key_size; i++)
		n += (size_t)snprintf(ret + n, sizeof(ret) - n, "%02x", key[i]);
	n += (size_t)snprintf(ret + n, sizeof(ret) - n, ":");
	for (i = 0; i < elem_value_bytes(&m->form); i++)
		n += (size_t)snprintf(ret + n, sizeof(ret) - n, "%02x", value[i]);
	snprintf(ret + n, sizeof(ret) - n, ":%u", (unsigned)w.flags);
	return ret;
}

static void test_bytes(void **state)
{
	static const struct {
		const char *words, *want;
	} rows[] = {
		{ "key 1 2 3 4 value 5 6", "01020304:0506:0" },
		{ "value 5 6 key 1 0x2 03 4", "01020304:0506:0" },
		{ "k hex a e b d v h 1 ff", "0a0e0b0d:01ff:0" },
		{ "noexist key 5 value 258", "05000000:0201:1" },
		{ "key 0x10 value 1 exist", "10000000:0100:2" },
		{ "key 10.0.0.1 value 1 any", "0a000001:0100:0" },
		{ "key 1 2 3 value 1 2", "key expected 4 bytes got 3" },
		{ "key hex 1 2 3", "key expected 4 bytes got 3" },
		{ "key 1 2 3 256 value 1", "key: 256 does not fit in a byte (0 to 255)" },
		{ "key hex 1 2 3 100", "key: 100 does not fit in a byte (0 to 255)" },
		{ "key hex 1 2 3 zz", "error parsing byte: zz" },
		{ "key", "key expected 4 bytes got 0" },
		{ "key 4294967296 value 1", "key: 4294967296 does not fit in 32 bits" },
		{ "key 1 value 65536", "value: 65536 does not fit in 16 bits" },
		{ "key zz value 1", "key: cannot convert 'zz' to 4 bytes" },
		{ "key -1 value 1", "key: cannot convert '-1' to 4 bytes" },
		{ "value 1", "missing key: elements of map 7 have a key of 4 bytes" },
		{ "key 1", "missing value: elements of map 7 have a value of 2 bytes" },
		{ "key 1 key 2", "'key' is given twice" },
		{ "key 1 value 1 any exist", "only one of any, exist and noexist can be given" },
		{ "key 1 value 1 x", "expected key, value, any, exist or noexist, got: 'x'?" },
		{ "key 1 value 1 2 3", "expected key, value, any, exist or noexist, got: '3'?" },
	};
	struct open_map m = map_of(BPF_MAP_TYPE_HASH, 4, 2, 1);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(element(&m, rows[i].words), rows[i].want);
	m.form.big = true;
	assert_string_equal(element(&m, "noexist key 5 value 258"), "00000005:0102:1");
	assert_string_equal(element(&m, "value 5 6 key 1 0x2 03 4"), "01020304:0506:0");
}

static void test_types(void **state)
{
	struct open_map lpm = map_of(BPF_MAP_TYPE_LPM_TRIE, 8, 1, 1), lpm6 = map_of(BPF_MAP_TYPE_LPM_TRIE, 20, 1, 1);
	struct open_map queue = map_of(BPF_MAP_TYPE_QUEUE, 0, 1, 1), cpus = map_of(BPF_MAP_TYPE_PERCPU_ARRAY, 4, 3, 2);
	struct open_map progs = map_of(BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 1);

	(void)state;
	assert_string_equal(element(&lpm, "key 10.1.0.0/16 value 1"), "100000000a010000:01:0");
	assert_string_equal(element(&lpm, "key 10.1.2.3 value 1"), "200000000a010203:01:0");
	assert_string_equal(element(&lpm, "key 5 value 1"), "0500000000000000:01:0");
	assert_string_equal(element(&lpm, "key 10.1.0.0/33 value 1"), "key: cannot convert '10.1.0.0/33' to 8 bytes");
	assert_string_equal(element(&lpm6, "key fe80::/10 value 1"), "0a000000fe800000000000000000000000000000:01:0");
	assert_string_equal(element(&queue, "value 9"), ":09:0");
	assert_string_equal(element(&queue, "key 1 value 9"), "unexpected key: elements of map 7 have no key");
	assert_string_equal(element(&cpus, "key 1 value 1 2 3"), "01000000:01020300000000000102030000000000:0");
	assert_string_equal(element(&progs, "key 1 value 1 0"),
			    "the values of this map are programs: name one by id, name, tag or pinned path");
	assert_string_equal(element(&progs, "key 1 value id"), "'id' needs a value: N");
	assert_string_equal(element(&progs, "key 1 value id x"), "can't parse x as ID");
}

/* A word has the form of a table, JSON the form of a dump, and bytes are bytes. */
static void test_order(void **state)
{
	static const struct {
		const char *words, *shown, *exact;
	} rows[] = {
		{ "key 443 value 1", "01bb:00000001:0", "bb01:01000000:0" },
		{ "key 0x1bb value 0x1", "01bb:00000001:0", "bb01:01000000:0" },
		{ "key \"443\" value 10.0.0.1", "01bb:0a000001:0", "bb01:0a000001:0" },
		{ "key 1 187 value hex a 0 0 1", "01bb:0a000001:0", "01bb:0a000001:0" },
		{ "key 65536 value 1", "key: '65536' is not a number from 0 to 65535",
		  "key: 65536 does not fit in 16 bits (0 to 65535)" },
	};
	struct open_map m = map_of(BPF_MAP_TYPE_HASH, 2, 4, 1);
	ARENA a = arena_new();
	struct btf_types *t = NULL;
	struct btf_build b;
	uint32_t key, value;

	(void)state;
	build_init(&b);
	key = build_ref(&b, BTF_KIND_TYPEDEF, "__be16", build_int(&b, "short", 2, 0, 0, 16));
	value = build_ref(&b, BTF_KIND_TYPEDEF, "__be32", build_int(&b, "int", 4, 0, 0, 32));
	build_done_little(&b);
	assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, NULL), 0);
	elem_form_types(&m.form, t, key, value, VALUE_TYPED, NULL, a);
	m.shown = m.form;
	m.shown.view = VIEW_NAMED;
	elem_form_types(&m.shown, t, key, value, VALUE_TYPED, NULL, a);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(element(&m, rows[i].words), rows[i].shown);
	m.shown = m.form;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(element(&m, rows[i].words), rows[i].exact);
	btf_release(&t);
}

/* Text that looks like a number or a keyword is text. */
static void test_text(void **state)
{
	static const struct {
		const char *words, *want;
	} rows[] = {
		{ "key h value 1", "68:31000000:0" },
		{ "key 1 value hex", "31:68657800:0" },
		{ "value h any key h noexist", "only one of any, exist and noexist can be given" },
		{ "value h exist key h", "68:68000000:2" },
		{ "key hex 1 value hex a 0 0 1", "01:0a000001:0" },
		{ "key hex 1 value hex e", "value expected 4 bytes got 1" },
		{ "key h value hex zz", "value expected 4 bytes got 1" },
		{ "key h value a=1", "68:613d3100:0" },
	};
	struct open_map m = map_of(BPF_MAP_TYPE_HASH, 1, 4, 1);
	ARENA a = arena_new();
	struct btf_types *t = NULL;
	struct btf_build b;
	uint32_t key, value;

	(void)state;
	build_init(&b);
	key = build_int(&b, "char", 1, 0, 0, 8);
	value = build_int(&b, "int", 4, 0, 0, 32);
	build_done_little(&b);
	assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, NULL), 0);
	elem_form_types(&m.form, t, key, value, VALUE_TYPED, NULL, a);
	assert_int_equal(format_apply(&m.form.key, "key", "", FORMAT_STR, NULL, a, NULL), 0);
	assert_int_equal(format_apply(&m.form.value, "value", "", FORMAT_STR, NULL, a, NULL), 0);
	m.shown = m.form;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(element(&m, rows[i].words), rows[i].want);
	btf_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_bytes), cmocka_unit_test(test_types),
					    cmocka_unit_test(test_order), cmocka_unit_test(test_text) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
