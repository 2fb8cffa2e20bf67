/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../keys.h"
#include "../test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "types/btf.h"
#include "build.h"
#include "cli/env.h"
#include "source/source.h"
#include "kernel/abi.h"
#include "kernel/names.h"

/* A machine with vmlinux (1), a module on top of it (2), and programs' BTF from 3 on. Counts how often data are asked
 * for. */
struct scripted {
	struct source source;
	struct btf_build vmlinux, module, prog;
	unsigned data_gets;
	int ids_err;
	int file_err; /* errno of sys/vmlinux */
	bool old;     /* the kernel's BTF is not a BTF object */
};

static int machine_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	const char *key = asked_name(q, a);
	static const uint32_t ids[] = { 1, 2, 3 };
	static const struct abi_btf_info kernel = { .kernel_btf = 1 }, user;
	struct scripted *m = (struct scripted *)s;
	const struct btf_build *b;
	unsigned id;
	char what[8];

	if (!strcmp(key, "btf/ids")) {
		*ret = (struct blob){ (const void *)ids, sizeof(ids) };
		return m->ids_err;
	}
	if (!strcmp(key, "sys/vmlinux")) {
		m->data_gets++;
		*ret = (struct blob){ m->vmlinux.out, m->vmlinux.out_n };
		return m->file_err;
	}
	if (sscanf(key, "btf/%u/%7s", &id, what) != 2 || id > 100)
		return -ENODATA;
	if (!strcmp(what, "info")) {
		*ret = (struct blob){ (const void *)(id <= 2 && !m->old ? &kernel : &user), sizeof(kernel) };
	} else if (!strcmp(what, "name")) {
		*ret = (struct blob){ (const void *)(id == 1 ? "vmlinux" : "mod"), id == 1 ? 7 : 3 };
	} else {
		b = id == 1 ? &m->vmlinux : id == 2 ? &m->module : &m->prog;
		m->data_gets++;
		*ret = (struct blob){ b->out, b->out_n };
	}
	return 0;
}

static void machine_leave(struct source *s)
{
}

static const struct source_ops machine_ops = { .name = "fake", .get = machine_get, .close = machine_leave };

static void machine_open(struct scripted *m, struct env *env)
{
	memset(m, 0, sizeof(*m));
	m->source.ops = &machine_ops;
	build_init(&m->vmlinux);
	build_int(&m->vmlinux, "int", 4, BTF_INT_SIGNED, 0, 32);
	build_type(&m->vmlinux, "bpf_map_type", BTF_KIND_ENUM, 3, 0, 4);
	build_pair(&m->vmlinux, "BPF_MAP_TYPE_HASH", 1);
	build_pair(&m->vmlinux, "BPF_MAP_TYPE_FUTURE_MAP", 90);
	build_pair(&m->vmlinux, "__MAX_BPF_MAP_TYPE", 91);
	build_done(&m->vmlinux);
	build_init_split(&m->module, m->vmlinux.next, m->vmlinux.strs_n);
	build_ref(&m->module, BTF_KIND_TYPEDEF, "mod_int", 1);
	build_done(&m->module);
	build_init(&m->prog);
	build_int(&m->prog, "long", 8, BTF_INT_SIGNED, 0, 64);
	build_done(&m->prog);
	*env = (struct env){ .machine = machine_new(&m->source), .keep = arena_new(), .arena = arena_new() };
}

static void machine_close(struct env *env)
{
	machine_free(&env->machine);
	arena_free(env->keep);
	arena_free(env->arena);
}

static void test_parsed_once(void **state)
{
	const struct btf_types *t, *again;
	struct scripted m;
	struct env env;

	(void)state;
	machine_open(&m, &env);
	assert_int_equal(btf_get(env.machine, 3, &t, NULL), 0);
	assert_string_equal(btf_name(t, 1), "long");
	assert_int_equal(btf_get(env.machine, 3, &again, NULL), 0);
	assert_ptr_equal(t, again);
	assert_int_equal(m.data_gets, 1);
	machine_close(&env);
}

static void test_module(void **state)
{
	const struct btf_types *t, *vmlinux;
	struct scripted m;
	struct env env;
	uint32_t id;

	(void)state;
	machine_open(&m, &env);
	assert_int_equal(btf_get(env.machine, 2, &t, NULL), 0);
	assert_string_equal(btf_name(t, btf_start(t)), "mod_int");
	assert_string_equal(btf_name(t, 1), "int");
	assert_int_equal(btf_get_vmlinux(env.machine, &vmlinux, &id, NULL), 0);
	assert_int_equal(id, 1);
	assert_int_equal(btf_get(env.machine, 1, &t, NULL), 0);
	assert_ptr_equal(t, vmlinux);
	assert_int_equal(m.data_gets, 2);
	machine_close(&env);
}

/* BTF_CACHE others do not evict one; one more may. vmlinux is never evicted. */
static void test_eviction(void **state)
{
	const struct btf_types *vmlinux, *first, *t;
	struct scripted m;
	struct env env;
	unsigned i;

	(void)state;
	machine_open(&m, &env);
	assert_int_equal(btf_get_vmlinux(env.machine, &vmlinux, NULL, NULL), 0);
	assert_int_equal(btf_get(env.machine, 3, &first, NULL), 0);
	for (i = 0; i < BTF_CACHE; i++)
		assert_int_equal(btf_get(env.machine, 4 + i, &t, NULL), 0);
	assert_string_equal(btf_name(first, 1), "long");
	assert_int_equal(m.data_gets, 2 + BTF_CACHE);
	for (i = 0; i < 3 * BTF_CACHE && 4 + i <= 100; i++)
		assert_int_equal(btf_get(env.machine, 4 + i, &t, NULL), 0);
	m.data_gets = 0;
	assert_int_equal(btf_get(env.machine, 3, &first, NULL), 0);
	assert_int_equal(m.data_gets, 1);
	assert_int_equal(btf_get(env.machine, 1, &t, NULL), 0);
	assert_ptr_equal(t, vmlinux);
	assert_int_equal(m.data_gets, 1);
	machine_close(&env);
}

