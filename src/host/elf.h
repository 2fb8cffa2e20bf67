/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_ELF_H
#define HOST_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct err;
/*
 * Object files of any class and byte order, in memory. What is in them is hostile until shown otherwise: a section is
 * returned only if it lies inside the file.
 */
bool elf_is(const void *p, size_t n); /* begins as an ELF file does */
/*
 * The bytes of the first section of that name; they stand inside @p. -ENOENT: no such section; -EBADMSG: damaged, or a
 * section without bytes or compressed.
 */
int elf_section(const void *p, size_t n, const char *name, const void **ret, size_t *ret_n);

/*
 * A relocatable object of 64 bits and of this machine's byte order with all of its tables, in the arena; sections'
 * bytes and names stand inside what was given. Sections do not overlap in the file, so that what is made for each of
 * them is bounded.
 */
struct elf_sect {
	const char *name;
	uint32_t type, link, info;
	uint64_t flags, size;
	const unsigned char *p; /* size bytes; NULL: none in the file (.bss), or compressed */
};
struct elf_symbol {
	const char *name;
	uint64_t value, size; /* value: offset in its section */
	uint32_t section;     /* < nsects; 0: undefined, or in no section */
	uint8_t type, bind;   /* STT_, STB_ */
	bool undefined;
};
struct elf_reloc {
	uint64_t offset;
	uint32_t symbol, type;
}; /* symbol: unchecked */
struct elf_object {
	uint16_t machine;	      /* EM_ */
	const struct elf_sect *sects; /* the first is none */
	const struct elf_symbol *symbols;
	uint32_t nsects, nsymbols;
};
/* -EBADMSG: damaged; -ENOTSUP: another class or byte order. A sentence without the file's name. */
int elf_object(struct elf_object *ret, const void *p, size_t n, struct arena *a, struct err *e);
size_t elf_nrelocs(const struct elf_sect *s);			/* 0 if it is no SHT_REL */
struct elf_reloc elf_reloc(const struct elf_sect *s, size_t i); /* i < elf_nrelocs() */
/* Bytes from @p to the end of what its headers speak of, for files inside of files; 0: no ELF object of BPF begins
 * here. */
size_t elf_bpf_extent(const void *p, size_t n);

#endif
