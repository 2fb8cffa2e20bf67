/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RENDER_HTML_H
#define RENDER_HTML_H

#include <stddef.h>

struct out;
struct schema;
/*
 * A page of HTML that needs nothing but itself: no script, no other file, light or dark as the reader's screen is.
 * Whatever comes from a record or a caller's string is text: control characters as out_text() has them, and nothing in
 * it is markup. Lists of records are tables (render_html); this is what stands around them.
 */
void html_begin(struct out *o, const char *title);
void html_end(struct out *o);
void html_text(struct out *o, const char *text);
/* A section with its heading, up to html_section_end(). @id: what links lead to, of our own making. */
void html_section(struct out *o, const char *id, const char *heading);
void html_section_end(struct out *o);
/*
 * What was written to @text, in memory (fd -1, no colour) and by functions that write for a terminal; empties it.
 * Newlines at its end are left out. html_lines(): as a paragraph.
 */
void html_copy(struct out *o, struct out *text);
void html_lines(struct out *o, struct out *text);
void html_missing(struct out *o, const char *sentence); /* a paragraph that says what is not there */
/* One field of a record, in a span whose class is the field's name; nothing in it where the field does not apply. */
void html_field(struct out *o, const struct schema *s, const void *rec, const char *name);
/* For the start of an element: how hot it is, 0 to 100, as style that a class "heat" makes a colour of. Nothing for 0.
 */
void html_heat(struct out *o, double percent);

/* How a page looks. Text can be read on every degree of heat, dark on light as light on dark. */
extern const char html_style[];

#endif
