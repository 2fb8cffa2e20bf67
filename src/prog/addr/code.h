/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct env;
struct disasm;
struct abi_prog_info;
/*
 * The lines and instructions of one program's machine code, for many lookups: read once, strings resolved on first use.
 * The lines are those that `prog dump jited` prints. Lives as long as the command.
 */
struct addr_code;
struct addr_code *addr_code_new(struct env *env, uint32_t id, const struct abi_prog_info *info);

/* Name of function @i from its BTF; NULL: none. */
const char *addr_code_func(const struct addr_code *c, uint32_t i);

struct addr_line {
	const char *place;	/* "file:line:column" */
	const char *file, *src; /* src without its indentation */
	uint32_t num, col;
	uint32_t insn, insns; /* the BPF instructions it was compiled from: the first, and their number */
};
/* The line at @off bytes into function @i. NULL: none. */
const struct addr_line *addr_code_line(struct addr_code *c, uint32_t i, uint64_t off);
/* True if there are lines, but their addresses in the machine code are unknown. */
bool addr_code_is_unplaced(const struct addr_code *c);

/*
 * The machine instruction that contains this byte: its offset, and its text in @buf. False: the code is not available.
 */
bool addr_code_insn(struct addr_code *c, struct disasm *d, uint32_t i, uint64_t off, uint64_t *ret_start, char *buf,
		    size_t size);
