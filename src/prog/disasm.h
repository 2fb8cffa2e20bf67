/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_DISASM_H
#define PROG_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
/*
 * Machine code to text, by a library that is looked for when it is first needed; nothing depends on it being there. The
 * library may be an old one with faults of its own: what it says about lengths is checked, what it says as text is
 * bounded.
 */
struct disasm;

extern const bool disasm_built; /* the program was built to use one; it may still be missing here */

/*
 * @machine is what uname(2) calls it. -ENOTSUP with a sentence and a hint what to install, if the program was built
 * without the library, if the library is not here, or if it does not know that machine.
 */
int disasm_open(struct disasm **ret, const char *machine, struct err *e);
void disasm_close(struct disasm **d); /* NULL in it is fine */

struct disasm_insn {
	char text[256];	 /* AT&T where there is a choice; no blank at either end; addresses of code as 0x… */
	size_t size;	 /* bytes it takes: at least 1, at most what there was */
	bool has_target; /* the text names the address of code or data: */
	uint64_t target;
};
/* The instruction at @p, which has n >= 1 bytes and runs at address @pc. Bytes that are none become "(bad)". */
void disasm_insn(struct disasm *d, const unsigned char *p, size_t n, uint64_t pc, struct disasm_insn *ret);

#endif
