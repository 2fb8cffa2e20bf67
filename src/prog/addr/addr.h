/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct env;
struct trace_frame;
struct schema;
struct command;
struct code;
/*
 * Finds the program, function, instruction and source line of an address in machine code. The index has the addresses
 * of the functions of all programs. It is built once, from the infos and two short arrays of each program. Everything
 * else is read once, and only for the programs that an address is in. Lives as long as the command.
 */
struct addr_index;
int addr_index_new(struct env *env, struct addr_index **ret, struct err *e);
/* Sets this message, and a hint if the kernel hides the addresses of programs. Returns -ENOENT. */
int addr_not_found(const struct addr_index *x, struct err *e, const char *fmt, ...) PRINTF(3, 4);

/* One function of a program. */
struct addr_func {
	uint64_t addr; /* 0: unknown */
	uint32_t len;  /* bytes; 0: unknown */
	uint32_t prog; /* index of the program in the addr_index */
	uint32_t i;    /* index of the function in the program */
	unsigned char tag[8];
	const struct code *code; /* not NULL: code that is not in a program (source/codes.h), without a tag */
	uint64_t from, to;	 /* lifetime, ns since boot; from 0: unknown, to UINT64_MAX: unknown or still loaded */
};
/*
 * The functions that a frame may be in. For an address: all functions that were there, in order of time; in a recording
 * these can be several, of programs and of other code. For a symbol: ascending by program, those whose size is f->size;
 * if there are none, all that contain the offset, because old kernels print the size of the memory. *ret is valid until
 * the next call.
 */
size_t addr_resolve(struct addr_index *x, const struct trace_frame *f, const struct addr_func *const **ret);
/* Offset of the frame in one of these functions, in bytes. */
uint64_t addr_off(const struct addr_func *func, const struct trace_frame *f);
uint32_t addr_prog_id(const struct addr_index *x, const struct addr_func *f);

enum addr_kind { ADDR_PROG, ADDR_KERNEL, ADDR_MODULE, ADDR_NONE };
struct addr_rec {
	const char *asked; /* as given by the user */
	char address[20];  /* "0x" and 16 digits; "": unknown */
	uint32_t kind;	   /* enum addr_kind */
	uint32_t prog_id;
	const char *type, *name; /* of the program; name also of the module */
	unsigned char tag[8];	 /* of the function */
	const char *func;
	uint64_t offset, insn_offset; /* bytes from the start of the function */
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
 * Describes the code @off bytes into a function. @how: TRACE_PC describes the line and instruction at that offset,
 * other values those that end there. @disasm: also the machine instruction; @life: also when it was loaded and
 * unloaded. Sets all members of @ret that depend on the offset; strings live as long as the command.
 */
struct addr_want {
	uint64_t off;
	uint32_t how;
	bool disasm, life;
};
void addr_describe(struct addr_index *x, const struct addr_func *f, const struct addr_want *want, struct addr_rec *ret);
/* Describes an address that is in none of these functions: by the kernel symbol before it, if there is one. */
void addr_describe_other(struct addr_index *x, uint64_t addr, struct addr_rec *ret);

extern const struct command command_addr;
