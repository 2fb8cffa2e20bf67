/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in disasm_bfd.c. */

#include "base/base.h"

/*
 * Disassembles machine code with a library that is loaded on first use; bpflens also works without it. Old versions of
 * the library have bugs: the lengths it returns are checked, and its text is truncated if too long.
 */
struct disasm;

extern const bool disasm_built; /* built with support for the library, which may still be missing at run time */

/*
 * @machine as in uname(2). -ENOTSUP, with a message and a hint what to install, if bpflens was built without the
 * library, if the library is not installed, or if it does not support that machine.
 */
int disasm_open(struct disasm **ret, const char *machine, struct err *e);
void disasm_close(struct disasm **d); /* *d may be NULL */

struct disasm_insn {
	char text[256]; /* AT&T syntax where there is a choice; without blanks at the ends; addresses of code as 0x… */
	size_t size;	/* size in bytes: at least 1, at most @n */
	bool has_target; /* the text contains the address of code or data: */
	uint64_t target;
};
/* Disassembles the instruction at @p, which has n >= 1 bytes and runs at address @pc. Invalid bytes become "(bad)". */
void disasm_insn(struct disasm *d, const unsigned char *p, size_t n, uint64_t pc, struct disasm_insn *ret);
