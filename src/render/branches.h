/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RENDER_BRANCHES_H
#define RENDER_BRANCHES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/out.h"
#include "base/paint.h"
#include "base/str.h"

/*
 * A tree as text, a line a node, with branches left of it: in ASCII where the locale is not UTF-8. On a terminal each
 *line fits: its widest cells are elided in the middle, and of very deep nodes the outermost branches are left out.
 *
 *	branches_cell(b, ROLE_NAME, "root");
 *	branches_line(b);
 *	branches_open(b, true);			the last one below it
 *	branches_cell(b, ROLE_NAME, "leaf");
 *	branches_line(b);
 *	branches_close(b);
 */
#define BRANCHES_CELLS 12
#define BRANCHES_DEPTH 48 /* as deep as a tree should become: an archive may make any chain */
struct branches {
	struct out *out;
	const struct branches_style *style;
	struct str levels; /* from the outermost on: '|' where more nodes follow on that level, ' ' behind the last */
	struct out text;   /* of the cells */
	struct branches_cell {
		size_t at, n; /* in text */
		enum role role;
		unsigned char gap; /* blanks before it */
	} cell[BRANCHES_CELLS];
	size_t ncells;
};
void branches_begin(struct branches *b, struct out *o);
void branches_end(struct branches *b);
/*
 * The next cell of the line that is being made, escaped; NULL or "": none. branches_word() stands close to the cell
 * before it, branches_glued() is the rest of it, behind @glue.
 */
void branches_cell(struct branches *b, enum role role, const char *text);
void branches_word(struct branches *b, enum role role, const char *text);
void branches_glued(struct branches *b, const char *glue, const char *text);
void branches_line(struct branches *b);
/* The lines up to branches_close() are one node of those below the line before, @last: of which there are no more, and
 * what is below it. */
void branches_open(struct branches *b, bool last);
void branches_close(struct branches *b);
static inline size_t branches_depth(const struct branches *b)
{
	return b->levels.n;
}

#endif
