/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>

#include "base/base.h"
#include "../../types/build.h"
#include "../../../tools/fake_source.h"
#include "base/bytes.h"
#include "types/btf.h"
#include "cli/command.h"
#include "cli/env.h"
#include "map/map.h"
#include "render/jsonw.h"
#include "source/elems.h"
#include "source/facts.h"
#include "source/source.h"

/* A batch of n elements with 4-byte keys and 4-byte values; errs may be NULL. */
struct batch {
	unsigned char bytes[512];
	size_t n;
};

static void batch_make(struct batch *b, const char *next, uint32_t n, const uint32_t *keys, const uint32_t *values,
		       const int32_t *errs)
{
	struct elems_head h = { .count = n, .key_size = 4, .value_size = 4, .next_len = (uint16_t)strlen(next) };
	unsigned char *p = b->bytes;

	memcpy(p, &h, sizeof(h));
	p += sizeof(h);
	memcpy(p, next, h.next_len);
	p += h.next_len;
	for (uint32_t i = 0; i < n; i++, p += 12) {
		int32_t err = errs ? errs[i] : 0;

		memcpy(p, &err, 4);
		store_uint(p + 4, 4, keys[i], false);
		store_uint(p + 8, 4, values[i], false);
	}
	b->n = (size_t)(p - b->bytes);
}

static char noted[160]; /* by the last dump */

/* Run `map dump` on the answers; its output is in o. */
static int dump(const struct fake_answer *answers, const char *name, bool json, struct out *o, struct err *e,
		size_t *unread)
{
	/* The first member of the command's options. */
	union {
		struct object_refs refs;
		char all[256];
	} opts = { .all = { 0 } };
	const struct object_ref ref = { .by = name ? SEL_NAME : SEL_ID, .id = 7, .text = name };
	static const struct globals none;
	struct report report = { .out = o };
	struct env env = { .opts = &none, .kind = &kind_map, .report = &report };
	struct source *src = NULL;
	struct jsonw w;
	int err;

	assert_true(map_dump.opts_size <= sizeof(opts));
	opts.refs = (struct object_refs){ &ref, 1 };
	assert_int_equal(source_fake(&src, answers), 0);
	src->swapped = BIG_HERE; /* a little-endian machine */
	env.machine = machine_new(src);
	env.arena = arena_new();
	env.keep = arena_new();
	out_init(o, -1);
	jsonw_init(&w, o, false);
	env.report->jw = json ? &w : NULL;
	err = map_dump.run(&env, &opts, e);
	assert_int_equal(w.depth, 0);
	if (unread)
		*unread = env.report->unread;
	memcpy(noted, env.report->note, sizeof(noted));
	machine_free(&env.machine);
	arena_free(env.arena);
	arena_free(env.keep);
	return err;
}

static void assert_dump(const struct fake_answer *answers, const char *name, bool json, const char *want)
{
	struct err e = { 0 };
	struct out o;

	if (dump(answers, name, json, &o, &e, NULL))
		fail_msg("%s", e.msg);
	assert_string_equal(out_cstr(&o), want);
	out_close(&o, NULL);
}

static const struct abi_map_info hash = {
	.type = BPF_MAP_TYPE_HASH,
	.id = 7,
	.key_size = 4,
	.value_size = 4,
	.name = "h",
};
static const uint32_t one_two_three[] = { 1, 2, 3 };

static void test_batches(void **state)
{
	struct batch a, b, none;
	const struct fake_answer answers[] = {
		{ "map/7/info", 0, &hash, sizeof(hash) },
		{ "map/7/elems/start", 0, a.bytes, 0 },
		{ "map/7/elems/b.2.ff", 0, b.bytes, 0 },
		{ 0 },
	};
	struct fake_answer filled[4];

	(void)state;
	batch_make(&a, "b.2.ff", 2, one_two_three, one_two_three, NULL);
	batch_make(&b, "", 1, one_two_three + 2, one_two_three, NULL);
	memcpy(filled, answers, sizeof(filled));
	filled[1].n = a.n;
	filled[2].n = b.n;
	assert_dump(filled, NULL, false,
		    "key: 01 00 00 00  value: 01 00 00 00\nkey: 02 00 00 00  value: 02 00 00 00\n"
		    "key: 03 00 00 00  value: 01 00 00 00\nFound 3 elements\n");
	batch_make(&none, "", 0, NULL, NULL, NULL);
	filled[1].p = none.bytes;
	filled[1].n = none.n;
	assert_dump(filled, NULL, false, "Found 0 elements\n");
	assert_dump(filled, NULL, true, "[]");
}

