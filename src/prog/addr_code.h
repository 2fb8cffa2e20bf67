/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_ADDR_CODE_H
#define PROG_ADDR_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct env;
struct disasm;
struct abi_prog_info;
/*
 * What explains the machine code of one program, made for many questions: read once, strings resolved when they are
 * first needed. Its lines are those that `prog dump jited` shows. Lives as long as the command.
 */
struct addr_code;
struct addr_code *addr_code_new(struct env *env, uint32_t id, const struct abi_prog_info *info);

/* Function @i by its type information; NULL: it has none. */
const char *addr_code_func(const struct addr_code *c, uint32_t i);

struct addr_line {
	const char *place;	/* file:line:column */
	const char *file, *src; /* src without its indentation */
	uint32_t num, col;
	uint32_t insn, insns; /* the BPF instructions that it was compiled to: the first, and how many */
};
/* The line at @off bytes into function @i. NULL: none. */
const struct addr_line *addr_code_line(struct addr_code *c, uint32_t i, uint64_t off);
/* Lines there are, but not where their machine code lies. */
bool addr_code_unplaced(const struct addr_code *c);

/* The machine instruction that holds the byte: where it begins, and its text in @buf. False: no code is to be had. */
bool addr_code_insn(struct addr_code *c, struct disasm *d, uint32_t i, uint64_t off, uint64_t *ret_start, char *buf,
		    size_t size);

#endif
