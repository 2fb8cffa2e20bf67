/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RENDER_FRAME_H
#define RENDER_FRAME_H

#include <stddef.h>

struct out;
/*
 * A picture that stays in its place on a terminal: each is drawn over the one before, without clearing in between, and
 * lines that do not fit are left out. The cursor is left below the last one.
 */
struct frame {
	struct out *out;
	unsigned rows, columns; /* of the terminal; one row is kept free */
	unsigned used;		/* lines begun in this picture */
	unsigned filled;	/* columns of the last line that frame_put() and frame_add() have written */
	int drawn;		/* pictures so far */
};
void frame_begin(struct frame *f);
/* At the beginning of a line: is there room for it? The caller writes at most f->columns characters and no newline. */
int frame_line(struct frame *f);
/* The same for text, escaped (out_text) and cut at the edge; does nothing where there is no room. */
void frame_put(struct frame *f, const char *text, size_t n);
/* Goes on in the line that frame_put() or frame_line() began, which there must have been room for. */
void frame_add(struct frame *f, const char *text, size_t n);
void frame_end(struct frame *f); /* and out it goes */

#endif
