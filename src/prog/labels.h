/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROG_LABELS_H
#define PROG_LABELS_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct out;
/*
 * Names for the places in code that its own jumps lead to (L1, L2, ... by ascending place), and the arrows to them that
 * are drawn left of the code. Places are what the caller counts in: slots of BPF instructions, bytes of machine code.
 *
 * First every instruction and every jump is told, by ascending place, then labels_done(). Jumps that lead elsewhere
 * than to the beginning of an instruction are left out.
 */
struct label {
	size_t at;
	size_t first, last; /* what its arrow spans: the label and the jumps to it */
};
struct jump {
	size_t from, to;
}; /* to: a place, after labels_done() the index of a label */

#define LABELS_LANES 6 /* arrows side by side; others are not drawn */
#define LABELS_NONE ((size_t)-1)
struct labels {
	struct arena *arena;
	size_t end;	       /* places are below */
	unsigned char *starts; /* by place */
	struct label *label;
	struct jump *jump;
	size_t n, njumps, cap;
	size_t base;	/* labels of the same dump before these */
	unsigned lanes; /* that the arrows need */
};
void labels_init(struct labels *l, struct arena *a, size_t end, size_t base);
void labels_insn(struct labels *l, size_t at);		    /* at < end */
void labels_jump(struct labels *l, size_t from, size_t to); /* from < end, to may lead anywhere */
void labels_done(struct labels *l);

size_t labels_at(const struct labels *l, size_t at); /* its number in names: L<number>; 0: no label */

/* The margin: columns of the same width left of each line, nothing if there is no arrow. Zeroed but for labels. */
struct margin {
	const struct labels *labels; /* NULL: no margin */
	size_t label, jump;	     /* next ones */
	size_t lane[LABELS_LANES];   /* index of the label whose arrow is there + 1; 0: free */
};
void margin_row(struct margin *m, size_t at, struct out *o); /* beside the instruction at that place; ascending */
void margin_gap(const struct margin *m, struct out *o);	     /* beside a line between two instructions */

#endif
