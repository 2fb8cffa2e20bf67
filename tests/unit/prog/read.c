/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <stdlib.h>

#include "../types/build.h"
#include "machine.h"
#include "cli/kind.h"
#include "prog/prog.h"
#include "code/xlated.h"
#include "render/render.h"
#include "render/jsonw.h"
#include "source/elems.h"

#define ALL (NEED_FDINFO | NEED_BTF | NEED_MAPS | NEED_TARGET)

static struct abi_prog_info info;
static struct abi_map_info plain_map, data_map;
static struct abi_btf_info btf_info;
static struct btf_build types;
static struct func_record func;
static const uint32_t map_ids[] = { 7, 8, 6 };
static const char fdinfo[] = "pos:\t0\nmemlock:\t4096\n";
static struct {
	struct elems_head head;
	int32_t err;
	uint32_t key;
	int32_t num;
	char version[8];
} elems;

/* A program with a long name, two ordinary maps, and .rodata with two metadata variables. */
static struct scripted *scripted_new(void)
{
	static struct scripted m;
	uint32_t integer, character, text, proto, section, target;

	build_init(&types);
	integer = build_int(&types, "int", 4, BTF_INT_SIGNED, 0, 32);
	character = build_int(&types, "char", 1, BTF_INT_SIGNED | BTF_INT_CHAR, 0, 8);
	text = build_array(&types, character, integer, 7);
	proto = build_type(&types, NULL, BTF_KIND_FUNC_PROTO, 0, 0, integer);
	func = (struct func_record){ 0, build_type(&types, "a_name_of_20_letters", BTF_KIND_FUNC, 0, 0, proto) };
	target = build_ref(&types, BTF_KIND_TYPEDEF, "btf_trace_sched_switch", integer);
	uint32_t num = build_var(&types, "bpf_metadata_num", integer);
	uint32_t version = build_var(&types, "bpf_metadata_version", text);
	uint32_t other = build_var(&types, "metadata", integer);
	section = build_type(&types, ".rodata", BTF_KIND_DATASEC, 3, 0, 11);
	build_secinfo(&types, other, 0, 4);
	build_secinfo(&types, num, 0, 4);
	build_secinfo(&types, version, 4, 7);
	build_done(&types);

	plain_map = (struct abi_map_info){ .type = 1,
					   .id = 7,
					   .key_size = 4,
					   .value_size = 4,
					   .max_entries = 1,
					   .btf_id = 3,
					   .btf_value_type_id = section,
					   .name = "x.rodata" };
	data_map = (struct abi_map_info){ .type = 2,
					  .id = 8,
					  .key_size = 4,
					  .value_size = 11,
					  .max_entries = 1,
					  .btf_id = 3,
					  .btf_value_type_id = section,
					  .name = "x.rodata" };
	memset(&elems, 0, sizeof(elems));
	elems.head = (struct elems_head){ .count = 1, .key_size = 4, .value_size = 11 };
	elems.num = 42;
	strcpy(elems.version, "v1.2.3");

	info = (struct abi_prog_info){
		.type = 26,
		.id = 9,
		.tag = { 0, 1, 2, 3, 0xfc, 0xfd, 0xfe, 0xff },
		.name = "a_name_of_20_le",
		.xlated_prog_len = 16,
		.jited_prog_len = 20,
		.load_time = 3500000000,
		.created_by_uid = 1000,
		.nr_map_ids = 3,
		.flags = ABI_PROG_GPL,
		.btf_id = 3,
		.func_info_rec_size = 8,
		.nr_func_info = 1,
		.run_time_ns = 500,
		.run_cnt = 2,
		.verified_insns = 12,
		.attach_btf_obj_id = 3,
		.attach_btf_id = target,
	};
	scripted_init(&m);
	scripted_says(&m, "prog/9/info", 0, &info, sizeof(info));
	scripted_says(&m, "prog/9/map_ids", 0, map_ids, sizeof(map_ids));
	scripted_says(&m, "prog/9/func_info", 0, &func, sizeof(func));
	scripted_says(&m, "prog/9/fdinfo", 0, fdinfo, sizeof(fdinfo) - 1);
	scripted_says(&m, "map/7/info", 0, &plain_map, sizeof(plain_map));
	scripted_says(&m, "map/8/info", 0, &data_map, sizeof(data_map));
	scripted_says(&m, "map/8/elems/start", 0, &elems, sizeof(elems.head) + 8 + 11);
	scripted_says(&m, "btf/3/info", 0, &btf_info, sizeof(btf_info));
	scripted_says(&m, "btf/3/data", 0, types.out, types.out_n);
	scripted_says(&m, "sys/clock", 0, "1000000000000\n", 14);
	m.opts.json = true;
	return &m;
}

