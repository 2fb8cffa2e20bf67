/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * A picture that stays in its place on a terminal: each is drawn over the one before without clearing the screen, and
 * lines that do not fit are left out. The cursor stays below the last line.
 */
struct frame {
	struct out *out;
	unsigned rows, columns; /* of the terminal; one row is kept free */
	unsigned used;		/* lines begun in this picture */
	unsigned filled;	/* columns of the last line written by frame_put() and frame_add() */
	int drawn;		/* pictures so far */
};
void frame_begin(struct frame *f);
/* Begin a line: is there room for it? The caller writes at most f->columns characters and no newline. */
int frame_line(struct frame *f);
/* The same for text, which is escaped (out_text) and truncated at the edge; does nothing if there is no room. */
void frame_put(struct frame *f, const char *text, size_t n);
/* The same for text of this program, which may have colours. */
void frame_put_painted(struct frame *f, const char *text, size_t n);
/* Continue the line begun by frame_put() or frame_line(), if there was room for it. */
void frame_add(struct frame *f, const char *text, size_t n);
/* Initialize a buffer for text as on the terminal of the frame, and write its lines with frame_put_painted(). */
void frame_text(const struct frame *f, struct out *ret);
void frame_lines(struct frame *f, const struct out *text);
void frame_end(struct frame *f); /* complete the picture and write it out */
/* A picture of these lines, from its beginning to its end; closes @text. */
void frame_draw(struct frame *f, struct out *text);
