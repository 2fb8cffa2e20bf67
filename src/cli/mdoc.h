/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_MDOC_H
#define CLI_MDOC_H

struct out;
struct arg;
struct kind;
struct arena;
/* Text for mdoc(7): backslashes, quotes, and what would be taken for a macro or a request are escaped. */
void mdoc_escaped(struct out *o, const char *text); /* inside a display: backslashes only */
void mdoc_text(struct out *o, const char *text);    /* text lines, a sentence a line, with a newline at the end */
void mdoc_args(struct out *o, const char *words);   /* arguments of a macro, a blank before each */
/* An argument of a command without the brackets: "Fl o | Fl \&-columns Ar COL". */
void mdoc_arg(struct out *o, const struct arg *a, const struct kind *k, struct arena *arena);

#endif
