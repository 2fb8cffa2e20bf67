/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_CODE_REC_H
#define PROG_CODE_REC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prog/labels.h"
#include "prog/code_info.h"

struct xlated_walk;
struct jited_walk;
struct jited_func;
struct xlated_style;
/* Code as records: what `prog dump` and `object dump` print. They point into the walk that they were made from, until
 * its next step. */

/* A line of source, where one begins. */
struct source_rec {
	struct source_line line;
	uint8_t has_linum; /* enum avail: of its file and numbers */
};
struct source_rec source_rec(const struct source_line *l, bool linum);
extern const struct schema schema_source;

/* Lines of a block, for the margin left of them. */
enum code_line { LINE_PROTO, LINE_LABEL, LINE_SOURCE, LINE_INSN, LINE_OPCODES };

/* For doc_margin(): the arrows between labels, an arm beside the instruction, only the lanes beside what stands above
 * and below it. */
struct code_margin {
	struct margin margin;
	size_t at;
}; /* at: its place */
void code_margin_put(void *ctx, unsigned line, struct out *o);

/* The bytes of a BPF instruction, one slot of 8 or two. */
struct opcodes_rec {
	const unsigned char *raw, *off, *imm;
	uint32_t noff, nimm; /* nimm: with the second slot */
	char code[sizeof("0xff")];
	uint8_t src, dst, slots;
};

struct xlated_rec {
	const char *proto; /* of the function that begins here; NULL: none */
	char label[24], target[24];
	uint8_t has_label, has_target;
	struct source_rec source;
	uint64_t number;
	const char *disasm, *relocation, *refers;
	struct opcodes_rec opcodes;
	const struct opcodes_rec *opcodes_row;
	uint32_t nopcodes; /* 1, or 0: not asked for */
};
/* With what stands above the instruction (function, label, source), or without: then the number is a member in JSON,
 * too. */
void xlated_rec(const struct xlated_walk *k, const struct xlated_style *style, bool above, struct xlated_rec *ret);
extern const struct schema schema_xlated, schema_xlated_alone;

#define OPERANDS_MAX 32
struct jited_rec {
	const char *label; /* NULL: none */
	struct source_rec source;
	uint64_t pc;
	char text[320], words[320];	/* the text; the same in words */
	const char *disasm, *operation; /* NULL: there is no disassembler */
	const char *operand[OPERANDS_MAX];
	const char *const *operands;
	uint32_t noperands;
	char target[24], symbol[256];
	uint8_t has_target, has_symbol, has_opcodes;
	const unsigned char *opcodes;
	uint32_t nopcodes;
};
/* Everything but what stands above the instruction: label and source. */
void jited_rec(const struct jited_walk *k, struct jited_rec *ret);
/* Of instructions, and of bytes where there is no disassembler. */
extern const struct schema schema_jited, schema_jited_bytes;

/* A function of machine code. */
struct func_rec {
	const char *proto, *name;
	char addr[sizeof("0x0123456789abcdef")];
	uint8_t has_addr;
};
void func_rec(const struct jited_func *f, struct func_rec *ret);
extern const struct schema schema_func;

#endif
