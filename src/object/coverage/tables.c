/* SPDX-License-Identifier: BSD-2-Clause */
#include "object/coverage/cover.h"

#include <elf.h>

#include "base/bytes.h"
#include "types/btf.h"
#include "types/data_section.h"

/* Of linux/bpf.h's ABI for objects: the address of a symbol in an LDIMM64. */
#define R_BPF_64_64 1
/* New symbols, after the local ones: the section, as loaders expect it in relocations, and the variable. */
#define SYMBOLS_NEW 2
#define VARIABLE "coverage"

/* What refers to code by offset and is not needed to load it: loaders ignore these sections, and so may be emptied. */
static bool is_stale(const char *section)
{
	static const char *const names[] = { ".debug_",	      ".rel.debug_",   ".eh_frame",
					     ".rel.eh_frame", ".llvm_addrsig", ".rel.BTF.ext" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_starts(section, names[i]))
			return true;
	return false;
}

static unsigned char *section_copy(struct cover *c, uint32_t section, size_t more)
{
	struct elf_sect *s = &c->sects[section];
	unsigned char *p = arena_room(c->arena, s->size + more);

	if (s->size)
		memcpy(p, s->p, s->size);
	s->p = p;
	s->size += more;
	return p;
}

/* Names that point into the section follow it. */
static void strings_copy(struct cover *c)
{
	const uint32_t section = c->sects[c->symtab].link;
	const char *was = (const char *)c->sects[section].p;
	const size_t n = c->sects[section].size;
	char *now = (char *)section_copy(c, section, sizeof(VARIABLE));

	memcpy(now + n, VARIABLE, sizeof(VARIABLE));
	for (uint32_t i = 0; section == c->o->elf.names && i < c->nsects; i++) {
		const uintptr_t at = (uintptr_t)c->sects[i].name - (uintptr_t)was;

		if (at < n)
			c->sects[i].name = now + at;
	}
}

static void symbol_move(const struct cover *c, Elf64_Sym *s)
{
	const uint64_t end = s->st_value + s->st_size;
	const bool func = ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_size;

	if (s->st_shndx >= c->o->elf.nsects)
		return;
	s->st_value = cover_moved(c, s->st_shndx, s->st_value, slot_lead);
	if (func)
		s->st_size = cover_moved(c, s->st_shndx, end, slot_lead) - s->st_value;
}

static void symbols_move(struct cover *c)
{
	const uint32_t names = c->sects[c->symtab].link, data = c->o->elf.nsects;
	const Elf64_Sym new[SYMBOLS_NEW] = {
		{ .st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION), .st_shndx = (uint16_t)data },
		{ .st_name = (uint32_t)c->sects[names].size,
		  .st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT),
		  .st_shndx = (uint16_t)data,
		  .st_size = c->sects[data].size },
	};
	const size_t n = c->o->elf.nsymbols, locals = c->first_global;
	Elf64_Sym *all = (Elf64_Sym *)section_copy(c, c->symtab, sizeof(new));

	for (size_t i = 0; i < n; i++)
		symbol_move(c, &all[i]);
	memmove(all + locals + SYMBOLS_NEW, all + locals, (n - locals) * sizeof(*all));
	memcpy(all + locals, new, sizeof(new));
	c->sects[c->symtab].info = (uint32_t)locals + SYMBOLS_NEW;
}

static uint32_t symbol_number(const struct cover *c, uint32_t symbol)
{
	return symbol >= c->first_global ? symbol + SYMBOLS_NEW : symbol;
}

/* Append the relocations of a section's counters to the table of relocations at @p, which has @n of them. */
static void counters_relocate(struct cover *c, uint32_t section, Elf64_Rel *p)
{
	for (uint32_t i = 0; i < c->nuses[section]; i++)
		p[i] = (Elf64_Rel){ .r_offset = c->uses[section][i],
				    .r_info = ELF64_R_INFO((uint64_t)c->first_global, R_BPF_64_64) };
}

