/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct disasm;
struct env;
struct heat;
struct out;
struct prog_rec;
struct xlated;
/*
 * The annotation of a program as a section of an HTML page: first the hottest instructions and lines, each a link to
 * its position; then the code, with source lines on the left and their code on the right: machine code, or the BPF
 * instructions of @xlated if heat->x has none.
 */
struct page_code {
	struct env *env;
	struct out *o;
	const struct prog_rec *prog;
	const struct heat *heat;
	const struct xlated *xlated; /* NULL: there is machine code */
	const char *instead;	     /* message that explains why there is none; NULL: none */
	struct disasm *disasm;	     /* NULL: bytes are shown */
};
void page_code_write(const struct page_code *p);
