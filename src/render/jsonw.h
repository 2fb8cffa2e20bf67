/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * A JSON writer that cannot produce invalid JSON: it writes commas itself, escapes every string (control characters and
 * those of str_control() as \uNNNN, bytes that are not UTF-8 become U+FFFD), and can close everything that is open at
 * any time.
 *
 * Compact: no white space. Pretty: bpftool's layout: 4 blanks per level, a newline and indent before each member name
 * and before the closing bracket of a container that is not empty; array elements follow each other without a newline.
 *
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
	uint64_t values;	      /* values begun so far at any level: "has this command printed anything?" */
};

void jsonw_init(struct jsonw *w, struct out *o, bool pretty);
void jsonw_object(struct jsonw *w);
void jsonw_array(struct jsonw *w);
void jsonw_end(struct jsonw *w);		   /* closes the innermost container */
void jsonw_close(struct jsonw *w, unsigned depth); /* closes down to that depth; a due value becomes null */
/* The next value is written as if it were the first of the open array or object. */
void jsonw_restart(struct jsonw *w);
void jsonw_name(struct jsonw *w, const char *name);
/* The name as prepared by the caller: quoted and escaped, without the colon. For tight loops. */
void jsonw_name_raw(struct jsonw *w, const char *quoted, size_t n);
void jsonw_uint(struct jsonw *w, uint64_t v);
void jsonw_int(struct jsonw *w, int64_t v);
/* The name (as for jsonw_name_raw()) and number of a member at once, for tight loops; @minus: the number is -v. */
void jsonw_member_num(struct jsonw *w, const char *quoted, size_t n, bool minus, uint64_t v);
void jsonw_bool(struct jsonw *w, bool v);
void jsonw_null(struct jsonw *w);
void jsonw_str(struct jsonw *w, const char *s);
void jsonw_strn(struct jsonw *w, const char *s, size_t n);
void jsonw_fmt(struct jsonw *w, const char *fmt, ...) PRINTF(2, 3); /* a string */
void jsonw_double(struct jsonw *w, double v); /* the shortest text that reads back equal; null for nan and inf */
/* A scalar; the caller guarantees that the text is JSON. (In plain typed dumps: bpftool's bare 0x5.) */
void jsonw_raw(struct jsonw *w, const char *text, size_t n);
/* A compact JSON text written by us, in the layout of this writer. */
void jsonw_embed(struct jsonw *w, const char *json);
/* An array of "0xNN" strings, one per byte. The hot path of map dump -j. */
void jsonw_hexbytes(struct jsonw *w, const void *p, size_t n);

/*
 * One value as compact text: the caller writes it between begin and end with the writer that begin returns. The text is
 * allocated in the arena.
 */
struct jsonw_text {
	struct out out;
	struct jsonw w;
};
struct jsonw *jsonw_text_begin(struct jsonw_text *t);
const char *jsonw_text_end(struct jsonw_text *t, struct arena *a);
const char *jsonw_text_str(const char *s, struct arena *a); /* of a string */
