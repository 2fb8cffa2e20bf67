/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorded.h"

#include "recording/answers.h"

static bool is_in(struct recorded *r, struct source *archive, const char *key)
{
	struct blob b;

	return !source_get(archive, r->arena, &b, "%s", key);
}

static void has_object(struct recorded *r, struct source *archive)
{
	recorded_has(r, archive, "btf/5/name", "vmlinux", 7);
	assert_true(is_in(r, archive, "btf/5/data"));
	assert_true(is_in(r, archive, "btf/5/info"));
	assert_true(is_in(r, archive, "sys/uname"));
	assert_true(is_in(r, archive, "sys/kallsyms"));
	assert_false(is_in(r, archive, "sys/features/0/0"));
	assert_false(is_in(r, archive, "sys/vmlinux"));
	assert_false(is_in(r, archive, "btf/4/data"));
}

static void has_file(struct recorded *r, struct source *archive)
{
	assert_true(is_in(r, archive, "sys/vmlinux"));
	assert_false(is_in(r, archive, "btf/5/data"));
}

/* The kernel's types are the BTF object with its name, or a file if there is none. */
static void test_basics(void **state)
{
	(void)state;
	for (int named = 0; named < 2; named++) {
		struct recorded r;

		recorded_begin(&r);
		THERE(&r.btfs, 4, 5, 6);
		r.vmlinux = named ? 5 : 0;
		answers_basics(&r.cat);
		assert_int_equal(r.btf_reads, named);
		recorded_finish(&r, named ? has_object : has_file);
		recorded_end(&r);
	}
}

static void has_features(struct recorded *r, struct source *archive)
{
	recorded_has(r, archive, "sys/features/0/0", &(unsigned){ 0 }, sizeof(unsigned));
}

/* Each file has them, but they are tried only once. */
static void test_features(void **state)
{
	struct arena *keep = arena_new();
	struct blob known = { 0 };

	(void)state;
	for (int file = 0; file < 2; file++) {
		struct recorded r;

		recorded_begin(&r);
		answers_features(&r.cat, keep, &known);
		assert_int_equal(r.tries, !file);
		recorded_finish(&r, has_features);
		recorded_end(&r);
	}
	arena_free(keep);
}

#define FDINFO "map_type:\t1\nkey_size:\t4\nvalue_size:\t8\nmax_entries:\t16\nmap_flags:\t0x3\nmap_id:\t20\n"

static void has_copy(struct recorded *r, struct source *archive)
{
	static const char fdinfo[] = "prog_type:\t2\nprog_jited:\t1\nmemlock:\t8192\nprog_id:\t7\n";
	const struct abi_btf_info btf = { .id = 3, .btf_size = 5 };
	struct abi_map_info map;
	struct blob b;

	recorded_has(r, archive, "prog/7/fdinfo", fdinfo, strlen(fdinfo));
	recorded_has(r, archive, "prog/7/xlated", "code", 4);
	recorded_has(r, archive, "map/20/fdinfo", FDINFO, strlen(FDINFO));
	recorded_has(r, archive, "btf/3/data", "types", 5);
	recorded_has(r, archive, "btf/3/info", &btf, sizeof(btf));
	recorded_has(r, archive, "btf/3/name", NULL, 0);
	assert_int_equal(source_get(archive, r->arena, &b, "map/20/info"), 0);
	assert_int_equal(b.n, sizeof(map));
	memcpy(&map, b.p, sizeof(map));
	assert_int_equal(map.value_size, 8);
	assert_int_equal(source_get(archive, r->arena, &b, "prog/7/info"), 0);
	assert_int_equal(b.n, 100); /* as long as the kernel's */
}

/* A copy of a program that is gone: what the kernel would have said of it, its maps and its types. */
static void test_copy(void **state)
{
	struct abi_map_info maps[] = {
		{ .type = 1, .id = 20, .key_size = 4, .value_size = 8, .max_entries = 16, .map_flags = 3 },
		{ .type = 2, .id = 20 }
	};
	struct captured c = { .id = 7, .info = { .type = 2, .id = 7, .jited_prog_len = 9, .btf_id = 3 } };
	struct catalog_prog p = { .life.id = 7 };
	struct recorded r;

	(void)state;
	recorded_begin(&r);
	c.info_len = 100;
	c.memlock = 8192;
	c.array[CAPTURED_XLATED] = (struct captured_bytes){ "code", 4 };
	c.btf = (struct captured_bytes){ "types", 5 };
	c.maps = maps;
	c.nmaps = 2; /* the second is in the file already */
	assert_true(answers_copy(&r.cat, &p, &c));
	assert_non_null(hash_get(&r.cat.maps, 20));
	recorded_finish(&r, has_copy);
	str_release(&p.map_ids);
	recorded_end(&r);
}

static void has_maps(struct recorded *r, struct source *archive)
{
	assert_true(is_in(r, archive, "prog/7/jited"));
	assert_true(is_in(r, archive, "map/20/info"));
	assert_true(is_in(r, archive, "map/21/fdinfo"));
	assert_false(is_in(r, archive, "map/22/info"));
}

/* A program that is there, with its maps. */
static void test_ask(void **state)
{
	struct recorded r;

	(void)state;
	recorded_begin(&r);
	THERE(&r.progs, 7);
	THERE(&r.maps, 20, 21, 22);
	r.prog_maps[0] = 20, r.prog_maps[1] = 21;
	r.info.nr_map_ids = 2;
	assert_int_equal(answers_ask(&r.cat, 7), 0);
	assert_int_equal(answers_ask(&r.cat, 8), -ENOENT);
	assert_true(answers_renew(&r.cat, OBJECT_MAP, 20));
	assert_false(answers_renew(&r.cat, OBJECT_MAP, 29));
	recorded_finish(&r, has_maps);
	recorded_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_basics),
		cmocka_unit_test(test_features),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_ask),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
