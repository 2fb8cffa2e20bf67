/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_HEAT_H
#define PROG_HEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/field.h"

struct arena;
struct doc;
struct hot;
struct jited;
struct jited_style;
struct out;
struct samples_head;
/*
 * Samples in the machine code of one program. An instruction has those that are at its bytes; a line of source has
 * those of the machine code up to the next line.
 */
struct heat {
	const struct jited *x;
	const struct samples_head *how;
	uint64_t *at; /* for each byte of x->image */
	struct heat_func {
		uint64_t addr;
		size_t off, len;
	} * funcs; /* where the image lies */
	size_t nfuncs;
	uint64_t samples; /* in the program */
	uint64_t all;	  /* of that time, in it or elsewhere */
};
/* Empty; in the arena. */
void heat_init(struct heat *h, const struct jited *x, const struct samples_head *how, struct arena *a);
/* One more sample; false: it is not in the program. */
bool heat_add(struct heat *h, uint64_t ip);
uint64_t heat_sum(const struct heat *h, size_t off, size_t n);

/*
 * The members of an annotation: how samples were taken and how many there are, unless none were taken; lines and
 * instructions with most of them, those first; then the code, each instruction with its own.
 */
void heat_write(const struct heat *h, const struct jited_style *style, struct arena *a, struct doc *d);
void heat_write_sum(const struct heat *h, struct doc *d); /* the first of these */
/* Adds each instruction with samples, in the order of the code; names in the arena. */
void heat_hot(const struct heat *h, const struct jited_style *style, struct arena *a, struct hot *ret);
double heat_percent(uint64_t part, uint64_t whole); /* 0 of nothing */

/* Beside each instruction; text has it in the margin. */
struct heat_count {
	uint64_t samples, line; /* in it; from here to the next line of source */
	double percent;
	uint8_t has_samples, has_line; /* enum avail; unknown where it is not known where the program lies */
};
extern const struct schema heat_schema, heat_count_schema;

/* For doc_margin(): figures and a bar beside instructions, figures beside lines of source. */
struct heat_margin {
	const struct heat *heat;
	uint64_t insn, line, most; /* samples; most: of any instruction */
};
void heat_margin_put(void *ctx, unsigned line, struct out *o);

#define SAMPLES_FIELD(T, ...) FIELD(T, samples, "samples", "samples in it", ##__VA_ARGS__)
#define PERCENT_FIELD(T, help, ...) FIELD(T, percent, "percent", help, .unit = FU_PERCENT, ##__VA_ARGS__)

#endif
