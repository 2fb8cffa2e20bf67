/* SPDX-License-Identifier: BSD-2-Clause */
#include "../fake.h"

#include <stdio.h>

#include "btf/btf.h"

static void add_btf(struct fake_machine *m, uint32_t id, uint32_t size, const char *name, bool kernel)
{
	struct abi_btf_info info = {
		.id = id,
		.btf_size = size,
		.name_len = name ? (uint32_t)strlen(name) + 1 : 0,
		.kernel_btf = kernel,
	};
	char key[32];

	snprintf(key, sizeof(key), "btf/%u/info", id);
	fake_set(m, key, 0, &info, sizeof(info));
	snprintf(key, sizeof(key), "btf/%u/name", id);
	if (name)
		fake_text(m, key, name);
}

static void add_user(struct fake_machine *m, uint32_t id, uint32_t btf, bool prog)
{
	struct abi_prog_info p = { .id = id, .btf_id = btf };
	struct abi_map_info map = { .id = id, .btf_id = btf };
	char key[32];

	snprintf(key, sizeof(key), "%s/%u/info", prog ? "prog" : "map", id);
	fake_set(m, key, 0, prog ? (void *)&p : (void *)&map, prog ? sizeof(p) : sizeof(map));
}

static void add_ids(struct fake_machine *m, const char *key, const uint32_t *ids, size_t n)
{
	fake_set(m, key, 0, ids, n * sizeof(*ids));
}

static void check(struct fake_machine *m, uint32_t id, const char *plain, const char *json)
{
	void *rec = fake_read(m, &kind_btf, id, NEED_USERS, NULL);

	assert_string_equal(fake_plain(m, &kind_btf, rec), plain);
	assert_string_equal(fake_json(m, &kind_btf, rec, NULL), json);
}

static void test_show(void **state)
{
	static const uint32_t progs[] = { 11, 12, 14, 100 }, maps[] = { 3, 7, 8 };
	struct fake_machine m;

	(void)state;
	fake_init(&m);
	add_btf(&m, 1, 5516713, "vmlinux", true);
	add_btf(&m, 579, 31582, NULL, false);
	add_btf(&m, 580, 20, "mine", false);
	add_ids(&m, "prog/ids", progs, 4);
	add_user(&m, 11, 579, true);
	add_user(&m, 12, 0, true);
	add_user(&m, 14, 580, true);
	add_user(&m, 100, 579, true);
	add_ids(&m, "map/ids", maps, 3);
	add_user(&m, 3, 579, false);
	add_user(&m, 7, 581, false);
	fake_set(&m, "map/8/info", -ENOENT, NULL, 0);
	check(&m, 1, "1: name [vmlinux]  size 5516713B\n",
	      "{\"id\":1,\"btf_id\":1,\"name\":\"vmlinux\",\"btf_name\":\"vmlinux\",\"size\":5516713,\"prog_ids\":[],\"map_ids\":[],\"kernel\":true}");
	check(&m, 579, "579: name <anon>  size 31582B  prog_ids 11,100  map_ids 3\n",
	      "{\"id\":579,\"btf_id\":579,\"size\":31582,\"prog_ids\":[11,100],\"map_ids\":[3],\"kernel\":false}");
	check(&m, 580, "580: name mine  size 20B  prog_ids 14\n",
	      "{\"id\":580,\"btf_id\":580,\"name\":\"mine\",\"btf_name\":\"mine\",\"size\":20,\"prog_ids\":[14],\"map_ids\":[],\"kernel\":false}");
	/* All users were found in one pass. */
	add_user(&m, 12, 1, true);
	arena_clear(m.env.arena);
	check(&m, 1, "1: name [vmlinux]  size 5516713B\n",
	      "{\"id\":1,\"btf_id\":1,\"name\":\"vmlinux\",\"btf_name\":\"vmlinux\",\"size\":5516713,\"prog_ids\":[],\"map_ids\":[],\"kernel\":true}");
	fake_free(&m);
}

/* Fields that are not needed cost no question; a refused answer is not "no users". */
static void test_users_unknown(void **state)
{
	static const uint32_t progs[] = { 11, 12 };
	struct fake_machine m;
	size_t unknown = 0;
	struct btf_rec *r;

	(void)state;
	fake_init(&m);
	add_btf(&m, 5, 10, "x", false);
	r = fake_read(&m, &kind_btf, 5, 0, NULL);
	assert_string_equal(fake_json(&m, &kind_btf, r, &unknown),
			    "{\"id\":5,\"btf_id\":5,\"name\":\"x\",\"btf_name\":\"x\",\"size\":10,\"kernel\":false}");
	add_ids(&m, "prog/ids", progs, 2);
	add_user(&m, 11, 5, true);
	fake_set(&m, "prog/12/info", -EPERM, NULL, 0);
	fake_set(&m, "map/ids", -EPERM, NULL, 0);
	r = fake_read(&m, &kind_btf, 5, NEED_USERS, NULL);
	assert_int_equal(r->has_progs, AVAIL_UNKNOWN);
	assert_int_equal(r->has_maps, AVAIL_UNKNOWN);
	assert_non_null(strstr(fake_json(&m, &kind_btf, r, &unknown), "\"prog_ids\":null,\"map_ids\":null"));
	assert_int_equal(unknown, 1);
	fake_free(&m);
}

static void test_refused(void **state)
{
	static const int errors[] = { -ENOENT, -EPERM, -ENODATA };
	struct object_label label;
	struct fake_machine m;
	struct err e = { 0 };
	struct btf_rec *r;
	int err;

	(void)state;
	fake_init(&m);
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		fake_set(&m, "btf/5/info", errors[i], NULL, 0);
		assert_null(fake_read(&m, &kind_btf, 5, NEED_USERS, &err));
		assert_int_equal(err, errors[i]);
	}
	fake_set(&m, "btf/5/info", 0, "short", 5);
	assert_null(fake_read(&m, &kind_btf, 5, 0, &err));
	assert_int_equal(err, -EBADMSG);

	add_btf(&m, 5, 10, "x", false);
	assert_int_equal(kind_btf.label(&m.env, m.env.arena, 5, &label, &e), 0);
	assert_string_equal(label.name, "x");
	fake_set(&m, "btf/5/name", -EPERM, NULL, 0);
	r = fake_read(&m, &kind_btf, 5, 0, NULL);
	assert_string_equal(fake_plain(&m, &kind_btf, r), "5: name ?  size 10B\n");
	assert_non_null(strstr(fake_json(&m, &kind_btf, r, NULL), "\"name\":null"));
	fake_set(&m, "btf/5/name", -ENOENT, NULL, 0);
	assert_null(fake_read(&m, &kind_btf, 5, 0, &err));
	assert_int_equal(err, -ENOENT);
	fake_free(&m);
}

/* Before Linux 5.11 the kernel reports neither the name nor whether the BTF is its own. */
static void test_old_kernel(void **state)
{
	struct abi_btf_info info = { .id = 5, .btf_size = 10 };
	struct fake_machine m;
	struct btf_rec *r;

	(void)state;
	fake_init(&m);
	fake_set(&m, "btf/5/info", 0, &info, offsetof(struct abi_btf_info, name));
	r = fake_read(&m, &kind_btf, 5, 0, NULL);
	assert_string_equal(fake_plain(&m, &kind_btf, r), "5: name <anon>  size 10B\n");
	fake_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_show),
		cmocka_unit_test(test_users_unknown),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_old_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
