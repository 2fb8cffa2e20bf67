/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "code/hot.h"
#include "record/field.h"

struct doc;
struct jited;
struct jited_style;
struct samples_head;
/*
 * Samples in the machine code of one program. The samples of an instruction are those at its bytes; those of a source
 * line are in the machine code from it to the next line.
 */
struct heat {
	const struct jited *x;
	const struct samples_head *how;
	uint64_t *at; /* samples at each byte of x->image */
	struct heat_func {
		uint64_t addr;
		size_t off, len;
	} * funcs; /* addresses of the functions in the image */
	size_t nfuncs;
	uint64_t samples; /* in the program */
	uint64_t all;	  /* all samples of that time, in the program and elsewhere */
};
/* Initializes @h without samples; memory is in the arena. */
void heat_init(struct heat *h, const struct jited *x, const struct samples_head *how, struct arena *a);
/* Adds a sample; false: @ip is not in the program. */
bool heat_add(struct heat *h, uint64_t ip);
uint64_t heat_sum(const struct heat *h, size_t off, size_t n);

/*
 * Writes the members of an annotation: how samples were taken and their number, if any were taken; the instructions and
 * lines with most samples, in this order; then the code, each instruction with its own samples.
 */
void heat_write(const struct heat *h, const struct jited_style *style, struct arena *a, struct doc *d);
void heat_write_sum(const struct heat *h, struct doc *d); /* only how samples were taken, and their number */
/* Adds each instruction that has samples, in the order of the code; names live in the arena. */
void heat_hot(const struct heat *h, const struct jited_style *style, struct arena *a, struct hot *ret);

/* Samples beside each instruction; in plain text they are in the margin. */
struct heat_count {
	uint64_t samples, line; /* of the instruction; from here to the next source line */
	double percent;
	uint8_t has_samples, has_line; /* enum avail; unknown if the address of the program is unknown */
};
extern const struct schema heat_schema, heat_count_schema;

/* For doc_margin(): numbers and a bar beside instructions, numbers beside source lines. */
struct heat_margin {
	const struct heat *heat;
	uint64_t insn, line, most; /* in samples; most: the maximum of all instructions */
};
void heat_margin_put(void *ctx, unsigned line, struct out *o);
