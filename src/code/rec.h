/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "code/labels.h"
#include "code/info.h"

struct xlated_walk;
struct jited_walk;
struct jited_func;
struct xlated_style;
/*
 * Code as records, which `prog dump` and `object dump` print. They point into the walk that they were made from, and
 * are valid until its next step.
 */

/* The source line that begins at an instruction. */
struct source_rec {
	struct source_line line;
	uint8_t has_linum; /* enum avail: file, line and column */
};
struct source_rec source_rec(const struct source_line *l, bool linum);
extern const struct schema schema_source;

/* Kinds of lines of text, for the margin to their left. */
enum code_line { LINE_PROTO, LINE_LABEL, LINE_SOURCE, LINE_INSN, LINE_OPCODES };

/*
 * For doc_margin(): the arrows between labels. An instruction has the ends of arrows beside it; other lines have only
 * arrows that pass by.
 */
struct code_margin {
	struct margin margin;
	size_t at; /* position of the instruction */
};
void code_margin_put(void *ctx, unsigned line, struct out *o);

/* The bytes of a BPF instruction: one slot of 8 bytes, or two. */
struct opcodes_rec {
	const unsigned char *raw, *off, *imm;
	uint32_t noff, nimm; /* nimm: including the second slot */
	char code[sizeof("0xff")];
	uint8_t src, dst, slots;
};

struct xlated_rec {
	const char *proto; /* signature of the function that begins here; NULL: none */
	char label[24], target[24];
	uint8_t has_label, has_target;
	struct source_rec source;
	uint64_t number;
	const char *disasm, *relocation, *refers;
	struct opcodes_rec opcodes;
	const struct opcodes_rec *opcodes_row;
	uint32_t nopcodes; /* 1; 0: not requested */
};
/*
 * @above: also the lines above the instruction (function, label, source). Without them the number of the instruction is
 * a member of its own in JSON.
 */
void xlated_rec(const struct xlated_walk *k, const struct xlated_style *style, bool above, struct xlated_rec *ret);
extern const struct schema schema_xlated, schema_xlated_alone;

#define OPERANDS_MAX 32
struct jited_rec {
	const char *label; /* NULL: none */
	struct source_rec source;
	uint64_t pc;
	char text[320], words[320];	/* the text; the same split into words */
	const char *disasm, *operation; /* NULL: without a disassembler */
	const char *operand[OPERANDS_MAX];
	const char *const *operands;
	uint32_t noperands;
	char target[24], symbol[256];
	uint8_t has_target, has_symbol, has_opcodes;
	const unsigned char *opcodes;
	uint32_t nopcodes;
};
/* Sets everything except the lines above the instruction: label and source. */
void jited_rec(const struct jited_walk *k, struct jited_rec *ret);
/* Schemas of instructions, and of bytes if there is no disassembler. */
extern const struct schema schema_jited, schema_jited_bytes;

/* A function of machine code. */
struct func_rec {
	const char *proto, *name;
	char addr[sizeof("0x0123456789abcdef")];
	uint8_t has_addr;
};
void func_rec(const struct jited_func *f, struct func_rec *ret);
extern const struct schema schema_func;
