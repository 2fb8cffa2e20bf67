/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>

#include "base/base.h"
#include "map/elem/print.h"
#include "render/jsonw.h"

#define BYTES40 "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\22\23\24\25\26\27\30\31\32\33\34\35\36\37 !\"#$%&'("
#define HEX16 "01 02 03 04 05 06 07 08  09 0a 0b 0c 0d 0e 0f 10"

static struct elem_form form_of(uint32_t type, uint32_t key, uint32_t value)
{
	const struct abi_map_info info = { .type = type, .key_size = key, .value_size = value };
	struct elem_form f;

	elem_form_init(&f, &info, 2);
	f.big = false;
	return f;
}

static void assert_hex(uint32_t type, uint32_t key, uint32_t value, const void *elem, int err, const char *want)
{
	struct elem_form f = form_of(type, key, value);
	struct out o;

	out_init(&o, -1);
	elem_hex(&f, &o, elem, err);
	assert_string_equal(out_cstr(&o), want);
	out_close(&o, NULL);
}

static void assert_json(uint32_t type, uint32_t key, uint32_t value, const void *elem, int err, const char *want)
{
	struct elem_form f = form_of(type, key, value);
	struct jsonw w;
	struct out o;

	out_init(&o, -1);
	jsonw_init(&w, &o, false);
	elem_json(&f, &w, elem, err);
	assert_string_equal(out_cstr(&o), want);
	out_close(&o, NULL);
}

/* The layouts depend only on the sizes of key and value, with these limits. */
static void test_hex(void **state)
{
	(void)state;
	assert_hex(BPF_MAP_TYPE_HASH, 4, 4, "\1\2\3\4abcd", 0, "key: 01 02 03 04  value: 61 62 63 64\n");
	assert_hex(BPF_MAP_TYPE_HASH, 12, 12, BYTES40, 0,
		   "key: 01 02 03 04 05 06 07 08  09 0a 0b 0c  "
		   "value: 0d 0e 0f 10 11 12 13 14  15 16 17 18\n");
	assert_hex(BPF_MAP_TYPE_HASH, 16, 9, BYTES40, 0, "key: " HEX16 "\nvalue: 11 12 13 14 15 16 17 18  19\n");
	assert_hex(BPF_MAP_TYPE_HASH, 2, 17, "ab" BYTES40, 0, "key:\n61 62\nvalue:\n" HEX16 "\n11\n");
	assert_hex(BPF_MAP_TYPE_HASH, 17, 2, BYTES40, 0, "key:\n" HEX16 "\n11\nvalue:\n12 13\n");
	assert_hex(BPF_MAP_TYPE_ARRAY, 0, 4, "abcd", 0, "value: 61 62 63 64\n");
	assert_hex(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, "abcd", -524,
		   "key:\n61 62 63 64\nvalue:\n"
		   "the kernel does not return the perf events in it [ENOTSUPP]\n");
	assert_hex(BPF_MAP_TYPE_HASH, 4, 4, "abcd", -524,
		   "key:\n61 62 63 64\nvalue:\nNot supported by the kernel [ENOTSUPP]\n");
}

static void test_hex_percpu(void **state)
{
	(void)state;
	assert_hex(BPF_MAP_TYPE_PERCPU_HASH, 4, 6, BYTES40, 0,
		   "key:\n01 02 03 04\n"
		   "value (CPU 00): 05 06 07 08 09 0a\nvalue (CPU 01): 0d 0e 0f 10 11 12\n");
	assert_hex(BPF_MAP_TYPE_PERCPU_ARRAY, 2, 17, "ab" BYTES40 BYTES40, 0,
		   "key:\n61 62\nvalue (CPU 00):\n" HEX16
		   "\n11\nvalue (CPU 01):\n19 1a 1b 1c 1d 1e 1f 20  21 22 23 24 25 26 27 28\n01\n");
}

