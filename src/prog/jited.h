/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_JITED_H
#define PROG_JITED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"
#include "prog/code_names.h"
#include "prog/disasm.h"
#include "prog/code_info.h"
#include "source/source.h"

struct abi_prog_info;
struct env;
struct err;
struct doc;
struct jited_rec;
struct machine;
struct arena;
struct labels;

/* A program's machine code as the kernel's JIT compiler left it, and what explains it. Nothing in it is trusted. */
struct jited {
	struct blob image;
	struct code_info src;
	struct info_array lens;	  /* uint32_t: bytes of each function, in the order of src.funcs */
	struct info_array ksyms;  /* uint64_t: where it begins */
	struct info_array places; /* uint64_t and more: address of each of src.lines */
	struct code_names names;
};

/* The machine of the source as uname(2) calls it; "" if that is unknown. In env->arena. */
const char *jited_machine(struct env *env);

/* Read. -ENODATA, with a hint why, if there is no machine code to see. Lives like struct xlated. */
int jited_read(struct env *env, uint32_t id, const struct abi_prog_info *info, struct jited *ret, struct err *e);
/*
 * All but the code itself: image.p is NULL, image.n the sum of the functions' lengths; 0 where it is not known how long
 * they are, or that would be more than JITED_MAX. Functions can be walked (jited_func_next()), instructions cannot.
 */
#define JITED_MAX (64u << 20)
void jited_read_places(struct env *env, uint32_t id, const struct abi_prog_info *info, struct jited *ret);

struct jited_style {
	bool opcodes, linum;
	struct disasm *disasm; /* NULL: bytes instead of instructions */
	struct arena *labels;  /* scratch for the names of places that jumps lead to; NULL: addresses, as bpftool */
};
/* A list of functions and their instructions (prog/code_rec.h), bpftool's text and keys and our own: addr, disasm,
 * symbol. */
void jited_write(const struct jited *x, const struct jited_style *style, struct doc *d, const char *name);

/* One function after the other; the bytes behind the last that the kernel counts are one more. Set x, the rest is zero.
 */
struct jited_func {
	const struct jited *x;
	size_t i;	       /* number of the next function */
	size_t off, len;       /* where this one lies in the image: off + len <= image.n */
	uint64_t addr;	       /* where it runs; 0: unknown */
	const char *name;      /* symbol; NULL: unknown */
	struct str signature;  /* n 0: unknown */
	size_t line, line_end; /* its records of src.lines that are still to come */
};
bool jited_func_next(struct jited_func *f);
/* The line that begins at or before @pc (bytes from the function's start) and was not told yet; text NULL: none. */
struct source_line jited_func_line(struct jited_func *f, size_t pc);
/* Bytes from the function's start to its next line; SIZE_MAX: none, or one that lies elsewhere. */
size_t jited_func_line_pc(const struct jited_func *f);
/* Bytes from @pc to the next line or the function's end, at most @max; >= 1 while pc < len. */
size_t jited_func_run(const struct jited_func *f, size_t pc, size_t max);
void jited_func_end(struct jited_func *f);
#define JITED_FUNC __attribute__((cleanup(jited_func_end))) struct jited_func

/* Instruction after instruction of one function, and its text. Set f and style, the rest is zero. */
struct jited_walk {
	const struct jited_func *f;
	const struct jited_style *style;
	const struct labels *labels; /* NULL: none */
	size_t pc;		     /* bytes from the function's start */
	struct disasm_insn insn;
};
bool jited_next(struct jited_walk *k); /* stand on the next instruction; false at the function's end */
void jited_insn_write(const struct jited_walk *k, struct jited_rec *rec, struct doc *d);

#endif
