/* SPDX-License-Identifier: BSD-2-Clause */
#include <elf.h>

#include "base/bytes.h"
#include "object/file.h"
#include "object/read.h"

static const char *section_type_word(const struct object *o, uint32_t type)
{
	static const char *const words[] = {
		[SHT_NULL] = "null",	   [SHT_PROGBITS] = "progbits", [SHT_SYMTAB] = "symtab",
		[SHT_STRTAB] = "strtab",   [SHT_RELA] = "rela",		[SHT_HASH] = "hash",
		[SHT_DYNAMIC] = "dynamic", [SHT_NOTE] = "note",		[SHT_NOBITS] = "nobits",
		[SHT_REL] = "rel",
	};

	if (type < ARRAY_SIZE(words) && words[type])
		return words[type];
	return type == 0x6fff4c03 ? "llvm_addrsig" : arena_fmt(o->arena, "0x%x", type);
}

static const char *flag_letters(const struct object *o, uint64_t flags)
{
	static const struct {
		uint64_t flag;
		char letter;
	} letters[] = {
		{ SHF_WRITE, 'W' },   { SHF_ALLOC, 'A' },     { SHF_EXECINSTR, 'X' }, { SHF_MERGE, 'M' },
		{ SHF_STRINGS, 'S' }, { SHF_INFO_LINK, 'I' }, { SHF_GROUP, 'G' },     { SHF_COMPRESSED, 'C' },
	};
	char text[ARRAY_SIZE(letters) + 1];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
		if (flags & letters[i].flag)
			text[n++] = letters[i].letter;
	return n ? arena_str(o->arena, text, n) : NULL;
}

/* Sections that a loader reads: code, data, and some by name; not symbols, strings or debug information. */
static bool matters(const struct elf_sect *s)
{
	static const char *const names[] = { "license", "version", "maps", ".maps", ".BTF", ".BTF.ext" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(s->name, names[i]))
			return true;
	return s->size && s->flags & SHF_ALLOC && (s->type == SHT_PROGBITS || s->type == SHT_NOBITS);
}

void object_sections(const struct object *o, bool all, const struct object_section **ret, uint32_t *ret_n)
{
	struct object_section *sections = arena_array(o->arena, o->elf.nsects, sizeof(*sections));
	uint32_t n = 0;

	for (uint32_t i = 1; i < o->elf.nsects; i++) {
		const struct elf_sect *s = &o->elf.sects[i];

		if (all || matters(s))
			sections[n++] = (struct object_section){
				.index = i,
				.name = s->name,
				.type = section_type_word(o, s->type),
				.flags = flag_letters(o, s->flags),
				.size = s->size,
			};
	}
	*ret = sections;
	*ret_n = n;
}

const char *object_license(const struct object *o)
{
	const struct elf_sect *s = &o->elf.sects[object_section(o, "license")];

	return s->p && memchr(s->p, '\0', s->size) ? (const char *)s->p : NULL;
}

uint32_t object_version(const struct object *o)
{
	const struct elf_sect *s = &o->elf.sects[object_section(o, "version")];
	uint32_t ret = 0;

	if (s->p && s->size == sizeof(ret))
		ret = (uint32_t)load_uint(s->p, sizeof(ret), o->elf.big);
	return ret;
}

bool license_gpl_compatible(const char *license)
{
	static const char *const all[] = {
		"GPL", "GPL v2", "GPL and additional rights", "Dual BSD/GPL", "Dual MIT/GPL", "Dual MPL/GPL",
	};

	for (size_t i = 0; license && i < ARRAY_SIZE(all); i++)
		if (!strcmp(license, all[i]))
			return true;
	return false;
}
