/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "../types/build.h"
#include "../../tools/fake_source.h"
#include "types/btf.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "map/map.h"
#include "record/field.h"
#include "render/render.h"
#include "source/source.h"

struct scripted {
	struct env env;
};

static void machine_open(struct scripted *m, const struct fake_answer *answers)
{
	struct source *src = NULL;

	memset(m, 0, sizeof(*m));
	assert_int_equal(source_fake(&src, answers), 0);
	m->env.machine = machine_new(src);
	m->env.arena = arena_new();
	m->env.keep = arena_new();
}

static void machine_close(struct scripted *m)
{
	machine_free(&m->env.machine);
	arena_free(m->env.arena);
	arena_free(m->env.keep);
}

static void assert_plain(const struct map_rec *rec, const char *want)
{
	struct out o;
	ARENA a = arena_new();
	struct render r = { .ops = &render_plain, .out = &o, .arena = a };

	out_init(&o, -1);
	render_begin(&r);
	render_section(&r, &schema_map, NULL);
	render_record(&r, rec);
	render_end(&r);
	assert_string_equal(out_cstr(&o), want);
	out_close(&o, NULL);
}

static void test_plain(void **state)
{
	static const struct abi_map_info info = {
		.type = 3,
		.id = 7,
		.key_size = 4,
		.value_size = 4,
		.max_entries = 4,
		.name = "pra",
		.map_flags = 0x480,
	};
	static const char fdinfo[] = "map_type:\t3\nmemlock:\t344\nfrozen:\t1\nowner_prog_type:\t17\nowner_jited:\t1\n";
	const struct fake_answer answers[] = {
		{ "map/7/info", 0, &info, sizeof(info) },
		{ "map/7/fdinfo", 0, fdinfo, sizeof(fdinfo) - 1 },
		{ 0 },
	};
	struct map_rec rec = { 0 };
	struct scripted m;

	(void)state;
	machine_open(&m, answers);
	assert_int_equal(map_read(&m.env, m.env.arena, 7, NEED_FDINFO, &rec, NULL), 0);
	assert_plain(&rec,
		     "7: prog_array  name pra  flags 0x480\n"
		     "\tkey 4B  value 4B  max_entries 4  memlock 344B\n"
		     "\towner_prog_type raw_tracepoint  owner jited\n"
		     "\tfrozen\n");
	rec.info.btf_id = 5;
	rec.owner_jited = false;
	assert_plain(&rec,
		     "7: prog_array  name pra  flags 0x480\n"
		     "\tkey 4B  value 4B  max_entries 4  memlock 344B\n"
		     "\towner_prog_type raw_tracepoint  owner not jited\n"
		     "\tbtf_id 5  frozen\n");
	machine_close(&m);
}

/* A kernel that knows only half of the struct, an unknown type, and no fdinfo. */
static void test_sparse(void **state)
{
	static const struct abi_map_info info = { .type = 99, .id = 8, .key_size = 1, .value_size = 2 };
	const struct fake_answer answers[] = {
		{ "map/8/info", 0, &info, 24 },
		{ "map/8/fdinfo", -EPERM, NULL, 0 },
		{ "map/9/info", -EPERM, NULL, 0 },
		{ "map/10/info", -ENOENT, NULL, 0 },
		{ 0 },
	};
	struct map_rec rec;
	struct err e = { 0 };
	struct scripted m;

	(void)state;
	machine_open(&m, answers);
	memset(&rec, 0xff, sizeof(rec));
	assert_int_equal(map_read(&m.env, m.env.arena, 8, NEED_FDINFO | NEED_BTF, &rec, &e), 0);
	assert_string_equal(rec.type, "unknown(99)");
	assert_null(rec.name);
	assert_int_equal(rec.info.btf_id, 0);
	assert_int_equal(rec.has_memlock, AVAIL_UNKNOWN);
	assert_int_equal(map_read(&m.env, m.env.arena, 9, 0, &rec, &e), -EPERM);
	assert_string_equal(e.msg, "map 9: cannot read info: Operation not permitted");
	err_clear(&e);
	assert_int_equal(map_read(&m.env, m.env.arena, 10, 0, &rec, &e), -ENOENT);
	assert_string_equal(e.msg, "no map with id 10");
	machine_close(&m);
}

