/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RENDER_JSONW_H
#define RENDER_JSONW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/out.h"

struct arena;
/*
 * A JSON writer that cannot produce invalid JSON: it puts commas itself, escapes every string (control characters as
 * \u00NN, what str_control() names likewise, bytes that are not UTF-8 as U+FFFD), and can close what is open at any
 * moment.
 *
 * Compact: no white space. Pretty: bpftool's layout: 4 blanks a level, a newline and indent before each member name and
 * before the closing bracket of a container that is not empty; array elements follow each other without a newline.
 * Nesting is limited to JSONW_DEPTH; deeper values are replaced by null.
 */
#define JSONW_DEPTH 64
struct jsonw {
	struct out *out;
	bool pretty;
	unsigned depth;		      /* containers open now */
	unsigned skipped;	      /* containers opened beyond JSONW_DEPTH */
	uint64_t is_array, has_value; /* a bit per level */
	bool named;		      /* a member name was written, its value is due */
	uint64_t values;	      /* values begun so far at any level: "did this command print something?" */
};

void jsonw_init(struct jsonw *w, struct out *o, bool pretty);
void jsonw_object(struct jsonw *w);
void jsonw_array(struct jsonw *w);
void jsonw_end(struct jsonw *w);		   /* closes the innermost container */
void jsonw_close(struct jsonw *w, unsigned depth); /* closes down to that depth; a due value becomes null */
/* The next value is written as the first of the array or object that is open. */
void jsonw_restart(struct jsonw *w);
void jsonw_name(struct jsonw *w, const char *name);
/* The name as prepared by the caller: already quoted and escaped, without the colon. For tight loops. */
void jsonw_name_raw(struct jsonw *w, const char *quoted, size_t n);
void jsonw_uint(struct jsonw *w, uint64_t v);
void jsonw_int(struct jsonw *w, int64_t v);
/* Name (as for jsonw_name_raw) and number of a member in one go, for tight loops; @minus: the number is -v. */
void jsonw_member_num(struct jsonw *w, const char *quoted, size_t n, bool minus, uint64_t v);
void jsonw_bool(struct jsonw *w, bool v);
void jsonw_null(struct jsonw *w);
void jsonw_str(struct jsonw *w, const char *s);
void jsonw_strn(struct jsonw *w, const char *s, size_t n);
void jsonw_fmt(struct jsonw *w, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* a string */
void jsonw_double(struct jsonw *w, double v); /* shortest text that reads back equal; null for nan and inf */
/* A scalar whose text the caller guarantees to be JSON. (In plain typed dumps: bpftool's bare 0x5.) */
void jsonw_raw(struct jsonw *w, const char *text, size_t n);
/* A compact JSON text of our own making, laid out as this writer does. */
void jsonw_embed(struct jsonw *w, const char *json);
/* Array of "0xNN" strings, one a byte. The hot path of map dump -j. */
void jsonw_hexbytes(struct jsonw *w, const void *p, size_t n);

/* One value as compact text: between begin and end the caller writes it, with the writer that begin returns; the text
 * lives in the arena. */
struct jsonw_text {
	struct out out;
	struct jsonw w;
};
struct jsonw *jsonw_text_begin(struct jsonw_text *t);
const char *jsonw_text_end(struct jsonw_text *t, struct arena *a);

#endif
