/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RENDER_TEXT_H
#define RENDER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "record/field.h"

struct out;
struct render;
struct arena;
struct view;
struct plain_shape;
/* What the renderers share. */

/* The needs whose fields are left out: skip_need, but not of what the user asked for by name. */
unsigned render_skip(const struct render *r);
/* A value as text, with what came from outside escaped. */
void render_value(struct out *o, const struct field *f, const struct value *v, enum value_style style);
/* Columns that such a text takes on a terminal: one a code point; what paints it takes none. */
size_t render_width(const char *s, size_t n);
void render_pad(struct out *o, size_t n); /* so many blanks */
/*
 * Text that is to fit the terminal of @o, where it is one: what is written to the buffer from render_fold() to
 * render_folded() goes on in another line, deeper, where a blank is before the end of the terminal's; a tab has eight
 * columns.
 */
void render_fold(struct out *buffer, const struct out *o);
void render_folded(struct out *buffer, struct out *o);
/*
 * Two lines beside each other, the second from @column on, where the first is not wider; in so many columns of the
 * screen, 0: any. Where they do not fit, each goes on below itself.
 */
void render_beside(const struct out *left, const struct out *right, size_t column, size_t columns, struct out *o);
/* Writes tabs from @at on in a buffer as \x09: nobody knows how wide they are going to be. */
void render_untab(struct out *text, size_t at);

/* Records as blocks of text (field.plain, line, col), without the newline behind a block. */
struct plain {
	struct out *out;
	struct arena *arena;	    /* keeps the shapes; lives as long as they are used */
	struct plain_shape *shapes; /* of the records so far; NULL at the start */
	bool headline;		    /* line 0 only */
	/* Writes what stands left of a line of a block, @line as in struct field, behind the schema's indent; NULL:
	 * nothing. */
	void (*margin)(void *ctx, unsigned line, struct out *o);
	void *ctx;
};
struct plain_block {
	bool empty, unknown;
}; /* nothing was printed; a fact in it could not be read */
/* The fields of @view (NULL: all of plain text) but those with a need in @skip. */
struct plain_block plain_put(struct plain *p, const struct schema *s, const struct view *view, unsigned skip,
			     const void *rec);
/* The same with the newline behind the block, folded where it goes to a terminal. */
struct plain_block plain_folded(struct plain *p, const struct schema *s, const struct view *view, unsigned skip,
				const void *rec);

#endif
