/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab.h"

static void test_cut(void **state)
{
	struct lab *l = *state;

	/* The end of the headers is the end of the file. */
	for (size_t n = 0; n < l->text.n; n += n < 100 ? 1 : 7) {
		ARENA_SCOPE(l->arena);

		assert_true(again(l, n) < 0);
		assert_true(l->e.msg[0]);
	}
	assert_int_equal(again(l, l->text.n), 0);
}

static void test_other_files(void **state)
{
	struct lab *l = *state;

	header(l)->e_machine = EM_X86_64;
	refused(l, -EINVAL, "it is an object file for x86-64, not for BPF");
	header(l)->e_type = ET_EXEC;
	refused(l, -EINVAL, "it is an executable for x86-64, not for BPF");
	header(l)->e_machine = 4711;
	refused(l, -EINVAL, "it is an executable for machine 4711, not for BPF");
	header(l)->e_machine = EM_ARM;
	header(l)->e_ident[EI_CLASS] = ELFCLASS32;
	refused(l, -EINVAL, "it is an executable for arm (32-bit), not for BPF");
	header(l)->e_ident[EI_DATA] = ELFDATANONE;
	refused(l, -ENOTSUP, "unknown byte order");
	header(l)->e_ident[0] = 'x';
	refused(l, -EBADMSG, "not an ELF file");
}

static void test_sections(void **state)
{
	struct lab *l = *state;
	Elf64_Shdr *text = named(l, ".text"), was = *text;

	text->sh_offset = UINT64_MAX;
	refused(l, -EBADMSG, "is outside the file");
	text->sh_offset = 0;
	text->sh_size = l->text.n;
	refused(l, -EBADMSG, "overlap");
	*text = was;
	text->sh_name = UINT32_MAX;
	refused(l, -EBADMSG, "has no name");
	*text = was;
	header(l)->e_shstrndx = 1000;
	refused(l, -EBADMSG, "no names");
	header(l)->e_shnum = 0;
	refused(l, -EBADMSG, "no sections");
}

/* libbpf's linker follows relocations without a check. */
static void test_relocations(void **state)
{
	struct lab *l = *state;
	const Elf64_Shdr *table = named(l, ".rel?kprobe.multi/vfs_*");
	Elf64_Rel *rel = (Elf64_Rel *)(void *)(l->text.p + table->sh_offset), was = *rel;

	assert_int_equal(object_check("x.o", &l->text, &l->e), 0);
	rel->r_info = ELF64_R_INFO((uint64_t)l->o.elf.nsymbols, 1);
	assert_int_equal(object_check("x.o", &l->text, &l->e), -EBADMSG);
	assert_string_equal(l->e.msg,
			    "x.o: relocation 0 in its section .rel?kprobe.multi/vfs_* is outside of the symbols");
	*rel = was;
	rel->r_offset = 1 << 20;
	err_clear(&l->e);
	assert_int_equal(object_check("x.o", &l->text, &l->e), -EBADMSG);
	assert_non_null(strstr(l->e.msg, "is outside of the section"));
}

static void test_ext(void **state)
{
	struct lab *l = *state;
	uint32_t *words = (uint32_t *)(void *)(l->text.p + named(l, ".BTF.ext")->sh_offset), was;

	/* Offset and length of the CO-RE relocations, and the size of each. */
	was = words[7];
	words[7] = UINT32_MAX;
	refused(l, -EBADMSG, "CO-RE relocations");
	words[7] = was - 1;
	refused(l, -EBADMSG, "CO-RE relocations");
	words[7] = was;
	was = words[1];
	words[1] = 1000000;
	accepted(l, "header of its section .BTF.ext has an invalid length: 1000000");
	words[1] = was;
	words[was / 4 + words[6] / 4] = 0;
	refused(l, -EBADMSG, "CO-RE relocations");
	words[7] = 0;
	words[5] = UINT32_MAX;
	accepted(l, "no valid table of lines");
	/* Of the functions, only the size of a record: libbpf ignores such a section. */
	words[5] = 0;
	words[3] = 4;
	assert_int_equal(again(l, l->text.n), 0);
	assert_null(l->o.ignored);
	words[0] = 0;
	accepted(l, "version 1");
}

