/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in fold.c, pair.c, plain.c, render.c and width.c. */

#include "record/field.h"

struct render;
struct view;
struct plain_shape;
/* Shared by the renderers. */

/* The needs of fields to leave out: skip_need, without those of fields that the user requested by name. */
unsigned render_skip(const struct render *r);
/* A value as text, with text from outside escaped. */
void render_value(struct out *o, const struct field *f, const struct value *v, enum value_style style);
/*
 * The bytes of the first of @n > 0 bytes of text that belong together: a character of UTF-8, or the sequence that sets
 * a colour. *ret_width: its columns on a terminal, 0 for a colour or a combining character, 2 for a wide one; 1 for a
 * byte that is not UTF-8, and without a locale for any
 * character.
 */
size_t render_char(const char *s, size_t n, size_t *ret_width);
size_t render_width(const char *s, size_t n); /* columns of all */
void render_pad(struct out *o, size_t n);     /* writes n blanks */
/*
 * Fit text to the terminal of @o, if it is one: a line written to the buffer between render_fold() and
 * render_put_folded() is continued on another line, with more indent, at a blank before the terminal's edge. A tab
 * stops every eight columns.
 */
void render_fold(struct out *buffer, const struct out *o);
void render_put_folded(struct out *buffer, struct out *o);
/*
 * Print two lines side by side, the second from @column on, or after the first if that is wider, within @columns
 * columns; 0: no limit. If they do not fit, each is continued below itself.
 */
void render_pair(const struct out *left, const struct out *right, size_t column, size_t columns, struct out *o);
/* Write tabs from @at on in a buffer as \x09, because their width is not known. */
void render_untab(struct out *text, size_t at);

/* Records as blocks of text (field.plain, line, col), without the newline after a block. */
struct plain {
	struct out *out;
	struct arena *arena;	    /* for the shapes; lives as long as they are used */
	struct plain_shape *shapes; /* of the records so far; NULL at the start */
	bool headline;		    /* line 0 only */
	uint32_t hide;		    /* field_flags of fields to leave out */
	/* Writes the margin of a line of a block, @line as in struct field, after the schema's indent; NULL: none. */
	void (*margin)(void *ctx, unsigned line, struct out *o);
	void *ctx;
};
struct plain_block {
	bool empty, unknown;
}; /* empty: nothing was printed; unknown: a field could not be read */
/* Print the fields of @view (NULL: all of plain text) except those with a need in @skip. */
struct plain_block plain_put(struct plain *p, const struct schema *s, const struct view *view, unsigned skip,
			     const void *rec);
/* The same with the newline after the block, with long lines continued on a terminal. */
struct plain_block plain_put_folded(struct plain *p, const struct schema *s, const struct view *view, unsigned skip,
				    const void *rec);
