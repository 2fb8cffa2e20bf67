/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_BOTH_H
#define PROG_BOTH_H

struct xlated;
struct xlated_style;
struct jited;
struct jited_style;
struct arena;
struct doc;
/*
 * One program's BPF instructions and the machine code that was made of them, together: in groups that begin where a
 * line of source begins in either, or of whole functions if the kernel does not say where lines begin. Where constants
 * are blinded it may say so for machine code alone: then a function's BPF instructions stand before its lines.
 * Everything of both is shown once, whatever the records say. No labels.
 */
struct both {
	const struct xlated *x;
	const struct xlated_style *xlated;
	const struct jited *j;
	const struct jited_style *jited;
	unsigned columns; /* of the screen (doc_columns()), for both side by side; 0: one below the other */
};
/* A list of functions: their fields as in jited_write(), groups: src, xlated and jited, lists of instructions. */
void both_write(const struct both *b, struct arena *a, struct doc *d, const char *name);

#endif
