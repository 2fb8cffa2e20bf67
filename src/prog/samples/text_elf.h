/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct jited_func;
/*
 * An ELF file of code at its addresses in the kernel, for debuggers: a section and a symbol for each function, its
 * lines as DWARF 4 (.debug_line, .debug_info), and BTF. It has no program headers: it is not to be loaded. Zeroed:
 * empty.
 */
struct text_elf {
	struct str bytes, names; /* of all sections, and their names */
	struct str symbols, strings;
	struct str line, info;
	struct text_sect {
		uint32_t name, type;
		uint64_t flags, addr, off, n;
	} * sect;
	size_t nsects, cap;
};
void text_elf_release(struct text_elf *elf);
/* The number of the machine, EM_*, by its name in uname(2); 0: it is not known, or has the other byte order. */
uint16_t text_elf_machine(const char *machine);
/* Add code; -E2BIG: there are too many sections. */
int text_elf_code(struct text_elf *elf, uint64_t addr, const void *code, size_t n, const char *name);
/* Add the remaining lines of a function, which are consumed, if it has any. */
void text_elf_lines(struct text_elf *elf, struct jited_func *f, const char *name);
/* Add BTF, as section .BTF.ID. */
int text_elf_btf(struct text_elf *elf, uint32_t id, const void *p, size_t n);
int text_elf_write(struct text_elf *elf, uint16_t machine, const char *path, struct err *e);
