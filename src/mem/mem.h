/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MEM_MEM_H
#define MEM_MEM_H

/* `mem`: kernel memory that programs, maps and types use, by object or by holder. */
struct command;
struct schema;
extern const struct command command_mem;
extern const struct schema mem_schema;

#endif
