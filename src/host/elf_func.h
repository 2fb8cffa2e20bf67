/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_ELF_FUNC_H
#define HOST_ELF_FUNC_H

#include <stdint.h>

/*
 * Where functions stand in an executable file or shared library: by bytes from the start of the file, as uprobes want
 * them. From both symbol tables; the file may be anything, and may change while it is read.
 */
struct elf_func {
	uint64_t offset, size; /* size 0: unknown */
	const char *name;
	int global;
};
struct elf_funcs;
/* 0 or -errno; -ENOEXEC: no ELF file; -ENODATA: without symbols of functions. */
int elf_funcs_read(struct elf_funcs **ret, int fd);
void elf_funcs_free(struct elf_funcs **f);
/* The function that holds the offset; NULL: none. */
const struct elf_func *elf_funcs_at(const struct elf_funcs *f, uint64_t offset);
/* -ENOENT; -ENOTUNIQ: several places have the name and not just one of them is global. */
int elf_funcs_named(const struct elf_funcs *f, const char *name, struct elf_func *ret);
/* The same of a file by its name; -ENODATA: it has no such function. */
int elf_func_find(const char *path, const char *name, struct elf_func *ret);

#endif