static const char *path_of(struct lab *l, const char *access)
{
	static const char was[] = "0:1:1:1:3";
	const struct object_core *cores;
	uint32_t n, i;
	char *at;

	assert_int_equal(strlen(access), strlen(was));
	at = memmem(l->text.p, l->text.n, was, sizeof(was));
	assert_non_null(at);
	memcpy(at, access, strlen(access));
	assert_int_equal(again(l, l->text.n), 0);
	object_cores(&l->o, &cores, &n);
	memcpy(at, was, strlen(was));
	for (i = 0; i < n && cores[i].insn != 11; i++)
		;
	assert_true(i < n);
	assert_string_equal(cores[i].program, "by_hand");
	assert_string_equal(cores[i].kind, "byte_off");
	assert_string_equal(cores[i].type, "struct task_struct");
	return cores[i].path;
}

static void test_access(void **state)
{
	struct lab *l = *state;

	assert_string_equal(path_of(l, "0:1:1:1:3"), "in[1].list[3]");
	assert_string_equal(path_of(l, "2:1:1:1:3"), "[2].in[1].list[3]");
	/* Indexes beyond an array are usually in an array of unknown length. */
	assert_string_equal(path_of(l, "0:1:1:1:9"), "in[1].list[9]");
}

static void test_access_nonsense(void **state)
{
	static const char *const all[] = {
		"0:9:1:1:3", "0:1:1:9:3", "0:0:1:1:3", "0:1:1:1::", ":1:1:1:33", "0:1:1:1:x",
		"99999999:", "0:1 :1:13", "-:1:1:1:3", "0:4294967", "xxxxxxxxx",
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (path_of(*state, all[i]))
			fail_msg("%s: there is no such path", all[i]);
}

/* The same section under its old name: symbols are legacy definitions. */
static void test_legacy_maps(void **state)
{
	static const uint32_t definition[] = { 1, 4, 8, 100, 1 };
	struct lab *l = *state;
	Elf64_Sym *sym = symbol(l, "tails");
	Elf64_Shdr *sh = named(l, ".maps");
	const struct object_map *maps;
	uint32_t n;

	sh->sh_name++;
	memcpy(l->text.p + sh->sh_offset + sym->st_value, definition, sizeof(definition));
	assert_int_equal(again(l, l->text.n), 0);
	object_maps(&l->o, &maps, &n);
	for (; n && (strcmp(maps->name, "tails") || strcmp(maps->section, "maps")); n--, maps++)
		;
	assert_true(n > 0);
	assert_string_equal(maps->type, "hash");
	assert_int_equal(maps->key_size, 4);
	assert_int_equal(maps->value_size, 8);
	assert_int_equal(maps->max_entries, 100);
	assert_int_equal(maps->flags, 1);
	/* One that begins too near the end is invalid. */
	sym->st_value = sh->sh_size - 19;
	assert_int_equal(again(l, l->text.n), 0);
	object_maps(&l->o, &maps, &n);
	for (; n; n--, maps++)
		assert_false(!strcmp(maps->name, "tails") && !strcmp(maps->section, "maps"));
}

/* Many maps with one definition, whose members all have the same inner maps: each definition is read once. */
static void test_shared_definitions(void **state)
{
	const unsigned n = 300;
	struct lab *l = *state;
	struct elf_sect none = { .name = "" };
	const struct object_map *maps;
	struct btf_build *b = arena_alloc(l->arena, sizeof(*b));
	uint32_t i, name, inner, array, outer, var, count;
	size_t mark, texts = 1 << 20;

	build_init(b);
	i = build_int(b, "int", 4, BTF_INT_SIGNED, 0, 32);
	inner = build_type(b, "inner", BTF_KIND_STRUCT, n, 0, 4);
	name = build_str(b, "values");
	for (unsigned k = 0; k < 3 * n; k++)
		build_word(b, k % 3 ? (k % 3 == 1 ? i : 0) : name);
	array = build_array(b, b->next + 1, i, 1);
	build_ref(b, BTF_KIND_PTR, NULL, inner);
	outer = build_type(b, "outer", BTF_KIND_STRUCT, n, 0, 8);
	for (unsigned k = 0; k < 3 * n; k++)
		build_word(b, k % 3 ? (k % 3 == 1 ? array : 0) : name);
	var = build_var(b, "map", outer);
	build_type(b, ".maps", BTF_KIND_DATASEC, n, 0, 0);
	for (unsigned k = 0; k < n; k++)
		build_secinfo(b, var, 0, 8);
	{
		BTF t = parsed(b, NULL);

		l->o = (struct object){
			.path = "x.o", .arena = l->arena, .btf = t, .text_left = &texts, .elf.sects = &none
		};
		mark = arena_size(l->arena);
		object_maps(&l->o, &maps, &count);
		assert_int_equal(count, n);
		assert_string_equal(maps[n - 1].name, "map");
		assert_string_equal(maps[n - 1].section, ".maps");
		assert_string_equal(maps[n - 1].inner->name, "inner");
		assert_true(arena_size(l->arena) - mark < (1 << 20));
	}
}

/* struct ____btf_map_flows { u32 key; struct v value; }, for a map whose definition has sizes only. */
static void test_markers(void **state)
{
	struct lab *l = *state;
	struct elf_sect none = { .name = "" };
	struct btf_build *b = arena_alloc(l->arena, sizeof(*b));
	const struct object_map *maps;
	uint32_t u32, v, map, n;
	size_t texts = 1000;

	build_init(b);
	u32 = build_int(b, "u32", 4, 0, 0, 32);
	v = build_type(b, "v", BTF_KIND_STRUCT, 0, 0, 8);
	build_type(b, "____btf_map_flows", BTF_KIND_STRUCT, 2, 0, 12);
	build_member(b, "key", u32, 0);
	build_member(b, "value", v, 32);
	build_type(b, "____btf_map_other", BTF_KIND_STRUCT, 0, 0, 0);
	map = build_var(b, "flows", build_type(b, "def", BTF_KIND_STRUCT, 0, 0, 8));
	build_type(b, ".maps", BTF_KIND_DATASEC, 1, 0, 0);
	build_secinfo(b, map, 0, 8);
	{
		BTF t = parsed(b, NULL);

		l->o = (struct object){
			.path = "x.o", .arena = l->arena, .btf = t, .text_left = &texts, .elf.sects = &none
		};
		object_maps(&l->o, &maps, &n);
		assert_int_equal(n, 1);
		assert_string_equal(maps->key_type, "u32");
		assert_string_equal(maps->value_type, "struct v");
	}
}

static void test_names(void **state)
{
	struct lab *l = *state;

	assert_int_equal(again(l, l->text.n), 0);
	assert_string_equal(object_data_map_name(&l->o, ".bss"), "some_thi.bss");
	assert_string_equal(object_data_map_name(&l->o, ".rodata"), "some_thi.rodata");
	assert_string_equal(object_data_map_name(&l->o, ".data.named"), ".data.named");
	assert_string_equal(object_data_kind(".rodata.str1.1"), ".rodata");
	assert_null(object_data_kind(".database"));
	assert_null(object_data_kind("data"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_cut, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sections, setup, teardown),
		cmocka_unit_test_setup_teardown(test_relocations, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ext, setup, teardown),
		cmocka_unit_test_setup_teardown(test_access, setup, teardown),
		cmocka_unit_test_setup_teardown(test_access_nonsense, setup, teardown),
		cmocka_unit_test_setup_teardown(test_legacy_maps, setup, teardown),
		cmocka_unit_test_setup_teardown(test_shared_definitions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_markers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
