/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/bytes.h"
#include "object/file.h"
#include "object/read.h"
#include "kernel/names.h"

/* The stored objects compared with libbpf's view of them after opening, which needs no privilege. */
static const char *const paths[] = {
	"tests/objects/object.bpf.o",
	"tests/objects/maps.bpf.o",
	"tests/objects/ops.bpf.o",
};

struct both {
	struct str text;
	struct arena *arena;
	struct object ours;
	struct bpf_object *theirs;
};

static void both_open(struct both *b, const char *path)
{
	struct err e = { 0 };

	*b = (struct both){ .arena = arena_new() };
	assert_int_equal(str_read_file(&b->text, path, 1 << 20), 0);
	if (object_read(&b->ours, path, b->text.p, b->text.n, b->arena, &e))
		fail_msg("%s", e.msg);
	if (b->ours.elf.big != BIG_HERE)
		skip_because("libbpf opens objects of its own byte order only");
	b->theirs = bpf_object__open_file(path, NULL);
	assert_non_null(b->theirs);
}

static void both_close(struct both *b)
{
	bpf_object__close(b->theirs);
	arena_free(b->arena);
	str_release(&b->text);
}

static void progs_compare(const struct both *b)
{
	const struct object_prog *ours;
	struct bpf_program *p;
	struct err e = { 0 };
	uint32_t i, n, theirs = 0;

	assert_int_equal(object_progs(&b->ours, &ours, &n, &e), 0);
	bpf_object__for_each_program(p, b->theirs) {
		theirs++;
		for (i = 0; i < n && strcmp(ours[i].name, bpf_program__name(p)); i++)
			;
		if (i == n)
			fail_msg("program %s is missing", bpf_program__name(p));
		assert_string_equal(ours[i].section + (*ours[i].section == '?'), bpf_program__section_name(p));
		assert_int_equal(ours[i].insns, bpf_program__insn_cnt(p));
		assert_int_equal(ours[i].autoload, bpf_program__autoload(p));
		assert_int_equal(ours[i].type ? names_value(&names_prog_type, ours[i].type) : 0, bpf_program__type(p));
		/* Here it is the number of the member that the program is for. */
		if (bpf_program__type(p) == BPF_PROG_TYPE_STRUCT_OPS)
			continue;
		assert_int_equal(ours[i].attach_type ? names_value(&names_attach_type, ours[i].attach_type) : 0,
				 bpf_program__expected_attach_type(p));
	}
	assert_int_equal(n, theirs);
	assert_true(n > 0);
}

static void maps_compare(const struct both *b)
{
	const struct object_map *ours;
	const struct bpf_map *m;
	uint32_t i, n, theirs = 0;

	object_maps(&b->ours, &ours, &n);
	bpf_object__for_each_map(m, b->theirs) {
		theirs++;
		for (i = 0; i < n && strcmp(ours[i].name, bpf_map__name(m)); i++)
			;
		if (i == n)
			fail_msg("map %s is missing", bpf_map__name(m));
		assert_int_equal(names_value(&names_map_type, ours[i].type), bpf_map__type(m));
		assert_int_equal(ours[i].key_size, bpf_map__key_size(m));
		assert_int_equal(ours[i].value_size, bpf_map__value_size(m));
		assert_int_equal(ours[i].max_entries, bpf_map__max_entries(m));
		assert_int_equal(ours[i].flags, bpf_map__map_flags(m));
		assert_int_equal(ours[i].internal, bpf_map__is_internal(m));
		assert_int_equal(ours[i].pinning != NULL, bpf_map__pin_path(m) != NULL);
	}
	assert_int_equal(n, theirs);
}

/* libbpf puts the offsets of global variables into its own copy of the types when it opens an object. */
static void vars_compare(const struct both *b)
{
	const struct btf *btf = bpf_object__btf(b->theirs);
	const struct object_var *ours;
	uint32_t i, n, theirs = 0;

	object_vars(&b->ours, false, &ours, &n);
	for (unsigned id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		const char *section = btf__name_by_offset(btf, t->name_off);

		for (unsigned k = 0; btf_is_datasec(t) && object_data_kind(section) && k < btf_vlen(t); k++) {
			const struct btf_var_secinfo *v = btf_var_secinfos(t) + k;
			const char *name = btf__name_by_offset(btf, btf__type_by_id(btf, v->type)->name_off);

			theirs++;
			for (i = 0; i < n && (strcmp(ours[i].name, name) || strcmp(ours[i].section, section)); i++)
				;
			if (i == n)
				fail_msg("variable %s is missing", name);
			assert_int_equal(ours[i].offset, v->offset);
			assert_int_equal(ours[i].size, v->size);
		}
	}
	assert_int_equal(n, theirs);
}

static void test_beside(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct both b;

		both_open(&b, paths[i]);
		progs_compare(&b);
		maps_compare(&b);
		vars_compare(&b);
		both_close(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_beside) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
