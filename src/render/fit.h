/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RENDER_FIT_H
#define RENDER_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;
/* A column of a table that has to fit a terminal. */
struct fit {
	size_t width; /* wanted, at least 1; then what it gets */
	bool whole;   /* a part of its cells is of no use: numbers, times */
	uint8_t drop; /* the column with the highest goes first; 0: it stays */
	bool gone;
};
#define FIT_GAP 2 /* blanks between columns */
/*
 * Narrows @n columns until they and the gaps between them take @room characters: columns with a drop go where the
 * others would become hard to read, then the widest ones shrink. More than @room / 3 columns that stay do not fit; they
 * are left with 1 each.
 */
void fit_columns(struct fit *c, size_t n, size_t room);
/* The @n bytes of UTF-8 at @text in @width characters, at least 1: as they are, or with an ellipsis for their middle,
 * which is ~ where the locale is not UTF-8. */
void fit_text(struct str *ret, const char *text, size_t n, size_t width);

#endif
