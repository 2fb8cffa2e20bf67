/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined also in jited_text.c. */

#include "code/names.h"
#include "code/disasm.h"
#include "code/info.h"
#include "source/source.h"

struct doc;
struct jited_rec;
struct labels;

/*
 * The machine code of a program from the kernel's JIT compiler, with its lines and names. Its contents are not checked.
 */
struct jited {
	struct blob image;
	struct code_info src;
	struct info_array lens;	  /* uint32_t: bytes of each function, in the order of src.funcs */
	struct info_array ksyms;  /* uint64_t: address of each function */
	struct info_array places; /* uint64_t, maybe longer: address of each of src.lines */
	struct code_names names;
};

/* The machine that is read, as in uname(2); "" if unknown. */
const char *jited_machine(struct env *env);

/* Reads the machine code. -ENODATA, with a hint, if none is available. Lives like struct xlated. */
int jited_read(struct env *env, uint32_t id, const struct abi_prog_info *info, struct jited *ret, struct err *e);
/*
 * Reads everything except the code: image.p is NULL, image.n the sum of the lengths of the functions; 0 if these are
 * unknown, or if the sum exceeds JITED_MAX. jited_func_next() works, jited_next() does not.
 */
#define JITED_MAX (64u << 20)
void jited_read_places(struct env *env, uint32_t id, const struct abi_prog_info *info, struct jited *ret);

struct jited_style {
	bool opcodes, linum;
	bool labels;	       /* of jump targets; false: print addresses, as bpftool */
	struct disasm *disasm; /* NULL: bytes instead of instructions */
};
/*
 * Writes a list of functions with their instructions (code/rec.h): bpftool's text and keys, and in addition addr,
 * disasm, symbol.
 */
void jited_write(const struct jited *x, const struct jited_style *style, struct doc *d, const char *name);

/*
 * Iterates over the functions; bytes after the last function that the kernel counts are one more. Set x, the rest must
 * be zero.
 */
struct jited_func {
	const struct jited *x;
	size_t i;	       /* number of the next function */
	size_t off, len;       /* position of this one in the image: off + len <= image.n */
	uint64_t addr;	       /* its address in memory; 0: unknown */
	const char *name;      /* symbol; NULL: unknown */
	struct str signature;  /* n 0: unknown */
	size_t line, line_end; /* its remaining records in src.lines */
};
bool jited_func_next(struct jited_func *f);
/*
 * The last line that begins at or before @pc (bytes from the start of the function) and was not returned before; text
 * NULL: none.
 */
struct source_line jited_func_line(struct jited_func *f, size_t pc);
/* Bytes from the start of the function to its next line; SIZE_MAX: none, or a line outside of the function. */
size_t jited_func_line_pc(const struct jited_func *f);
/* Bytes from @pc to the next line or the end of the function, at most @max; >= 1 while pc < len. */
size_t jited_func_run(const struct jited_func *f, size_t pc, size_t max);
void jited_func_end(struct jited_func *f);
#define JITED_FUNC __attribute__((cleanup(jited_func_end))) struct jited_func

/* Iterates over the instructions of a function, with their text if there is a disassembler. Set f and style, the rest
 * must be zero. */
struct jited_walk {
	const struct jited_func *f;
	const struct jited_style *style;
	const struct labels *labels; /* NULL: none */
	size_t pc;		     /* bytes from the start of the function */
	struct disasm_insn insn;
};
bool jited_next(struct jited_walk *k); /* advances to the next instruction; false at the end of the function */
void jited_insn_write(const struct jited_walk *k, struct jited_rec *rec, struct doc *d);
