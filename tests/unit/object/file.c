/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "../btf/parsed.h"
#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/str.h"
#include "object/file.h"
#include "object/read.h"

/* A stored object, to be damaged. */
struct lab {
	struct arena *arena;
	struct str text;
	struct object o;
	struct err e;
};

static int setup(void **state)
{
	static struct lab l;

	l = (struct lab){ .arena = arena_new() };
	*state = &l;
	return str_read_file(&l.text, "tests/objects/object.bpf.o", 1 << 20);
}

static int teardown(void **state)
{
	struct lab *l = *state;

	arena_free(l->arena);
	str_release(&l->text);
	return 0;
}

static int again(struct lab *l, size_t n)
{
	err_clear(&l->e);
	return object_read(&l->o, "dir/some-thing.bpf.o", l->text.p, n, l->arena, &l->e);
}

/* To write to. */
static Elf64_Ehdr *header(struct lab *l)
{
	if (BIG_HERE)
		skip_because("the object is little-endian");
	return (Elf64_Ehdr *)(void *)l->text.p;
}

static Elf64_Shdr *section(struct lab *l, uint32_t i)
{
	return (Elf64_Shdr *)(void *)(l->text.p + header(l)->e_shoff) + i;
}

/* The symbol with this name, in the undamaged file. */
static Elf64_Shdr *named(struct lab *l, const char *name)
{
	assert_int_equal(again(l, l->text.n), 0);
	return section(l, object_section(&l->o, name));
}

static Elf64_Sym *symbol(struct lab *l, const char *name)
{
	const Elf64_Shdr *table = named(l, ".symtab");

	for (uint32_t i = 0; i < l->o.elf.nsymbols; i++)
		if (!strcmp(l->o.elf.symbols[i].name, name))
			return (Elf64_Sym *)(void *)(l->text.p + table->sh_offset) + i;
	fail_msg("no symbol %s", name);
	return NULL;
}

static void refused(struct lab *l, int code, const char *why)
{
	assert_int_equal(again(l, l->text.n), code);
	if (!strstr(l->e.msg, why) || strncmp(l->e.msg, "dir/some-thing.bpf.o: ", 22))
		fail_msg("'%s' should say '%s'", l->e.msg, why);
}

static void accepted(struct lab *l, const char *ignored)
{
	assert_int_equal(again(l, l->text.n), 0);
	if (!l->o.ignored || !strstr(l->o.ignored, ignored))
		fail_msg("'%s' should be in '%s'", ignored, l->o.ignored ? l->o.ignored : "");
}

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

static void test_functions(void **state)
{
	struct lab *l = *state;
	Elf64_Sym *deep = symbol(l, "deep"), was = *deep;

	deep->st_value = 0;
	refused(l, -EBADMSG, "overlap");
	*deep = was;
	deep->st_size += 8;
	refused(l, -EBADMSG, "is not inside its section");
	deep->st_size = 12;
	refused(l, -EBADMSG, "complete instructions");
	*deep = was;
	deep->st_shndx = 1000;
	refused(l, -EBADMSG, "a section that does not exist");
	*deep = was;
	deep->st_name = UINT32_MAX;
	accepted(l, "1 symbol without a valid name");
}

static Elf64_Sym *symbols(struct lab *l, uint32_t *ret_n)
{
	const Elf64_Shdr *table = named(l, ".symtab");

	*ret_n = (uint32_t)(table->sh_size / sizeof(Elf64_Sym));
	return (Elf64_Sym *)(void *)(l->text.p + table->sh_offset);
}

/* All code of executable sections is in functions, each instruction in one. @n: how many functions. */
static void covered(struct lab *l, uint32_t n)
{
	uint64_t code = 0, shown = 0;

	assert_int_equal(again(l, l->text.n), 0);
	for (uint32_t i = 1; i < l->o.elf.nsects; i++)
		code += l->o.elf.sects[i].flags & SHF_EXECINSTR ? l->o.elf.sects[i].size / 8 * 8 : 0;
	for (uint32_t i = 0; i < l->o.nfuncs; i++) {
		const struct object_func *f = &l->o.funcs[i];

		assert_true(f->size && f->off + f->size <= l->o.elf.sects[f->section].size);
		assert_true(!i || f[-1].section != f->section || f[-1].off + f[-1].size == f->off);
		shown += f->size;
	}
	assert_true(code > 0);
	assert_int_equal(shown, code);
	assert_int_equal(l->o.nfuncs, n);
}