static void relocations_move(struct cover *c, uint32_t table)
{
	const uint32_t section = c->sects[table].info;
	const size_t n = elf_nrelocs(&c->o->elf.sects[table]);
	const bool code = section < c->o->elf.nsects && c->slots[section];
	const uint32_t more = code ? c->nuses[section] : 0;
	Elf64_Rel *all;

	if (c->o->elf.sects[table].type != SHT_REL || !c->sects[table].size)
		return;
	c->sects[table].size = n * sizeof(*all);
	all = (Elf64_Rel *)section_copy(c, table, more * sizeof(*all));
	for (size_t i = 0; i < n; i++) {
		all[i].r_info = ELF64_R_INFO((uint64_t)symbol_number(c, (uint32_t)ELF64_R_SYM(all[i].r_info)),
					     ELF64_R_TYPE(all[i].r_info));
		if (code)
			all[i].r_offset = cover_moved(c, section, all[i].r_offset, slot_own);
	}
	if (!more)
		return;
	counters_relocate(c, section, all + n);
	c->nuses[section] = 0;
}

/* A table for code that had none. */
static void relocations_add(struct cover *c, uint32_t section)
{
	struct elf_sect *s = &c->sects[c->nsects];
	Elf64_Rel *all = arena_array(c->arena, c->nuses[section], sizeof(*all));

	counters_relocate(c, section, all);
	*s = (struct elf_sect){
		.name = arena_fmt(c->arena, ".rel%s", c->o->elf.sects[section].name),
		.type = SHT_REL,
		.link = c->symtab,
		.info = section,
		.align = sizeof(uint64_t),
		.entsize = sizeof(*all),
		.size = c->nuses[section] * sizeof(*all),
		.p = (unsigned char *)all,
	};
	c->nsects++;
}

/* Records of one kind about all sections, in a copy of .BTF.ext at @to. */
static void ext_move(const struct cover *c, enum ext_kind kind, const unsigned char *from, unsigned char *to)
{
	static slot_place *const place[EXT_KINDS] = {
		[EXT_FUNCS] = slot_lead,
		[EXT_LINES] = slot_line,
		[EXT_CORE] = slot_own,
	};

	for (uint32_t i = 1; c->o->ext[kind] && i < c->o->elf.nsects; i++) {
		const struct ext_part *part = &c->o->ext[kind][i];

		for (uint32_t k = 0; k < part->n; k++)
			store_uint(to + (part->p - from) + (size_t)k * part->size, sizeof(uint32_t),
				   cover_moved(c, i, ext_u32(part, k, 0), place[kind]), BIG_HERE);
	}
}

static int types_add(struct cover *c, struct err *e)
{
	const uint32_t types = object_section(c->o, ".BTF"), ext = object_section(c->o, ".BTF.ext");
	unsigned char *copy;
	const void *p;
	size_t n;
	int err;

	if (!c->o->btf)
		return 0;
	err = btf_add_counters(c->o->btf, c->section, VARIABLE, c->counters, c->arena, &p, &n, e);
	if (err)
		return err;
	c->sects[types].p = p;
	c->sects[types].size = n;
	copy = ext && c->sects[ext].p ? section_copy(c, ext, 0) : NULL;
	for (enum ext_kind kind = 0; copy && kind < EXT_KINDS; kind++)
		ext_move(c, kind, c->o->elf.sects[ext].p, copy);
	if (copy && c->o->ext[EXT_LINES])
		cover_lines(c, ext);
	return 0;
}

static void sections_empty(struct cover *c)
{
	for (uint32_t i = 1; i < c->o->elf.nsects; i++)
		if (is_stale(c->sects[i].name) && !c->slots[i]) {
			c->sects[i].size = 0;
			c->sects[i].flags &= ~(uint64_t)SHF_COMPRESSED;
		}
}

int cover_tables(struct cover *c, struct err *e)
{
	const uint32_t old = c->o->elf.nsects;
	int err = types_add(c, e);

	if (err)
		return err;
	sections_empty(c);
	symbols_move(c);
	strings_copy(c);
	for (uint32_t i = 1; i < old; i++) {
		relocations_move(c, i);
		/* its symbol */
		if (c->sects[i].type == SHT_GROUP)
			c->sects[i].info = symbol_number(c, c->sects[i].info);
	}
	for (uint32_t i = 1; i < old; i++)
		if (c->nuses[i])
			relocations_add(c, i);
	return 0;
}