static void test_btf_names(void **state)
{
	struct abi_map_info info = {
		.type = 1, .id = 7, .key_size = 4, .value_size = 8, .name = "a_very_long_nam", .btf_id = 3,
	}, other;
	struct btf_build b;
	struct fake_answer answers[] = {
		{ "map/7/info", 0, &info, sizeof(info) },
		{ "map/8/info", 0, &other, sizeof(other) },
		{ "btf/3/data", 0, b.out, 0 },
		{ 0 },
	};
	struct object_label label;
	struct map_rec rec = { 0 };
	struct scripted m;
	uint32_t i, s, v[3], sec;

	(void)state;
	build_init(&b);
	i = build_int(&b, "int", 4, 0, 0, 32);
	s = build_type(&b, "pair", BTF_KIND_STRUCT, 0, 0, 8);
	v[0] = build_var(&b, "a_very_long_name_indeed", i);
	v[1] = build_var(&b, "twice_the_same_1", i);
	v[2] = build_var(&b, "twice_the_same_2", i);
	sec = build_type(&b, ".maps", BTF_KIND_DATASEC, 3, 0, 0);
	for (int k = 0; k < 3; k++)
		build_secinfo(&b, v[k], 0, 0);
	build_done(&b);
	assert_true(sec > 0);
	answers[2].n = b.out_n;
	info.btf_key_type_id = i;
	info.btf_value_type_id = s;
	other = info;
	memcpy(other.name, "twice_the_same_", 16);

	machine_open(&m, answers);
	assert_int_equal(map_read(&m.env, m.env.arena, 7, NEED_BTF, &rec, NULL), 0);
	assert_string_equal(rec.name, "a_very_long_nam");
	assert_string_equal(rec.full_name, "a_very_long_name_indeed");
	assert_string_equal(rec.key_type, "int");
	assert_string_equal(rec.value_type, "struct pair");
	assert_int_equal(map_label(&m.env, m.env.arena, 7, &label, NULL), 0);
	assert_string_equal(label.type, "hash");
	assert_string_equal(label.name, "a_very_long_name_indeed");
	assert_int_equal(map_read(&m.env, m.env.arena, 8, NEED_BTF, &rec, NULL), 0);
	assert_null(rec.full_name);
	assert_int_equal(map_label(&m.env, m.env.arena, 8, &label, NULL), 0);
	assert_string_equal(label.name, "twice_the_same_");
	machine_close(&m);
}

static void test_ring(void **state)
{
	static const struct abi_map_info info = { .type = 27, .id = 8, .max_entries = 4096, .name = "rb" };
	static const char text[] = "consumer_pos:\t40\nproducer_pos:\t4000\n", half[] = "consumer_pos:\t40\n";
	static const char back[] = "consumer_pos:\t40\nproducer_pos:\t8\n";
	struct {
		struct fake_answer a;
		enum avail want;
		uint64_t pending;
	} cases[] = {
		{ { "map/8/ring", 0, text, sizeof(text) - 1 }, AVAIL_YES, 3960 },
		{ { "map/8/ring", 0, back, sizeof(back) - 1 }, AVAIL_YES, 0 },
		{ { "map/8/ring", 0, half, sizeof(half) - 1 }, AVAIL_UNKNOWN, 0 },
		{ { "map/8/ring", -EPERM, NULL, 0 }, AVAIL_UNKNOWN, 0 },
		{ { "map/9/ring", 0, text, sizeof(text) - 1 }, AVAIL_NO, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct fake_answer answers[] = { { "map/8/info", 0, &info, sizeof(info) }, cases[i].a, { 0 } };
		struct map_rec rec = { 0 };
		struct scripted m;

		machine_open(&m, answers);
		assert_int_equal(map_read(&m.env, m.env.arena, 8, NEED_RING, &rec, NULL), 0);
		assert_int_equal(rec.has_ring, cases[i].want);
		if (cases[i].want == AVAIL_YES)
			assert_int_equal(rec.pending, cases[i].pending);
		machine_close(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_sparse),
		cmocka_unit_test(test_btf_names),
		cmocka_unit_test(test_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
