/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_functions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_untyped, setup, teardown),
		cmocka_unit_test_setup_teardown(test_symbolless, setup, teardown),
		cmocka_unit_test_setup_teardown(test_addresses, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
