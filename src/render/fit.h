/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* A column of a table that must fit a terminal. */
struct fit {
	size_t width;  /* width wanted, at least 1; after fit_columns() the width it gets */
	size_t least;  /* the narrowest that is useful, 1 to width */
	uint16_t drop; /* order in which columns are left out, the highest first; 0: never */
	bool gone;
};
#define FIT_EMPTY UINT16_MAX /* a drop: the column says nothing, and is left out before any is narrowed */
#define FIT_GAP 2	     /* blanks between columns */
/*
 * Narrow @n columns until they and the gaps between them take at most @room columns of the terminal: empty columns are
 * left out, then, while the others could not be wide enough to be useful, columns with a drop, then the widest ones
 * shrink. Returns the columns that they take: more than @room if what remains cannot be narrower.
 */
size_t fit_columns(struct fit *c, size_t n, size_t room);
/*
 * Append the @n bytes of UTF-8 at @text in @width columns, at least 1: unchanged, or with an ellipsis in place of
 * the middle (~ if the locale is not UTF-8). Of a path the end stays, from a slash on if that is most of the room.
 */
void fit_text(struct str *ret, const char *text, size_t n, size_t width);
/*
 * The bytes of the first line if the @n bytes of UTF-8 at @text are continued on other lines of @width columns, at
 * least 1: up to a blank, or as many characters as fit if the first word is longer, at least one.
 */
size_t fit_line(const char *text, size_t n, size_t width);
