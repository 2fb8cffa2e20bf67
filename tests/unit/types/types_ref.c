/* SPDX-License-Identifier: BSD-2-Clause */
#include "../fake.h"

#include <stdlib.h>
#include <unistd.h>

#include "types/types_ref.h"
#include "build.h"
#include "kernel/abi.h"

/* vmlinux is BTF 1, a program's is 7; program 3 and map 4 use it, map 5 uses none. */
static void machine_init(struct fake_machine *m, struct btf_build *user)
{
	static const uint32_t ids[] = { 1, 7 }, progs[] = { 3 }, maps[] = { 4, 5 };
	struct abi_btf_info kernel = { .id = 1, .kernel_btf = 1, .name_len = 8 }, info = { .id = 7 };
	struct abi_prog_info prog = { .id = 3, .btf_id = 7 };
	struct abi_map_info map = { .id = 4, .btf_id = 7 }, none = { .id = 5 };
	struct btf_build b;
	uint32_t i, s;

	fake_init(m);
	build_init(&b);
	i = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	build_type(&b, "sock", BTF_KIND_STRUCT, 0, 0, 4);
	build_type(&b, "sock", BTF_KIND_UNION, 0, 0, 4);
	s = build_type(&b, NULL, BTF_KIND_STRUCT, 0, 0, 4);
	build_ref(&b, BTF_KIND_TYPEDEF, "socket_t", s);
	build_ref(&b, BTF_KIND_TYPEDEF, "sockint_t", i);
	build_type(&b, "task", BTF_KIND_STRUCT, 0, 0, 4);
	build_done(&b);
	build_init(user);
	build_type(user, "mine", BTF_KIND_STRUCT, 0, 0, 4);
	build_done(user);
	fake_set(m, "btf/ids", 0, ids, sizeof(ids));
	fake_set(m, "prog/ids", 0, progs, sizeof(progs));
	fake_set(m, "map/ids", 0, maps, sizeof(maps));
	fake_set(m, "btf/1/info", 0, &kernel, sizeof(kernel));
	fake_text(m, "btf/1/name", "vmlinux");
	fake_set(m, "btf/1/data", 0, b.out, b.out_n);
	fake_set(m, "btf/7/info", 0, &info, sizeof(info));
	fake_set(m, "btf/7/data", 0, user->out, user->out_n);
	fake_set(m, "prog/3/info", 0, &prog, sizeof(prog));
	fake_set(m, "map/4/info", 0, &map, sizeof(map));
	fake_set(m, "map/5/info", 0, &none, sizeof(none));
}

static int get(struct fake_machine *m, struct types_ref from, const char **ret_first)
{
	const struct btf_types *t;
	struct err e = { 0 };
	int err = btf_types_get(&m->env, &from, &t, &e);

	assert_int_equal(err, e.code);
	if (!err)
		*ret_first = btf_name(t, 1);
	return err;
}

static void test_sources(void **state)
{
	char path[] = "/tmp/btf-source-XXXXXX";
	struct fake_machine m;
	struct btf_build user;
	const char *first;
	int fd = mkstemp(path);

	(void)state;
	machine_init(&m, &user);
	assert_int_equal(write(fd, user.out, user.out_n), user.out_n);
	assert_int_equal(get(&m, (struct types_ref){ 0 }, &first), 0);
	assert_string_equal(first, "int");
	assert_int_equal(get(&m, (struct types_ref){ TYPES_ID, { SEL_ID, 7, NULL }, NULL }, &first), 0);
	assert_string_equal(first, "mine");
	assert_int_equal(get(&m, (struct types_ref){ TYPES_PROG, { SEL_ID, 3, NULL }, NULL }, &first), 0);
	assert_string_equal(first, "mine");
	assert_int_equal(get(&m, (struct types_ref){ TYPES_MAP, { SEL_ID, 4, NULL }, NULL }, &first), 0);
	assert_string_equal(first, "mine");
	assert_int_equal(get(&m, (struct types_ref){ TYPES_FILE, { 0 }, path }, &first), 0);
	assert_string_equal(first, "mine");
	assert_int_equal(get(&m, (struct types_ref){ TYPES_MAP, { SEL_ID, 5, NULL }, NULL }, &first), -ENOENT);
	assert_int_equal(get(&m, (struct types_ref){ TYPES_FILE, { 0 }, "/nowhere/at/all" }, &first), -ENOENT);
	assert_int_equal(ftruncate(fd, 30), 0);
	assert_int_equal(get(&m, (struct types_ref){ TYPES_FILE, { 0 }, path }, &first), -EBADMSG);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(get(&m, (struct types_ref){ TYPES_FILE, { 0 }, path }, &first), -EBADMSG);
	close(fd);
	unlink(path);
	fake_free(&m);
}

