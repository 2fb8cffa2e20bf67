/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_PAGE_CODE_H
#define PROG_PAGE_CODE_H

struct disasm;
struct env;
struct heat;
struct out;
struct prog_rec;
struct xlated;
/*
 * The annotation of a program as a section of a page: the hottest first, each a link to its place; then the code, lines
 * of source to the left and what was made of them to the right. Machine code, or where heat->x has none the BPF
 * instructions of @xlated.
 */
struct page_code {
	struct env *env;
	struct out *o;
	const struct prog_rec *prog;
	const struct heat *heat;
	const struct xlated *xlated; /* NULL: there is machine code */
	const char *instead;	     /* the sentence that says why not; NULL: none */
	struct disasm *disasm;	     /* NULL: bytes are shown */
};
void page_code_write(const struct page_code *p);

#endif
