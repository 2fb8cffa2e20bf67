/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_ADDR_H
#define PROG_ADDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct env;
struct err;
struct trace_frame;
struct schema;
struct command;
struct code;
/*
 * Which program, function, instruction and source line a place in machine code is. The index knows where the functions
 * of all programs lie; it is made once, with the infos and two short arrays of each program. Everything else is read of
 * those programs alone that something lies in, once each. Lives as long as the command.
 */
struct addr_index;
int addr_index_new(struct env *env, struct addr_index **ret, struct err *e);
/* Fails with that sentence, and a hint if the kernel does not show where programs lie: -ENOENT. */
int addr_not_found(const struct addr_index *x, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* One function of a program. */
struct addr_func {
	uint64_t addr; /* 0: unknown */
	uint32_t len;  /* bytes; 0: unknown */
	uint32_t prog; /* which program; the index's own number */
	uint32_t i;    /* which of its functions */
	unsigned char tag[8];
	const struct code *code; /* not NULL: code of no program (source/codes.h), and no tag */
	uint64_t from, to;	 /* its life, ns since boot; from 0: not known, to UINT64_MAX: not known or not gone */
};
/*
 * The functions that a place may be in. Of an address all that held it, in order of time: in a recording several may
 * have done so, other code too. Of a symbol, ascending by program, those whose size is f->size, if there are any, else
 * all that the offset lies in: old kernels print the size of the memory. *ret is valid until the next call.
 */
size_t addr_resolve(struct addr_index *x, const struct trace_frame *f, const struct addr_func *const **ret);
/* How many bytes from the start of one of them the place is. */
uint64_t addr_off(const struct addr_func *func, const struct trace_frame *f);
uint32_t addr_prog_id(const struct addr_index *x, const struct addr_func *f);

enum addr_kind { ADDR_PROG, ADDR_KERNEL, ADDR_MODULE, ADDR_NONE };
struct addr_rec {
	const char *asked; /* as it was given */
	char address[20];  /* "0x" and 16 digits; "": unknown */
	uint32_t kind;	   /* enum addr_kind */
	uint32_t prog_id;
	const char *type, *name; /* of the program; name also of the module */
	unsigned char tag[8];	 /* of the function */
	const char *func;
	uint64_t offset, insn_offset; /* bytes from its start */
	uint32_t size, insn, insns, line_num, line_col;
	char disasm[128];
	const char *place, *file, *src;
	uint32_t frame; /* enum trace_how */
	uint64_t input_line;
	uint64_t loaded_at, gone_at; /* seconds since the epoch */
	uint8_t has_tag, has_offset, has_line, has_disasm, has_frame, has_loaded, has_gone; /* enum avail */
};
extern const struct schema schema_addr;

/*
 * What is @off bytes into a function. @how says whether the line and instruction wanted are those there, or those that
 * end there. @disasm: the machine instruction, too; @life: when it was loaded and gone. Sets all that depends on the
 * place; strings live as long as the command.
 */
struct addr_want {
	uint64_t off;
	uint32_t how;
	bool disasm, life;
};
void addr_describe(struct addr_index *x, const struct addr_func *f, const struct addr_want *want, struct addr_rec *ret);
/* An address that is in none of those: the kernel's symbol that it lies behind, if there is one. */
void addr_describe_other(struct addr_index *x, uint64_t addr, struct addr_rec *ret);

extern const struct command command_addr;

#endif
