/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "base/paint.h"

/*
 * A tree as text: one line per node, with branches left of it, in ASCII if the locale is not UTF-8. On a terminal each
 * line fits: its widest cells are elided in the middle, and the outermost branches of very deep nodes are left out.
 *
 *	branches_cell(b, ROLE_NAME, "root");
 *	branches_line(b);
 *	branches_open(b, true);			the last one below it
 *	branches_cell(b, ROLE_NAME, "leaf");
 *	branches_line(b);
 *	branches_close(b);
 */
#define BRANCHES_CELLS 12
#define BRANCHES_DEPTH 48 /* limit for callers, because an archive may contain a chain of any length */
struct branches {
	struct out *out;
	const struct branches_style *style;
	struct str levels; /* from the outermost: '|' if more nodes follow on that level, ' ' after the last */
	struct out text;   /* of the cells */
	struct branches_cell {
		size_t at, n; /* position and length in text */
		enum role role;
		unsigned char gap; /* blanks before it */
	} cell[BRANCHES_CELLS];
	size_t ncells;
};
void branches_begin(struct branches *b, struct out *o);
void branches_end(struct branches *b);
/*
 * Add a cell to the current line, escaped; NULL or "": no cell. branches_word() adds one at one blank from the cell
 * before; branches_glue() appends @glue and @text to the last cell.
 */
void branches_cell(struct branches *b, enum role role, const char *text);
void branches_word(struct branches *b, enum role role, const char *text);
void branches_glue(struct branches *b, const char *glue, const char *text);
void branches_line(struct branches *b);
/*
 * The lines up to branches_close() are one node below the line before, and what is below that node. @last: no other
 * node follows at its level.
 */
void branches_open(struct branches *b, bool last);
void branches_close(struct branches *b);
static inline size_t branches_depth(const struct branches *b)
{
	return b->levels.n;
}