static void test_hex_maps(void **state)
{
	(void)state;
	assert_hex(BPF_MAP_TYPE_HASH_OF_MAPS, 4, 4, "\1\0\0\0\1\1\0\0", 0, "key: 01 00 00 00  inner_map_id: 257 \n");
	assert_hex(BPF_MAP_TYPE_HASH_OF_MAPS, 17, 4, BYTES40, 0, "key:\n" HEX16 "\n11\ninner_map_id:\n353637138 \n");
}

/* Errors are printed with the layout of a value. */
static void test_hex_errors(void **state)
{
	(void)state;
	assert_hex(BPF_MAP_TYPE_DEVMAP, 4, 4, "\1\0\0\0", -ENOENT, "key: 01 00 00 00  value: <no entry>\n");
	assert_hex(BPF_MAP_TYPE_XSKMAP, 4, 4, "\1\0\0\0", -EOPNOTSUPP,
		   "key:\n01 00 00 00\nvalue:\nOperation not supported\n");
	assert_hex(BPF_MAP_TYPE_SOCKMAP, 4, 4, "\1\0\0\0", -ENOSPC,
		   "key:\n01 00 00 00\nvalue:\nNo space left on device\n");
	assert_hex(BPF_MAP_TYPE_REUSEPORT_SOCKARRAY, 4, 4, "\1\0\0\0", -ENOSPC,
		   "key: 01 00 00 00  value: <cannot read>\n");
	assert_hex(BPF_MAP_TYPE_PERCPU_HASH, 4, 8, "\1\0\0\0", -ENOENT, "key: 01 00 00 00  value: <no entry>\n");
}

static void test_json(void **state)
{
	(void)state;
	assert_json(BPF_MAP_TYPE_HASH, 2, 1, "\1\2\377", 0, "{\"key\":[\"0x01\",\"0x02\"],\"value\":[\"0xff\"]}");
	assert_json(BPF_MAP_TYPE_ARRAY, 0, 1, "\1", 0, "{\"key\":[],\"value\":[\"0x01\"]}");
	assert_json(BPF_MAP_TYPE_ARRAY_OF_MAPS, 1, 4, "\1\2\1\0\0", 0,
		    "{\"key\":[\"0x01\"],\"value\":[\"0x02\",\"0x01\",\"0x00\",\"0x00\"],\"inner_map_id\":258}");
	assert_json(
		BPF_MAP_TYPE_PERCPU_ARRAY, 1, 1, "k\1.......\2.......", 0,
		"{\"key\":[\"0x6b\"],\"values\":[{\"cpu\":0,\"value\":[\"0x01\"]},{\"cpu\":1,\"value\":[\"0x02\"]}]}");
	assert_json(BPF_MAP_TYPE_DEVMAP, 1, 4, "\1", -ENOENT,
		    "{\"key\":[\"0x01\"],\"value\":{\"error\":\"No such file or directory\"}}");
}

static void test_sizes(void **state)
{
	struct elem_form f;

	(void)state;
	f = form_of(BPF_MAP_TYPE_HASH, 4, 7);
	assert_int_equal(elem_value_bytes(&f), 7);
	f = form_of(BPF_MAP_TYPE_PERCPU_HASH, 4, 7);
	assert_int_equal(elem_value_bytes(&f), 16);
	f = form_of(BPF_MAP_TYPE_PERCPU_HASH, 4, 0xffffffff);
	assert_int_equal(elem_value_bytes(&f), 0x200000000);
	f = form_of(BPF_MAP_TYPE_PROG_ARRAY, 4, 4);
	assert_true(elem_skipped(&f, -ENOENT));
	assert_false(elem_skipped(&f, -EPERM));
	assert_false(elem_skipped(&f, 0));
	f = form_of(BPF_MAP_TYPE_DEVMAP, 4, 4);
	assert_false(elem_skipped(&f, -ENOENT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hex),	   cmocka_unit_test(test_hex_percpu), cmocka_unit_test(test_hex_maps),
		cmocka_unit_test(test_hex_errors), cmocka_unit_test(test_json),	      cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
