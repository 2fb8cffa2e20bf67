/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_HEAT_H
#define PROG_HEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena; struct doc; struct jited; struct jited_style; struct samples_head;
/*
 * Samples in the machine code of one program. An instruction has those that are at its bytes; a line of source has those of the machine code
 * up to the next line.
 */
struct heat {
	const struct jited *x;
	const struct samples_head *how;
	uint64_t *at;			/* for each byte of x->image */
	struct heat_func { uint64_t addr; size_t off, len; } *funcs;	/* where the image lies */
	size_t nfuncs;
	uint64_t samples;		/* in the program */
	uint64_t all;			/* of that time, in it or elsewhere */
};
/* Empty; in the arena. */
void heat_init(struct heat *h, const struct jited *x, const struct samples_head *how, struct arena *a);
/* One more sample; false: it is not in the program. */
bool heat_add(struct heat *h, uint64_t ip);
uint64_t heat_sum(const struct heat *h, size_t off, size_t n);

/*
 * The members of an annotation: how samples were taken and how many there are; lines and instructions with most of them, those first;
 * then the code, each instruction with its own.
 */
void heat_write(const struct heat *h, const struct jited_style *style, struct arena *a, struct doc *d);
extern const struct schema heat_schema, heat_line_schema, heat_insn_schema, heat_count_schema;

#endif
