/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/elf/elf.h"

#include <elf.h>

#include "base/bytes.h"
#include "base/swap.h"

/*
 * Without libelf: it checks a table when it is used, not when the file is opened, and its errors do not name the cause.
 * Parsing the few structs of one class and byte order is simpler than guarding libelf.
 */
struct file {
	const unsigned char *p;
	size_t n;
	bool big;
};

/* A struct of the file, whose integers are as swap_record() has them. */
static void elf_take(const struct file *f, void *ret, const unsigned char *p, size_t n, const char *record)
{
	memcpy(ret, p, n);
	if (f->big != BIG_HERE)
		swap_record(record, ret, n);
}

/* "arm64" for EM_AARCH64, by the kernel's name; NULL: another one */
static const char *elf_machine(unsigned machine)
{
	static const struct {
		unsigned machine;
		const char *name;
	} all[] = {
		{ EM_X86_64, "x86-64" },       { EM_386, "i386" },    { EM_AARCH64, "arm64" }, { EM_ARM, "arm" },
		{ EM_PPC64, "powerpc" },       { EM_PPC, "powerpc" }, { EM_S390, "s390" },     { EM_RISCV, "riscv" },
		{ EM_LOONGARCH, "loongarch" }, { EM_MIPS, "mips" },   { EM_SPARCV9, "sparc" }, { EM_BPF, "bpf" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].machine == machine)
			return all[i].name;
	return NULL;
}

static bool inside(const struct file *f, uint64_t off, uint64_t size)
{
	return off <= f->n && size <= f->n - off;
}

/* Say what it is instead: these members are the same in both classes. */
static int not_bpf(const struct file *f, struct err *e)
{
	static const char *const types[] = { [ET_REL] = "an object file",
					     [ET_EXEC] = "an executable",
					     [ET_DYN] = "an executable or a shared library",
					     [ET_CORE] = "a core dump" };
	Elf32_Half half[2] = { 0 };
	const char *type, *machine;

	if (f->n >= EI_NIDENT + sizeof(half))
		elf_take(f, half, f->p + EI_NIDENT, sizeof(half), "2H");
	type = half[0] < ARRAY_SIZE(types) && types[half[0]] ? types[half[0]] : "an ELF file";
	machine = elf_machine(half[1]);
	if (!machine)
		return err_set(e, -EINVAL, "it is %s for machine %u, not for BPF", type, half[1]);
	return err_set(e, -EINVAL, "it is %s for %s%s, not for BPF", type, machine,
		       f->p[EI_CLASS] == ELFCLASS32 ? " (32-bit)" : "");
}

static int elf_header_read(struct file *f, Elf64_Ehdr *ret, struct err *e)
{
	if (!elf_is(f->p, f->n) || f->n < EI_NIDENT)
		return err_set(e, -EBADMSG, "it is not an ELF file");
	if (f->p[EI_DATA] != ELFDATA2LSB && f->p[EI_DATA] != ELFDATA2MSB)
		return err_set(e, -ENOTSUP, "it is an ELF file of an unknown byte order");
	f->big = f->p[EI_DATA] == ELFDATA2MSB;
	if (f->p[EI_CLASS] != ELFCLASS64)
		return not_bpf(f, e);
	if (f->n < sizeof(*ret))
		return err_set(e, -EBADMSG, "its ELF header is truncated");
	elf_take(f, ret, f->p, sizeof(*ret), "16s2HI3QI6H");
	if (ret->e_machine != EM_BPF && ret->e_machine != EM_NONE)
		return not_bpf(f, e);
	if (!ret->e_shoff || !ret->e_shnum)
		return err_set(e, -EBADMSG, "it has no sections");
	if (ret->e_shentsize != sizeof(Elf64_Shdr) ||
	    !inside(f, ret->e_shoff, (uint64_t)ret->e_shnum * sizeof(Elf64_Shdr)))
		return err_set(e, -EBADMSG, "its section headers are outside the file");
	return 0;
}

static Elf64_Shdr section_header(const struct file *f, const Elf64_Ehdr *h, uint32_t i)
{
	Elf64_Shdr ret;

	elf_take(f, &ret, f->p + h->e_shoff + (size_t)i * sizeof(ret), sizeof(ret), "2I4Q2I2Q");
	return ret;
}

/* A section of strings must end with NUL, so that every offset in it is a valid string. */
static const char *string_at(const struct elf_sect *strings, uint32_t off)
{
	if (!strings->p || !strings->size || strings->p[strings->size - 1])
		return NULL;
	return off < strings->size ? (const char *)strings->p + off : NULL;
}

static int sections_read(const struct file *f, const Elf64_Ehdr *h, struct elf_sect *sects, struct err *e)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < h->e_shnum; i++) {
		Elf64_Shdr sh = section_header(f, h, i);

		sects[i] = (struct elf_sect){ .type = sh.sh_type,
					      .link = sh.sh_link,
					      .info = sh.sh_info,
					      .flags = sh.sh_flags,
					      .size = sh.sh_size,
					      .align = sh.sh_addralign,
					      .entsize = sh.sh_entsize };
		if (!i || sh.sh_type == SHT_NULL || sh.sh_type == SHT_NOBITS)
			continue;
		if (!inside(f, sh.sh_offset, sh.sh_size))
			return err_set(e, -EBADMSG, "its section %u is outside the file", i);
		sum += sh.sh_size;
		if (sum > f->n)
			return err_set(e, -EBADMSG, "its sections overlap");
		if (!(sh.sh_flags & SHF_COMPRESSED))
			sects[i].p = f->p + sh.sh_offset;
	}
	if (h->e_shstrndx >= h->e_shnum)
		return err_set(e, -EBADMSG, "its sections have no names");
	sects[0].name = "";
	for (i = 1; i < h->e_shnum; i++) {
		sects[i].name = string_at(&sects[h->e_shstrndx], section_header(f, h, i).sh_name);
		if (!sects[i].name)
			return err_set(e, -EBADMSG, "its section %u has no name", i);
	}
	return 0;
}