static void test_words(void **state)
{
	struct scripted m;
	struct env env;

	(void)state;
	machine_open(&m, &env);
	assert_string_equal(btf_word(env.machine, &names_map_type, 1), "hash");
	assert_int_equal(m.data_gets, 0);
	assert_string_equal(btf_word(env.machine, &names_map_type, 90), "future_map");
	assert_string_equal(btf_word(env.machine, &names_map_type, 91), "unknown(91)");
	assert_string_equal(btf_word(env.machine, &names_map_type, 0xffffffff), "unknown(4294967295)");
	assert_null(btf_kernel_word(env.machine, &names_map_type, 92));
	assert_true(btf_has_word(env.machine, &names_map_type, "future_map"));
	assert_false(btf_has_word(env.machine, &names_map_type, "past_map"));
	assert_string_equal(btf_word(env.machine, &names_prog_type, 90), "unknown(90)");
	machine_close(&env);
}

static void test_refused(void **state)
{
	const struct btf_types *t = (void *)1;
	struct err e = { 0 };
	struct scripted m;
	struct env env;

	(void)state;
	machine_open(&m, &env);
	m.ids_err = -EPERM;
	for (int i = 0; i < 2; i++) {
		err_clear(&e);
		assert_int_equal(btf_get_vmlinux(env.machine, &t, NULL, &e), -EPERM);
		assert_non_null(strstr(e.msg, "cannot list BTF objects"));
	}
	err_clear(&e);
	assert_int_equal(btf_get(env.machine, 2, &t, &e), -EPERM);
	err_clear(&e);
	assert_int_equal(btf_get(env.machine, 101, &t, &e), -ENODATA);
	err_clear(&e);
	m.prog.out[0] ^= 0xff;
	assert_int_equal(btf_get(env.machine, 5, &t, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "BTF 5: not BTF"));
	assert_ptr_equal(t, (void *)1);
	machine_close(&env);
}

/* An ordinary user may not list BTF objects, but may read the kernel's file, which is enough if no source is given.
 */
static void test_ordinary_user(void **state)
{
	const struct btf_types *t;
	struct err e = { 0 };
	struct scripted m;
	struct env env;
	uint32_t id = 7;
	bool file;

	(void)state;
	machine_open(&m, &env);
	m.ids_err = -EPERM;
	assert_int_equal(btf_get_vmlinux(env.machine, &t, NULL, NULL), -EPERM);
	assert_int_equal(btf_get_default(env.machine, &t, &file, &e), 0);
	assert_true(file);
	assert_int_equal(e.code, 0);
	assert_string_equal(btf_name(t, 1), "int");
	assert_int_equal(btf_get_vmlinux(env.machine, &t, &id, NULL), 0);
	assert_int_equal(id, 0);
	assert_int_equal(m.data_gets, 1);
	machine_close(&env);

	machine_open(&m, &env);
	assert_int_equal(btf_get_default(env.machine, &t, &file, &e), 0);
	assert_false(file);
	machine_close(&env);

	/* The file is also refused: the refusal of the first question is reported. */
	machine_open(&m, &env);
	m.ids_err = -EPERM;
	m.file_err = -EACCES;
	assert_int_equal(btf_get_default(env.machine, &t, &file, &e), -EPERM);
	assert_false(file);
	assert_non_null(strstr(e.msg, "cannot list BTF objects"));
	machine_close(&env);
}

/* Before Linux 5.11 the kernel's BTF has no id: the file is read, once. */
static void test_file(void **state)
{
	const struct btf_types *t = (void *)1;
	static const struct {
		int code;
		const char *msg;
	} bad[] = {
		{ -ENOENT, "the kernel has no BTF of its own" },
		{ -ENODATA, "not in this archive" },
		{ -EACCES, "cannot read the kernel's BTF" },
	};
	struct err e = { 0 };
	struct scripted m;
	struct env env;
	uint32_t id = 7;

	(void)state;
	machine_open(&m, &env);
	m.old = true;
	assert_string_equal(btf_word(env.machine, &names_map_type, 90), "future_map");
	assert_int_equal(btf_get_vmlinux(env.machine, &t, &id, NULL), 0);
	assert_int_equal(id, 0);
	assert_string_equal(btf_name(t, 1), "int");
	assert_int_equal(m.data_gets, 1);
	machine_close(&env);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		machine_open(&m, &env);
		m.old = true;
		m.file_err = bad[i].code;
		err_clear(&e);
		assert_int_equal(btf_get_vmlinux(env.machine, &t, NULL, &e), bad[i].code);
		assert_non_null(strstr(e.msg, bad[i].msg));
		machine_close(&env);
	}
	machine_open(&m, &env);
	m.old = true;
	m.vmlinux.out[0] ^= 0xff;
	err_clear(&e);
	assert_int_equal(btf_get_vmlinux(env.machine, &t, NULL, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "the kernel's BTF: not BTF"));
	machine_close(&env);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parsed_once), cmocka_unit_test(test_ordinary_user),
		cmocka_unit_test(test_module),	    cmocka_unit_test(test_eviction),
		cmocka_unit_test(test_words),	    cmocka_unit_test(test_refused),
		cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
