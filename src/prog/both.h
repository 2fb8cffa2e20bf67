/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_BOTH_H
#define PROG_BOTH_H

struct xlated; struct xlated_style; struct jited; struct jited_style; struct arena; struct out; struct jsonw;
/*
 * One program's BPF instructions and the machine code that was made of them, together: in groups that begin where a line of
 * source begins in either, or of whole functions if the kernel does not say where lines begin.
 * Where constants are blinded it may say so for machine code alone: then a function's BPF instructions stand before its lines. Everything of both is shown
 * once, whatever the records say. No labels.
 */
struct both {
	const struct xlated *x;
	const struct xlated_style *xlated;
	const struct jited *j;
	const struct jited_style *jited;
	unsigned columns;		/* plain: of the screen, for both side by side; 0: one below the other */
};
void both_plain(const struct both *b, struct arena *a, struct out *o);
/* One array of functions: their keys as in jited_json(), groups: src, xlated and jited, arrays of instructions. */
void both_json(const struct both *b, struct arena *a, struct jsonw *w);

#endif
