/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in object.c and write.c. */

#include "base/base.h"

/*
 * Object files of any class and byte order, in memory. Their contents are not trusted: a section is returned only if it
 * is inside the file.
 */
bool elf_is(const void *p, size_t n);	       /* does it begin like an ELF file? */
uint32_t elf_pointer(const void *p, size_t n); /* bytes of an address, by its class; 0: neither class */
/* Is it an ELF file for machines of the other byte order, which libbpf does not open? Set the hint
 * for its failure; returns e->code. */
bool elf_is_other_order(const void *p, size_t n);
int elf_hint_other_order(struct err *e);
/*
 * The bytes of the first section of that name, inside @p. -ENOENT: no such section; -EBADMSG: damaged, or the section
 * has no bytes or is compressed.
 */
int elf_section(const void *p, size_t n, const char *name, const void **ret, size_t *ret_n);

/*
 * A 64-bit relocatable object with all its tables, in the arena; sections' bytes and names point into the input.
 * Sections do not overlap in the file, which bounds what is derived from them.
 */
struct elf_sect {
	const char *name;
	uint32_t type, link, info;
	uint64_t flags, size, align, entsize;
	const unsigned char *p; /* size bytes; NULL: not in the file (.bss), or compressed */
};
struct elf_symbol {
	const char *name;
	uint64_t value, size; /* value: offset in the section; not checked */
	uint32_t section;     /* < nsects; 0: undefined, or not in a section */
	uint8_t type, bind;   /* STT_, STB_ */
	bool undefined;
};
struct elf_reloc {
	uint64_t offset;
	uint32_t symbol, type;
}; /* symbol: not checked */
struct elf_object {
	uint16_t machine, type;	      /* EM_, ET_ */
	uint32_t flags, names;	      /* of the machine; section with the names of sections */
	bool big;		      /* byte order of the sections' contents, as base/bytes.h */
	const struct elf_sect *sects; /* the first is unused */
	const struct elf_symbol *symbols;
	uint32_t nsects, nsymbols;
	uint32_t nnameless; /* symbols whose names are outside the file: their name is "" */
};
/* 0, -EBADMSG: damaged; -EINVAL: not for BPF. With a message without the file's name. */
int elf_object(struct elf_object *ret, const void *p, size_t n, struct arena *a, struct err *e);
size_t elf_nrelocs(const struct elf_sect *s); /* 0 if it is not an SHT_REL section */
struct elf_reloc elf_reloc(const struct elf_object *o, const struct elf_sect *s, size_t i); /* i < elf_nrelocs() */
/*
 * For files embedded in files: bytes from @p to the end of the object's headers and sections; 0: @p is not the start of
 * a BPF ELF object.
 */
size_t elf_bpf_extent(const void *p, size_t n);
/*
 * Append the file of a relocatable object to @ret: its sections with the bytes, names, numbers and order that @o has.
 * Symbols are only bytes of a section here. Names that are not in section o->names are appended to it. 0, or -errno
 * with a message without the file's name.
 */
int elf_write(struct str *ret, const struct elf_object *o, struct err *e);
