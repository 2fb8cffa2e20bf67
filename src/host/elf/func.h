/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Functions in an executable file or shared library, as offsets from the start of the file, which uprobes need. From
 * both symbol tables; the file is not trusted, and may change while it is read.
 */
struct elf_func {
	uint64_t offset, size; /* size 0: unknown */
	const char *name;
	int global;
};
struct elf_funcs;
/* 0 or -errno; -ENOEXEC: not an ELF file; -ENODATA: no symbols of functions. */
int elf_funcs_read(struct elf_funcs **ret, int fd);
void elf_funcs_free(struct elf_funcs **f);
/* All of them, ascending by offset; of several names at one offset, the global ones last. */
const struct elf_func *elf_funcs_all(const struct elf_funcs *f, size_t *ret_n);
/* The function that contains the offset; NULL: none. */
const struct elf_func *elf_funcs_at(const struct elf_funcs *f, uint64_t offset);
/* 0; -ENOENT; -ENOTUNIQ: several functions have the name, and not exactly one of them is global. */
int elf_funcs_find_named(const struct elf_funcs *f, const char *name, struct elf_func *ret);
/* The offset in the file of an address that it loads; false: it loads none there. */
struct Elf;
bool elf_offset_of(struct Elf *elf, uint64_t addr, uint64_t *ret);
/* The same for a file by its path; -ENODATA: no such function. */
int elf_func_find(const char *path, const char *name, struct elf_func *ret);