/* In files that are linked, values are addresses. */
static uint64_t address_of(const struct file *f, const Elf64_Ehdr *h, uint32_t section)
{
	return h->e_type == ET_REL || !section ? 0 : section_header(f, h, section).sh_addr;
}

static int symbols_read(struct elf_object *o, const struct file *f, const Elf64_Ehdr *h, const struct elf_sect *table,
			struct arena *a, struct err *e)
{
	struct elf_symbol *ret;
	uint32_t i;

	if (!table->p || table->size / sizeof(Elf64_Sym) > UINT32_MAX || table->link >= o->nsects ||
	    (table->size && !string_at(&o->sects[table->link], 0)))
		return err_set(e, -EBADMSG, "its symbol table is damaged");
	o->nsymbols = (uint32_t)(table->size / sizeof(Elf64_Sym));
	ret = arena_array(a, o->nsymbols, sizeof(*ret));
	for (i = 0; i < o->nsymbols; i++) {
		Elf64_Sym sym;

		elf_take(f, &sym, table->p + (size_t)i * sizeof(sym), sizeof(sym), "I2BH2Q");
		ret[i] = (struct elf_symbol){
			.name = string_at(&o->sects[table->link], sym.st_name),
			.value = sym.st_value,
			.size = sym.st_size,
			.section = sym.st_shndx < SHN_LORESERVE ? sym.st_shndx : 0,
			.undefined = sym.st_shndx == SHN_UNDEF,
			.type = ELF64_ST_TYPE(sym.st_info),
			.bind = ELF64_ST_BIND(sym.st_info),
		};
		if (ret[i].section >= o->nsects)
			return err_set(e, -EBADMSG, "its symbol %u is in a section that does not exist", i);
		ret[i].value -= address_of(f, h, ret[i].section);
		o->nnameless += !ret[i].name;
		ret[i].name = ret[i].name ? ret[i].name : "";
	}
	o->symbols = ret;
	return 0;
}

int elf_object(struct elf_object *ret, const void *p, size_t n, struct arena *a, struct err *e)
{
	struct file f = { .p = p, .n = n };
	struct elf_object o = { 0 };
	struct elf_sect *sects;
	Elf64_Ehdr h;
	int err = elf_header_read(&f, &h, e);

	if (err)
		return err;
	o.machine = h.e_machine;
	o.type = h.e_type;
	o.flags = h.e_flags;
	o.names = h.e_shstrndx;
	o.big = f.big;
	o.nsects = h.e_shnum;
	o.sects = sects = arena_array(a, o.nsects, sizeof(*sects));
	err = sections_read(&f, &h, sects, e);
	for (uint32_t i = 1; !err && i < o.nsects && !o.symbols; i++)
		if (sects[i].type == SHT_SYMTAB)
			err = symbols_read(&o, &f, &h, &sects[i], a, e);
	if (!err)
		*ret = o;
	return err;
}

bool elf_is_other_order(const void *p, size_t n)
{
	const unsigned char data = BIG_HERE ? ELFDATA2LSB : ELFDATA2MSB;

	return elf_is(p, n) && n > EI_DATA && ((const unsigned char *)p)[EI_DATA] == data;
}

int elf_hint_other_order(struct err *e)
{
	return err_hint(
		e,
		"it is compiled for %s-endian machines, this one is %s-endian; -target bpf is the byte order of "
		"the machine that compiles",
		BIG_HERE ? "little" : "big", BIG_HERE ? "big" : "little");
}

size_t elf_nrelocs(const struct elf_sect *s)
{
	return s->type == SHT_REL && s->p ? s->size / sizeof(Elf64_Rel) : 0;
}

struct elf_reloc elf_reloc(const struct elf_object *o, const struct elf_sect *s, size_t i)
{
	const struct file f = { .big = o->big };
	Elf64_Rel rel;

	elf_take(&f, &rel, s->p + i * sizeof(rel), sizeof(rel), "2Q");
	return (struct elf_reloc){ rel.r_offset, (uint32_t)ELF64_R_SYM(rel.r_info),
				   (uint32_t)ELF64_R_TYPE(rel.r_info) };
}

size_t elf_bpf_extent(const void *p, size_t n)
{
	struct file f = { .p = p, .n = n };
	uint64_t end;
	Elf64_Ehdr h;

	if (elf_header_read(&f, &h, NULL) || h.e_machine != EM_BPF || h.e_type != ET_REL)
		return 0;
	end = h.e_shoff + (uint64_t)h.e_shnum * sizeof(Elf64_Shdr);
	for (uint32_t i = 1; i < h.e_shnum; i++) {
		Elf64_Shdr sh = section_header(&f, &h, i);

		if (sh.sh_type == SHT_NULL || sh.sh_type == SHT_NOBITS)
			continue;
		if (!inside(&f, sh.sh_offset, sh.sh_size))
			return 0;
		if (sh.sh_offset + sh.sh_size > end)
			end = sh.sh_offset + sh.sh_size;
	}
	return (size_t)end;
}
