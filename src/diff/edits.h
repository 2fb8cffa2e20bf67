/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* Inside the folder: the difference of two texts as diff -u shows it. */
struct text_lines {
	const char **line;
	size_t n;
};
/*
 * A line of such a text. Lines are the same if their keys are and, of two jumps, if what follows at their targets is
 * the same: the names of labels, which change with each label before them, are made for the difference.
 */
struct edit_line {
	const char *text; /* of a jump: without the name of the label, which comes last */
	const char *key;  /* what is compared; NULL: the text */
	bool quiet;	  /* on its own it is no difference: a line of source before instructions */
	size_t to;	  /* of a jump: the line that it goes to, from 1; 0: it is none */
};
struct edit_lines {
	struct edit_line *v;
	size_t n;
};
/*
 * *ret, in the arena: lines "@@ -1,3 +1,4 @@", each followed by lines that begin with a blank, - or +, with three lines
 * around each difference; empty if the texts are the same. Labels, which are lines of both, have one name on both
 * sides. Texts that differ in more than EDITS_MAX lines are shown as all lines removed and all lines added.
 */
#define EDITS_MAX 1000
void edits_find(const struct edit_lines *a, const struct edit_lines *b, struct arena *arena, struct text_lines *ret);
