/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Labels for the targets of jumps (L1, L2, ... ascending by position), and the arrows to them that are drawn to the
 * left of the code. The caller defines the unit of positions: slots of BPF instructions, bytes of machine code.
 *
 * Call labels_insn() for every instruction and labels_jump() for every jump, ascending by position, then labels_done().
 * Jumps to anything else than the start of an instruction are ignored.
 */
struct label {
	size_t at;
	size_t first, last; /* extent of its arrow: the label and the jumps to it */
};
struct jump {
	size_t from, to; /* to: a position; after labels_done() the index of a label */
};

#define LABELS_LANES 6 /* maximum of arrows side by side; others are not drawn */
#define LABELS_NONE ((size_t)-1)
struct labels {
	struct arena *arena;
	size_t end;	       /* positions are less than this */
	unsigned char *starts; /* by position */
	struct label *label;
	struct jump *jump;
	size_t n, njumps, cap;
	size_t base;	/* number of labels earlier in the same dump */
	unsigned lanes; /* lanes needed for the arrows */
};
void labels_init(struct labels *l, struct arena *a, size_t end, size_t base);
void labels_insn(struct labels *l, size_t at);		    /* at < end */
void labels_jump(struct labels *l, size_t from, size_t to); /* from < end; to may be any value */
void labels_done(struct labels *l);

size_t labels_at(const struct labels *l, size_t at); /* number in its name L<number>; 0: no label */

/*
 * The margin: columns of the same width to the left of each line; empty if there are no arrows. Set labels, the rest
 * must be zero.
 */
struct margin {
	const struct labels *labels; /* NULL: no margin */
	size_t label, jump;	     /* next label and jump */
	size_t lane[LABELS_LANES];   /* index of the label whose arrow is there, plus 1; 0: free */
};
void margin_row(struct margin *m, size_t at, struct out *o); /* beside the instruction at position @at; ascending */
void margin_gap(const struct margin *m, struct out *o);	     /* beside a line between two instructions */
