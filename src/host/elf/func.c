/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/elf/func.h"

#include <fcntl.h>
#include <gelf.h>

#define TABLE_MAX (512u << 20) /* bytes of a table; a larger one can only be meant to fill memory */

struct elf_funcs {
	struct str funcs; /* struct elf_func[], ascending by offset; names are in arena */
	struct arena *names;
};

static void end_elf(Elf **elf)
{
	elf_end(*elf);
}

const struct elf_func *elf_funcs_all(const struct elf_funcs *f, size_t *ret_n)
{
	*ret_n = f->funcs.n / sizeof(struct elf_func);
	return (const struct elf_func *)(const void *)f->funcs.p;
}

static int by_offset(const void *pa, const void *pb)
{
	const struct elf_func *a = pa, *b = pb;

	/* Of several names the global one first, then by alphabet. */
	return NUM_CMP(a->offset, b->offset) ?: a->global - b->global ?: strcmp(b->name, a->name);
}

bool elf_offset_of(struct Elf *elf, uint64_t addr, uint64_t *ret)
{
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph))
			return false;
		if (ph.p_type != PT_LOAD || addr < ph.p_vaddr || addr - ph.p_vaddr >= ph.p_filesz)
			continue;
		*ret = addr - ph.p_vaddr + ph.p_offset;
		return true;
	}
	return false;
}

static void add_table(struct elf_funcs *f, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym sym;

	for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
		struct elf_func func = { .size = sym.st_size, .global = GELF_ST_BIND(sym.st_info) == STB_GLOBAL };
		const char *name;

		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, sh->sh_link, sym.st_name);
		if (!name || !name[0] || !elf_offset_of(elf, sym.st_value, &func.offset))
			continue;
		func.name = arena_str(f->names, name, SIZE_MAX);
		str_add(&f->funcs, &func, sizeof(func));
	}
}

static bool is_table(Elf *elf, Elf_Scn *scn, GElf_Shdr *ret)
{
	GElf_Shdr names;

	return gelf_getshdr(scn, ret) && (ret->sh_type == SHT_SYMTAB || ret->sh_type == SHT_DYNSYM) &&
	       ret->sh_size <= TABLE_MAX && gelf_getshdr(elf_getscn(elf, ret->sh_link), &names) &&
	       names.sh_size <= TABLE_MAX;
}

int elf_funcs_read(struct elf_funcs **ret, int fd)
{
	__attribute__((cleanup(end_elf))) Elf *elf =
		elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	struct elf_funcs *f;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t n;

	if (!elf || elf_kind(elf) != ELF_K_ELF)
		return -ENOEXEC;
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->names = arena_new();
	while ((scn = elf_nextscn(elf, scn)))
		if (is_table(elf, scn, &sh))
			add_table(f, elf, scn, &sh);
	elf_funcs_all(f, &n);
	if (!n) {
		elf_funcs_free(&f);
		return -ENODATA;
	}
	qsort(f->funcs.p, n, sizeof(struct elf_func), by_offset);
	*ret = f;
	return 0;
}

void elf_funcs_free(struct elf_funcs **f)
{
	if (!*f)
		return;
	str_release(&(*f)->funcs);
	arena_free((*f)->names);
	free(*f);
	*f = NULL;
}

const struct elf_func *elf_funcs_at(const struct elf_funcs *f, uint64_t offset)
{
	size_t n, end;
	const struct elf_func *all = elf_funcs_all(f, &n), *found;

	end = ARRAY_LOWER(n, i, all[i].offset <= offset);
	if (!end)
		return NULL;
	found = &all[end - 1];
	return offset == found->offset || offset - found->offset < found->size ? found : NULL;
}

int elf_funcs_find_named(const struct elf_funcs *f, const char *name, struct elf_func *ret)
{
	const struct elf_func *found = NULL;
	bool several = false;
	size_t n;

	elf_funcs_all(f, &n);
	for (const struct elf_func *p = elf_funcs_all(f, &n); n--; p++) {
		if (strcmp(p->name, name) != 0 || (found && p->offset == found->offset))
			continue;
		several = found && p->global == found->global;
		if (!found || p->global >= found->global)
			found = p;
	}
	if (!found)
		return -ENOENT;
	if (several)
		return -ENOTUNIQ;
	*ret = *found;
	return 0;
}

int elf_func_find(const char *path, const char *name, struct elf_func *ret)
{
	CLEAN_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	__attribute__((cleanup(elf_funcs_free))) struct elf_funcs *f = NULL;
	int err = fd < 0 ? -errno : elf_funcs_read(&f, fd);

	err = err ? err : elf_funcs_find_named(f, name, ret);
	if (!err)
		ret->name = name;
	return err == -ENOENT && fd >= 0 ? -ENODATA : err;
}
