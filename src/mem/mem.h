/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MEM_MEM_H
#define MEM_MEM_H

/* `mem`: what programs, maps and types take of the kernel's memory, by object or by who keeps them. */
struct command;
struct schema;
extern const struct command command_mem;
extern const struct schema mem_schema;

#endif