static struct prog_rec *rec_read(struct scripted *m, unsigned need)
{
	static struct prog_rec rec;
	struct err e = { 0 };

	memset(&rec, 0, sizeof(rec));
	assert_int_equal(prog_read(&m->env, m->env.arena, 9, need, &rec, &e), 0);
	assert_int_equal(e.code, 0);
	return &rec;
}

static const char *rec_json(const struct prog_rec *rec, size_t *unknown)
{
	static struct out o;
	struct jsonw w;

	free(o.buf);
	out_init(&o, -1);
	jsonw_init(&w, &o, false);
	jsonw_object(&w);
	render_json_fields(&w, &schema_prog, rec, 0, unknown);
	jsonw_end(&w);
	return out_cstr(&o);
}

static const char *rec_plain(struct scripted *m, const struct prog_rec *rec)
{
	static struct out o;
	struct render r = { .ops = &render_plain, .schema = &schema_prog, .out = &o, .arena = m->env.keep };

	free(o.buf);
	out_init(&o, -1);
	render_begin(&r);
	render_section(&r, &schema_prog, NULL);
	render_record(&r, rec);
	render_end(&r);
	return out_cstr(&o);
}

static void test_json(void **state)
{
	struct scripted *m = scripted_new();
	size_t unknown = 0;

	(void)state;
	assert_string_equal(
		rec_json(rec_read(m, ALL), &unknown),
		"{\"id\":9,\"prog_id\":9,\"type\":\"tracing\",\"prog_type\":\"tracing\",\"name\":\"a_name_of_20_letters\",\"prog_name\":\"a_name_of_20_letters\",\"tag\":\"00010203fcfdfeff\","
		"\"gpl_compatible\":true,\"run_time_ns\":500,\"run_cnt\":2,\"loaded_at\":1003,\"uid\":1000,"
		"\"orphaned\":false,\"bytes_xlated\":16,\"jited\":true,\"bytes_jited\":20,"
		"\"bytes_memlock\":4096,\"map_ids\":[7,8,6],\"btf_id\":3,"
		"\"metadata\":{\"num\":42,\"version\":\"v1.2.3\"},\"verified_insns\":12,"
		"\"attach_target\":\"sched_switch\",\"attach_btf_obj_id\":3,\"attach_btf_id\":6}");
	assert_int_equal(unknown, 0);
	scripted_end(m);
}

static void test_plain(void **state)
{
	struct scripted *m = scripted_new();

	(void)state;
	setenv("TZ", "UTC", 1);
	assert_string_equal(
		rec_plain(m, rec_read(m, ALL)),
		"9: tracing  name a_name_of_20_letters  tag 00010203fcfdfeff  gpl run_time_ns 500 run_cnt 2\n"
		"\tloaded_at 1970-01-01T00:16:43+0000  uid 1000\n"
		"\txlated 16B  jited 20B  memlock 4096B  map_ids 7,8,6\n"
		"\tbtf_id 3\n"
		"\tmetadata:\n"
		"\t\tnum = 42\n"
		"\t\tversion = \"v1.2.3\"\n"
		"\tverified_insns 12  attach_target sched_switch\n");
	scripted_end(m);
}

