/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_INSN_H
#define PROG_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * BPF instructions to text, as the verifier's log and bpftool write them (Documentation/bpf/standardization/
 * instruction-set.rst). The instruction set up to Linux 7.2 is stated here and in insn.c in our own words, because the
 * distribution's headers are older than the kernels that the program meets.
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
	INSN_LDIMM64 = 0x18, /* the only one of two slots: imm of the second is the upper half */
	INSN_CALL = 0x85,
};
/* What an LDIMM64 loads. */
enum insn_ldimm64_src {
	INSN_SRC_MAP_FD = 1,	/* in a loaded program's image: imm is the map's id */
	INSN_SRC_MAP_VALUE = 2, /* map id, and the offset in its value in the second slot */
	INSN_SRC_BTF_ID = 3,	/* a variable of the kernel; once loaded its address, a number like any other */
	INSN_SRC_FUNC = 4,	/* a function of the program, imm instructions away */
	INSN_SRC_MAP_IDX = 5,	/* number in the array of maps that the loader gave; only before loading */
	INSN_SRC_MAP_IDX_VALUE = 6,
};
/* What a CALL calls. */
enum insn_call_src {
	INSN_CALL_HELPER = 0, /* number of a helper; once loaded its address - __bpf_call_base */
	INSN_CALL_SUBPROG =
		1, /* off: the distance in instructions; imm: number of the function, if the program is jited */
};

#define INSN_SIZE 8 /* bytes a slot */
struct insn {
	uint8_t code, dst, src;
	int16_t off;
	int32_t imm;
	int32_t imm2;	/* of the second slot of LDIMM64; 0 if there is none */
	unsigned slots; /* 2 for an LDIMM64 that is followed by another slot, else 1 */
};

/* The instruction at @p, which has n_left >= 1 slots of INSN_SIZE bytes in this machine's byte order; any alignment. */
void insn_decode(struct insn *ret, const unsigned char *p, size_t n_left);

/* Where the name of a CALL's target comes from; NULL functions are fine. */
struct insn_names {
	/*
	 * Write what stands behind "call " (for INSN_CALL_SUBPROG: behind "call pc") into buf like snprintf and return
	 * true; false: unknown, the numbers are printed.
	 */
	bool (*call)(const void *ctx, const struct insn *i, char *buf, size_t size);
	const void *ctx;
	/* Write the name of the place that a jump of @distance instructions leads to; false: it is printed as "pc+N".
	 */
	bool (*jump)(const void *jump_ctx, const struct insn *i, int64_t distance, char *buf, size_t size);
	const void *jump_ctx;
	/* In an object file: what a CALL or LDIMM64 will refer to, printed behind "call " or "rN = "; NULL: what stands
	 * in it. */
	const char *target;
};

/*
 * "(b7) r1 = 0": like snprintf, no newline. An instruction that no kernel knows becomes "BUG_" and its code.
 * INSN_TEXT_MAX bytes hold everything but an extremely long name, which is cut.
 */
#define INSN_TEXT_MAX 640
size_t insn_text(const struct insn *i, const struct insn_names *names, char *buf, size_t size);

/* Where control goes on behind an instruction. */
enum insn_flow {
	FLOW_NEXT,
	FLOW_JUMP,
	FLOW_BRANCH,
	FLOW_EXIT,
	FLOW_INDIRECT
}; /* BRANCH: jump or next; INDIRECT: gotox */
enum insn_flow insn_flow(const struct insn *i,
			 int64_t *ret_distance); /* from the next instruction; 0 unless JUMP or BRANCH */

#endif
