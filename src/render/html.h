/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

struct schema;
/*
 * A self-contained page of HTML: no other file, light or dark as the reader's screen, complete without scripts. All
 * from a record or a caller's string is text: control characters are as by out_text(), and markup is escaped. Lists of
 * records are tables (render_html); these functions write what is around them.
 */
void html_begin(struct out *o, const char *title);
void html_end(struct out *o);
void html_text(struct out *o, const char *text);
/* A section with its heading, up to html_section_end(). @id: the target of links, chosen by us. */
void html_section(struct out *o, const char *id, const char *heading);
void html_section_end(struct out *o);
/*
 * Write and empty @text, which is in memory (fd -1, no colour) and was written by functions for terminals. Newlines at
 * its end are left out. html_lines(): as a paragraph.
 */
void html_copy(struct out *o, struct out *text);
void html_lines(struct out *o, struct out *text);
void html_missing(struct out *o, const char *sentence); /* a paragraph that reports what is missing */
/* One field of a record, in a span with the field's name as its class; empty if the field does not apply. */
void html_field(struct out *o, const struct schema *s, const void *rec, const char *name);
/* Within a start tag: the heat, 0 to 100, as a style that the class "heat" turns into a colour. Nothing for 0. */
void html_heat(struct out *o, double percent);

/* The style sheet. Text is readable at every heat, dark on light and light on dark. */
extern const char html_style[];

/*
 * The only script of a page makes a button of each heading, which sorts its table. HTML_SCRIPT_HASH admits it, and no
 * other (Content-Security-Policy: the SHA-256 of the text, in base64).
 */
#define HTML_SCRIPT_HASH "sha256-+Um2G9VtSvYGsoXgvdlvj7mirpoBRxUUsbHaJ9hoUFo="
extern const char html_script[];
