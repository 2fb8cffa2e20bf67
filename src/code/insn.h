/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Prints BPF instructions in the syntax of the verifier's log and bpftool (Documentation/bpf/standardization/
 * instruction-set.rst). The instruction set up to Linux 7.2 is defined here and in insn.c, because the headers of
 * distributions are older than the kernels that bpflens runs on.
 */
enum insn_class {
	INSN_LD = 0,
	INSN_LDX = 1,
	INSN_ST = 2,
	INSN_STX = 3,
	INSN_ALU = 4,
	INSN_JMP = 5,
	INSN_JMP32 = 6,
	INSN_ALU64 = 7,
};
enum insn_codes {
	INSN_LDIMM64 = 0x18, /* the only instruction with two slots: imm of the second is the upper half */
	INSN_CALL = 0x85,
	INSN_GOTOL = 0x06,
	INSN_MOV64_IMM = 0xb7,
	INSN_MOV64_REG = 0xbf,
	INSN_ADD64_IMM = 0x07,
	INSN_LDX_DW = 0x79,
	INSN_STX_DW = 0x7b,
	INSN_ATOMIC_DW = 0xdb, /* imm: the operation; 0 adds, 1 also returns the old value */
};
enum { INSN_FP = 10 }; /* the frame pointer */
/* What an LDIMM64 loads. */
enum insn_ldimm64_src {
	INSN_SRC_MAP_FD = 1,	/* in the image of a loaded program: imm is the map's id */
	INSN_SRC_MAP_VALUE = 2, /* as before, with an offset into its value in the second slot */
	INSN_SRC_BTF_ID = 3,  /* a variable of the kernel; once loaded its address, which looks like any other number */
	INSN_SRC_FUNC = 4,    /* a function of the program, at a distance of imm instructions */
	INSN_SRC_MAP_IDX = 5, /* index in the array of maps from the loader; only before loading */
	INSN_SRC_MAP_IDX_VALUE = 6,
};
/* What a CALL calls. */
enum insn_call_src {
	INSN_CALL_HELPER = 0,  /* number of a helper; once loaded, its address minus __bpf_call_base */
	INSN_CALL_SUBPROG = 1, /* off: distance in instructions; imm: number of the function, if the program is jited */
};

#define INSN_SIZE 8 /* bytes of a slot */
struct insn {
	uint8_t code, dst, src;
	int16_t off;
	int32_t imm;
	int32_t imm2;	/* of the second slot of LDIMM64; 0 if there is none */
	unsigned slots; /* 2 for an LDIMM64 that is followed by another slot, else 1 */
};

/* Decodes the instruction at @p, which has n_left >= 1 slots of INSN_SIZE bytes; any alignment. @big: as in
 * base/bytes.h. */
void insn_decode(struct insn *ret, const unsigned char *p, size_t n_left, bool big);

/* Sources of names in the text; functions may be NULL. */
struct insn_names {
	/*
	 * Write the text after "call " (for INSN_CALL_SUBPROG: after "call pc") to buf like snprintf and return true;
	 * false: unknown, and numbers are printed.
	 */
	bool (*call)(const void *ctx, const struct insn *i, char *buf, size_t size);
	const void *ctx;
	/* Write the name of the target of a jump over @distance instructions; false: unknown, and "pc+N" is printed. */
	bool (*jump)(const void *jump_ctx, const struct insn *i, int64_t distance, char *buf, size_t size);
	const void *jump_ctx;
	/*
	 * In an object file: what a CALL or LDIMM64 will refer to, printed after "call " or "rN = "; NULL: print its
	 * present value.
	 */
	const char *target;
};

/*
 * "(b7) r1 = 0", like snprintf, without a newline. An unknown instruction becomes "BUG_" and its code. INSN_TEXT_MAX
 * bytes are enough except for an extremely long name, which is truncated.
 */
#define INSN_TEXT_MAX 640
size_t insn_text(const struct insn *i, const struct insn_names *names, char *buf, size_t size);

/* Where control continues after an instruction. */
enum insn_flow {
	FLOW_NEXT,
	FLOW_JUMP,
	FLOW_BRANCH, /* jump or next */
	FLOW_EXIT,
	FLOW_INDIRECT /* gotox */
};
enum insn_flow insn_flow(const struct insn *i,
			 int64_t *ret_distance); /* distance from the next instruction; 0 unless JUMP or BRANCH */

/* The registers of an instruction, a bit for each: bit 10 is the frame pointer. */
struct insn_regs {
	uint16_t reads;	  /* that it names, and reads */
	uint16_t implied; /* that it may read without naming them: of a call all arguments, of an exit the result */
	uint16_t writes;  /* including those of which a call leaves nothing */
};
struct insn_regs insn_regs(const struct insn *i);
