/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* `mem`: kernel memory that programs, maps and types use, by object or by holder. */
struct command;
struct schema;
extern const struct command command_mem;
extern const struct schema mem_schema;