static void save(char *path, const void *p, size_t n)
{
	CLEAN_FD fd = mkstemp(path);

	assert_int_equal(write(fd, p, n), n);
}

/* Like `dump file`: object files, and split BTF on the base of -B. */
static void test_files(void **state)
{
	char object[] = "/tmp/btf-object-XXXXXX", split[] = "/tmp/btf-split-XXXXXX";
	static struct build_elf elf;
	struct btf_build user, more;
	struct fake_machine m;
	const char *first;

	(void)state;
	machine_init(&m, &user);
	build_elf(&user, ".BTF", &elf);
	save(object, &elf, sizeof(elf));
	build_init_split(&more, user.next, user.strs_n);
	build_type(&more, "more", BTF_KIND_STRUCT, 0, 0, 4);
	build_done(&more);
	save(split, more.out, more.out_n);
	assert_int_equal(get(&m, (struct types_ref){ TYPES_FILE, { 0 }, object }, &first), 0);
	assert_string_equal(first, "mine");
	assert_int_equal(get(&m, (struct types_ref){ TYPES_FILE, { 0 }, split }, &first), -EBADMSG);
	m.globals.base_btf = object;
	first = "";
	assert_int_equal(get(&m, (struct types_ref){ TYPES_FILE, { 0 }, split }, &first), 0);
	assert_string_equal(first, "mine");
	unlink(object);
	unlink(split);
	fake_free(&m);
}

static void test_names(void **state)
{
	static const struct {
		const char *name;
		size_t n;
		uint32_t first;
	} cases[] = {
		{ "sock", 2, 2 },    { "struct sock", 1, 2 }, { "union sock", 1, 3 }, { "socket_t", 1, 5 },
		{ "4", 1, 4 },	     { "int", 1, 1 },	      { "union task", 0, 0 }, { "", 0, 0 },
		{ "struct ", 0, 0 }, { "0", 0, 0 },	      { "8", 0, 0 },	      { "4294967295", 0, 0 },
	};
	const struct btf_types *t;
	struct fake_machine m;
	struct btf_build user;

	(void)state;
	machine_init(&m, &user);
	assert_int_equal(btf_get_vmlinux(m.env.machine, &t, NULL, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const uint32_t *ids = NULL;
		struct err e = { 0 };
		size_t n = 0;
		int err = btf_types_find(&m.env, t, cases[i].name, &ids, &n, &e);

		if (err != (cases[i].n ? 0 : -ENOENT) || n != cases[i].n || (n && ids[0] != cases[i].first))
			fail_msg("'%s': %d, %zu types", cases[i].name, err, n);
	}
	fake_free(&m);
}

static void take(void *ctx, const char *word, const char *help)
{
	char *all = ctx;

	(void)help;
	strcat(strcat(all, word), " ");
}

static void test_offers(void **state)
{
	char all[256] = "";
	struct fake_machine m;
	struct btf_build user;

	(void)state;
	machine_init(&m, &user);
	btf_offer_types(&m.env, NULL, "so", take, all);
	assert_string_equal(all, "sock socket_t ");
	btf_offer_types(&m.env, NULL, "x", take, all);
	assert_string_equal(all, "sock socket_t ");
	fake_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_offers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