/* The map changed while it was read: a note, and no failure, unless elements are missing. */
static void test_changes(void **state)
{
	static const uint16_t flags[] = { 0, ELEMS_CHANGED, ELEMS_CHANGED | ELEMS_CUT };
	struct batch a;
	struct fake_answer answers[] = { { "map/7/info", 0, &hash, sizeof(hash) },
					 { "map/7/elems/start", 0, a.bytes, 0 },
					 { 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct err e = { 0 };
		size_t unread;
		struct out o;

		batch_make(&a, "", 1, one_two_three, one_two_three, NULL);
		memcpy(a.bytes + offsetof(struct elems_head, flags), &flags[i], sizeof(flags[i]));
		answers[1].n = a.n;
		assert_int_equal(dump(answers, NULL, true, &o, &e, &unread), 0);
		assert_int_equal(unread, i == 2);
		assert_string_equal(
			noted,
			i == 1 ?
				"map 7 changed while it was read; elements that came or went meanwhile may be missing" :
				"");
		out_close(&o, NULL);
	}
}

static void test_errors_of_elements(void **state)
{
	static const int32_t errs[] = { -ENOENT, 0, -EPERM };
	struct abi_map_info progs = hash;
	struct batch a;
	struct fake_answer answers[] = {
		{ "map/7/info", 0, &progs, sizeof(progs) },
		{ "map/7/elems/start", 0, a.bytes, 0 },
		{ 0 },
	};

	(void)state;
	progs.type = BPF_MAP_TYPE_PROG_ARRAY;
	batch_make(&a, "", 3, one_two_three, one_two_three, errs);
	answers[1].n = a.n;
	assert_dump(answers, NULL, false,
		    "key: 02 00 00 00  value: 02 00 00 00\n"
		    "key:\n03 00 00 00\nvalue:\nOperation not permitted\nFound 1 element\n");
}

static void test_typed(void **state)
{
	struct abi_map_info info = hash, untyped = hash;
	struct btf_build t;
	struct batch a;
	static const uint32_t ids[] = { 7, 8 };
	struct fake_answer answers[] = {
		{ "map/7/info", 0, &info, sizeof(info) },
		{ "map/7/elems/start", 0, a.bytes, 0 },
		{ "btf/5/data", 0, t.out, 0 },
		{ "map/8/info", 0, &untyped, sizeof(untyped) },
		{ "map/8/elems/start", 0, a.bytes, 0 },
		{ "map/ids", 0, ids, sizeof(ids) },
		{ 0 },
	};

	(void)state;
	build_init(&t);
	info.btf_id = 5;
	info.btf_key_type_id = build_int(&t, "int", 4, BTF_INT_SIGNED, 0, 32);
	info.btf_value_type_id = build_type(&t, "s", BTF_KIND_STRUCT, 1, 0, 4);
	build_member(&t, "a", info.btf_key_type_id, 0);
	build_done_little(&t);
	batch_make(&a, "", 1, one_two_three, one_two_three + 1, NULL);
	answers[1].n = answers[4].n = a.n;
	answers[2].n = t.out_n;
	assert_dump(answers, NULL, false,
		    "[{\n        \"key\": 1,\n        \"value\": {\n            \"a\": 2\n        }\n    }\n]\n");
	assert_dump(answers, NULL, true,
		    "[{\"key\":[\"0x01\",\"0x00\",\"0x00\",\"0x00\"],\"value\":[\"0x02\",\"0x00\",\"0x00\",\"0x00\"],"
		    "\"formatted\":{\"key\":1,\"value\":{\"a\":2}}}]");
	/* One of the two has no types: both are bytes. */
	untyped.id = 8;
	assert_dump(answers, "h", false,
		    "7: hash  name h  flags 0x0\nkey: 01 00 00 00  value: 02 00 00 00\nFound 1 element\n\n"
		    "8: hash  name h  flags 0x0\nkey: 01 00 00 00  value: 02 00 00 00\nFound 1 element\n");
	/* Without readable types, the bytes are printed. */
	answers[2].err = -EPERM;
	assert_dump(
		answers, NULL, true,
		"[{\"key\":[\"0x01\",\"0x00\",\"0x00\",\"0x00\"],\"value\":[\"0x02\",\"0x00\",\"0x00\",\"0x00\"]}]");
	assert_dump(answers, NULL, false, "key: 01 00 00 00  value: 02 00 00 00\nFound 1 element\n");
}

static void assert_fails(const struct fake_answer *answers, const char *name, int code, const char *sentence)
{
	for (int json = 0; json < 2; json++) {
		struct err e = { 0 };
		struct out o;

		assert_int_equal(dump(answers, name, json, &o, &e, NULL), code);
		assert_string_equal(e.msg, sentence);
		assert_true(*e.hint || code == -EBADMSG || code == -ENOENT);
		assert_int_equal(o.n, 0);
		out_close(&o, NULL);
	}
}

static void test_refused(void **state)
{
	struct abi_map_info queue = hash;
	struct batch a;
	struct fake_answer answers[] = {
		{ "map/7/info", 0, &hash, sizeof(hash) },
		{ "map/7/elems/start", -ENODATA, a.bytes, 0 },
		{ 0 },
	};

	(void)state;
	assert_fails(answers, NULL, -ENODATA, "map 7: its contents were not saved");
	batch_make(&a, "", 2, one_two_three, one_two_three, NULL);
	answers[1].err = 0;
	answers[1].n = a.n - 1;
	assert_fails(answers, NULL, -EBADMSG, "map 7: the elements do not have the sizes of its keys and values");
	queue.type = BPF_MAP_TYPE_QUEUE;
	answers[0].p = &queue;
	assert_fails(
		answers, NULL, -EOPNOTSUPP,
		"map 7: a queue cannot be dumped: its elements have no keys, and reading them all would remove them");
	answers[0].err = -ENOENT;
	assert_fails(answers, NULL, -ENOENT, "no map with id 7");
}

/* Of several maps, those that can be dumped are; the others are counted. */
static void test_several(void **state)
{
	static const uint32_t ids[] = { 7, 8 };
	struct abi_map_info queue = hash;
	struct batch a;
	struct fake_answer answers[] = {
		{ "map/7/info", 0, &queue, sizeof(queue) },
		{ "map/8/info", 0, &hash, sizeof(hash) },
		{ "map/8/elems/start", 0, a.bytes, 0 },
		{ "map/ids", 0, ids, sizeof(ids) },
		{ 0 },
	};
	struct err e = { 0 };
	size_t unread;
	struct out o;

	(void)state;
	queue.type = BPF_MAP_TYPE_QUEUE;
	batch_make(&a, "", 1, one_two_three, one_two_three, NULL);
	answers[2].n = a.n;
	assert_int_equal(dump(answers, "h", true, &o, &e, &unread), 0);
	assert_string_equal(
		out_cstr(&o),
		"[{\"id\":8,\"map_id\":8,\"type\":\"hash\",\"map_type\":\"hash\",\"name\":\"h\",\"map_name\":\"h\",\"flags\":0,\"elements\":["
		"{\"key\":[\"0x01\",\"0x00\",\"0x00\",\"0x00\"],\"value\":[\"0x01\",\"0x00\",\"0x00\",\"0x00\"]}]}]");
	assert_int_equal(unread, 1);
	out_close(&o, NULL);
	answers[2].err = -ENODATA;
	assert_fails(
		answers, "h", -EOPNOTSUPP,
		"map 7: a queue cannot be dumped: its elements have no keys, and reading them all would remove them");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_batches), cmocka_unit_test(test_errors_of_elements),
		cmocka_unit_test(test_typed),	cmocka_unit_test(test_refused),
		cmocka_unit_test(test_several), cmocka_unit_test(test_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
