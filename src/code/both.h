/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct xlated;
struct xlated_style;
struct jited;
struct jited_style;
struct arena;
struct doc;
/*
 * The BPF instructions of a program together with their machine code, in groups that begin where a source line begins
 * in either of them. If the kernel does not report where lines begin, a group is a whole function. If constants are
 * blinded, lines may be known for machine code only: then the BPF instructions of a function come before its lines.
 * Every instruction is printed exactly once, whatever the records contain. No labels.
 */
struct both {
	const struct xlated *x;
	const struct xlated_style *xlated;
	const struct jited *j;
	const struct jited_style *jited;
	unsigned columns; /* width of the screen (doc_columns()), to print both side by side; 0: one below the other */
};
/*
 * Writes a list of functions: their fields as in jited_write(), and groups: src, xlated and jited, which are lists of
 * instructions.
 */
void both_write(const struct both *b, struct arena *a, struct doc *d, const char *name);