static const struct object_func *func(struct lab *l, const char *name)
{
	for (uint32_t i = 0; i < l->o.nfuncs; i++)
		if (!strcmp(l->o.funcs[i].name, name))
			return &l->o.funcs[i];
	fail_msg("no function %s", name);
	return NULL;
}

/* Functions of which the symbols have no type and size, as LLVM wrote them before version 7. */
static void test_untyped(void **state)
{
	struct lab *l = *state;
	uint32_t n, nfuncs;
	Elf64_Sym *all = symbols(l, &n);

	nfuncs = l->o.nfuncs;
	covered(l, nfuncs);
	for (uint32_t i = 0; i < n; i++) {
		if (ELF64_ST_TYPE(all[i].st_info) != STT_FUNC)
			continue;
		all[i].st_info = ELF64_ST_INFO(ELF64_ST_BIND(all[i].st_info), STT_NOTYPE);
		all[i].st_size = 0;
	}
	covered(l, nfuncs);
	assert_true(func(l, "by_hand")->program);
	assert_false(func(l, "deep")->program);
	assert_string_equal(func(l, "by_hand")->refused->why,
			    "its symbol has no type or size, as old versions of LLVM wrote them");
}

static void test_symbolless(void **state)
{
	struct lab *l = *state;
	uint32_t n, deep;
	Elf64_Sym *all = symbols(l, &n), *sym = symbol(l, "deep");

	deep = (uint32_t)sym->st_value;
	sym->st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
	covered(l, l->o.nfuncs);
	assert_non_null(strstr(object_func_at(&l->o, sym->st_shndx, deep)->name, ".text"));
	assert_string_equal(object_func_at(&l->o, sym->st_shndx, deep)->refused->why, "it has no symbol");
	sym = symbol(l, "by_hand");
	sym->st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
	covered(l, l->o.nfuncs);
	assert_true(func(l, "by_hand")->program);
	assert_string_equal(func(l, "by_hand")->refused->why, "it is static");
	for (uint32_t i = 0; i < n; i++)
		if (ELF64_ST_TYPE(all[i].st_info) == STT_FUNC)
			all[i].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
	assert_int_equal(again(l, l->text.n), 0);
	covered(l, l->o.nfuncs);
	assert_true(func(l, "?kprobe.multi/vfs_*")->program);
	/* Two names of one function, and a size that is no multiple of an instruction's. */
	sym->st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
	all[1] = *sym;
	accepted(l, "symbol by_hand is another name of function by_hand");
	named(l, "weird/section")->sh_size--;
	accepted(l, "the last 7 bytes of section weird/section are not a complete instruction");
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

/* In a shared object, the values of symbols are addresses. */
static void test_addresses(void **state)
{
	struct lab *l = *state;
	uint32_t n, nfuncs;
	Elf64_Sym *all = symbols(l, &n);

	nfuncs = l->o.nfuncs;
	header(l)->e_type = ET_DYN;
	for (uint32_t i = 1; i < l->o.elf.nsects; i++)
		section(l, i)->sh_addr = 0x1000u * i;
	for (uint32_t i = 1; i < n; i++)
		if (all[i].st_shndx && all[i].st_shndx < SHN_LORESERVE)
			all[i].st_value += 0x1000u * all[i].st_shndx;
	covered(l, nfuncs);
	assert_true(func(l, "by_hand")->program);
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
		cmocka_unit_test_setup_teardown(test_functions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_relocations, setup, teardown),
		cmocka_unit_test_setup_teardown(test_untyped, setup, teardown),
		cmocka_unit_test_setup_teardown(test_symbolless, setup, teardown),
		cmocka_unit_test_setup_teardown(test_addresses, setup, teardown),
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