/* The least that a kernel returns: facts that are not needed are not asked for, and absent ones are not shown. */
static void test_bare(void **state)
{
	struct scripted *m = scripted_new();
	size_t unknown = 0;

	(void)state;
	info = (struct abi_prog_info){ .type = 1, .id = 9 };
	assert_string_equal(
		rec_json(rec_read(m, 0), &unknown),
		"{\"id\":9,\"prog_id\":9,\"type\":\"socket_filter\",\"prog_type\":\"socket_filter\",\"tag\":\"0000000000000000\",\"gpl_compatible\":false,"
		"\"orphaned\":false,\"bytes_xlated\":null,\"jited\":null,\"bytes_jited\":null}");
	assert_string_equal(rec_plain(m, rec_read(m, 0)),
			    "9: socket_filter  tag 0000000000000000\n\txlated ?B  jited ?B\n");
	for (unsigned i = 1; i < m->n; i++)
		assert_int_equal(m->asked[i], 0);
	assert_int_equal(unknown, 1); /* the sizes of its code, which are never 0 */
	scripted_end(m);
}

static void test_name(void **state)
{
	struct scripted *m = scripted_new();

	(void)state;
	assert_string_equal(rec_read(m, NEED_BTF)->name, "a_name_of_20_letters");
	assert_string_equal(rec_read(m, 0)->name, "a_name_of_20_le");
	/* A shorter name is complete; so is one that fills the field without a terminator. */
	strcpy(info.name, "fourteen_chars");
	assert_string_equal(rec_read(m, NEED_BTF)->name, "fourteen_chars");
	memcpy(info.name, "sixteen_chars_xx", 16);
	info.btf_id = 0;
	assert_string_equal(rec_read(m, NEED_BTF)->name, "sixteen_chars_x");
	/* Wrong function records. */
	info.btf_id = 3;
	func.type_id = 1;
	assert_string_equal(rec_read(m, NEED_BTF)->name, "sixteen_chars_x");
	func.type_id = 0xffffffff;
	assert_string_equal(rec_read(m, NEED_BTF)->name, "sixteen_chars_x");
	scripted_says(m, "prog/9/func_info", 0, &func, 7);
	assert_string_equal(rec_read(m, NEED_BTF)->name, "sixteen_chars_x");
	info.func_info_rec_size = 4;
	assert_string_equal(rec_read(m, NEED_BTF)->name, "sixteen_chars_x");
	scripted_end(m);
}

static void test_metadata_once(void **state)
{
	struct scripted *m = scripted_new();

	(void)state;
	for (int i = 0; i < 5; i++)
		assert_int_equal(rec_read(m, NEED_MAPS)->nmetadata, 2);
	assert_int_equal(scripted_asked(m, "map/7/info"), 1);
	assert_int_equal(scripted_asked(m, "map/8/info"), 1);
	assert_int_equal(scripted_asked(m, "map/8/elems/start"), 1);
	scripted_end(m);
}

static void test_metadata_unreadable(void **state)
{
	struct scripted *m = scripted_new();
	struct prog_rec *r;

	(void)state;
	scripted_says(m, "map/8/elems/start", -EPERM, NULL, 0);
	assert_int_equal(rec_read(m, NEED_MAPS)->has_metadata, AVAIL_UNKNOWN);
	scripted_end(m);

	/* A map that is gone is not a failure; one with an answer that is too short is. */
	m = scripted_new();
	scripted_says(m, "map/7/info", -ENOENT, NULL, 0);
	scripted_says(m, "map/8/elems/start", 0, &elems, sizeof(elems.head) + 8 + 10);
	r = rec_read(m, NEED_MAPS);
	assert_int_equal(r->has_metadata, AVAIL_UNKNOWN);
	assert_int_equal(r->nmetadata, 0);
	scripted_end(m);
}

/* A variable that extends past the value, or is after it. */
static void test_metadata_bounds(void **state)
{
	struct scripted *m = scripted_new();
	struct prog_rec *r;

	(void)state;
	data_map.value_size = elems.head.value_size = 3;
	scripted_says(m, "map/8/elems/start", 0, &elems, sizeof(elems.head) + 8 + 3);
	r = rec_read(m, NEED_MAPS);
	assert_int_equal(r->has_metadata, AVAIL_YES);
	assert_int_equal(r->nmetadata, 1);
	assert_string_equal(r->metadata[0].name, "num");
	assert_string_equal(r->metadata[0].value, "null");
	scripted_end(m);
}

