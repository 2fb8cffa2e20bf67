/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYSTEM_ELF_H
#define SYSTEM_ELF_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Object files of any class and byte order, in memory. What is in them is hostile until shown otherwise: a section is
 * returned only if it lies inside the file.
 */
bool elf_is(const void *p, size_t n);		/* begins as an ELF file does */
/*
 * The bytes of the first section of that name; they stand inside @p. -ENOENT: no such section; -EBADMSG: damaged, or a
 * section without bytes or compressed.
 */
int elf_section(const void *p, size_t n, const char *name, const void **ret, size_t *ret_n);

#endif
