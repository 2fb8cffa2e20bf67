/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct out;
struct arg;
struct kind;
struct arena;
/* Text for mdoc(7): escape backslashes, quotes, and words that look like a macro or a request. */
void mdoc_escaped(struct out *o, const char *text); /* inside a display: only backslashes */
void mdoc_text(struct out *o, const char *text);    /* text lines, each sentence on a line, with a newline at the end */
void mdoc_args(struct out *o, const char *words);   /* arguments of a macro, each after a blank */
/* An argument of a command, without brackets: "Fl o | Fl \&-columns Ar COL". */
void mdoc_arg(struct out *o, const struct arg *a, const struct kind *k, struct arena *arena);