static void test_unknown(void **state)
{
	struct scripted *m = scripted_new();
	struct prog_rec *r;

	(void)state;
	info.type = 4711;
	scripted_says(m, "prog/9/fdinfo", -EPERM, NULL, 0);
	scripted_says(m, "btf/3/data", -EPERM, NULL, 0);
	scripted_says(m, "sys/clock", -ENODATA, NULL, 0);
	r = rec_read(m, ALL);
	assert_string_equal(r->type, "unknown(4711)");
	assert_string_equal(r->name, "a_name_of_20_le");
	assert_int_equal(r->has_memlock, AVAIL_UNKNOWN);
	assert_int_equal(r->has_target, AVAIL_UNKNOWN);
	assert_int_equal(r->has_time, AVAIL_UNKNOWN);
	assert_int_equal(r->has_load, AVAIL_YES);
	scripted_end(m);
}

/* A program that never ran: 0 while the kernel counts; unknown while it does not, or in an archive without the setting.
 */
static void test_counting(void **state)
{
	static const struct {
		int err;
		const char *limits;
		enum avail is;
	} cases[] = {
		{ 0, "bpf_stats_enabled 1\n", AVAIL_YES },
		{ 0, "bpf_stats_enabled 0\n", AVAIL_NO },
		{ 0, "kptr_restrict 1\n", AVAIL_NO },
		{ -EPERM, "", AVAIL_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scripted *m = scripted_new();
		size_t unknown = 0;

		info.run_time_ns = info.run_cnt = 0;
		scripted_says(m, "sys/limits", cases[i].err, cases[i].limits, strlen(cases[i].limits));
		assert_int_equal(rec_read(m, NEED_STATS)->has_stats, cases[i].is);
		assert_true(!!strstr(rec_json(rec_read(m, NEED_STATS), &unknown), "\"run_cnt\":0") ==
			    (cases[i].is == AVAIL_YES));
		assert_true(!!strstr(rec_plain(m, rec_read(m, NEED_STATS)), "run_cnt") ==
			    (cases[i].is == AVAIL_UNKNOWN));
		assert_int_equal(rec_read(m, 0)->has_stats, AVAIL_NO);
		scripted_end(m);
	}
}

static void test_failures(void **state)
{
	struct scripted *m = scripted_new();
	struct prog_rec rec = { .memlock = 77 };
	struct err e = { 0 };

	(void)state;
	scripted_says(m, "prog/9/info", -ENOENT, NULL, 0);
	assert_int_equal(prog_read(&m->env, m->env.arena, 9, ALL, &rec, &e), -ENOENT);
	assert_int_equal(rec.memlock, 77);
	assert_string_equal(e.msg, "no program with id 9");
	err_clear(&e);
	scripted_says(m, "prog/9/info", -EPERM, NULL, 0);
	assert_int_equal(prog_read(&m->env, m->env.arena, 9, ALL, &rec, &e), -EPERM);
	assert_int_equal(prog_read(&m->env, m->env.arena, 9, ALL, &rec, NULL), -EPERM);
	err_clear(&e);
	scripted_says(m, "prog/9/info", -ENODEV, NULL, 0);
	assert_int_equal(prog_read(&m->env, m->env.arena, 9, ALL, &rec, &e), 0);
	assert_int_equal(e.code, 0);
	assert_true(rec.orphaned);
	assert_int_equal(rec.info.id, 9);
	scripted_end(m);
}

static void test_label(void **state)
{
	struct scripted *m = scripted_new();
	struct object_label label;

	(void)state;
	assert_int_equal(prog_label(&m->env, m->env.arena, 9, &label, NULL), 0);
	assert_string_equal(label.type, "tracing");
	assert_string_equal(label.name, "a_name_of_20_letters");
	assert_string_equal(label.tag, "00010203fcfdfeff");
	info.name[0] = '\0';
	assert_int_equal(prog_label(&m->env, m->env.arena, 9, &label, NULL), 0);
	assert_string_equal(label.name, "");
	assert_int_equal(prog_label(&m->env, m->env.arena, 10, &label, NULL), -ENODATA);
	scripted_end(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_bare),
		cmocka_unit_test(test_name),
		cmocka_unit_test(test_metadata_once),
		cmocka_unit_test(test_metadata_unreadable),
		cmocka_unit_test(test_metadata_bounds),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_counting),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_label),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
