/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../test.h"

#include <string.h>

#include "base/bytes.h"
#include "code/cfg.h"
#include "code/insn.h"

/* Instructions for the tests of this folder; registers as 0xSD, source and destination. */
#define INSN(code, regs, off, imm) \
	code, regs, (off)&0xff, ((off) >> 8) & 0xff, (imm)&0xff, ((imm) >> 8) & 0xff, ((imm) >> 16) & 0xff, \
		((imm) >> 24) & 0xff
#define SET(dst) INSN(0xb7, dst, 0, 0)
#define MOVE(dst, src) INSN(0xbf, (src) << 4 | (dst), 0, 0)
#define ADD_NUMBER(dst, imm) INSN(0x07, dst, 0, imm)
#define ADD(dst, src) INSN(0x0f, (src) << 4 | (dst), 0, 0)
#define STORE(dst, off, src) INSN(0x7b, (src) << 4 | (dst), off, 0)
#define LOAD(dst, src, off) INSN(0x79, (src) << 4 | (dst), off, 0)
#define HELPER INSN(0x85, 0, 0, 1)
#define JEQ(dst, off) INSN(0x15, dst, off, 0)
#define GOTO(off) INSN(0x05, 0, off, 0)
#define EXIT INSN(0x95, 0, 0, 0)

/* Of the calls in @n bytes of code: as many arguments as there can be. */
static inline const uint8_t *most_args(size_t n, struct arena *a)
{
	return memset(arena_alloc(a, n / INSN_SIZE), 5, n / INSN_SIZE);
}

/* Images are little-endian. */
#define NEEDS_LITTLE() \
	do { \
		if (BIG_HERE) \
			skip_because("the instructions are little-endian"); \
	} while (0)
