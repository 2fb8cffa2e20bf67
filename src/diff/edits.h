/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/* Inside the folder: the difference of two texts as diff -u shows it. */
struct text_lines {
	const char **line;
	size_t n;
};
/*
 * *ret, in the arena: lines "@@ -1,3 +1,4 @@", each followed by lines that begin with a blank, - or +, with three lines
 * around each difference; empty if the texts are the same. Texts that differ in more than EDITS_MAX lines are shown as
 * all lines removed and all lines added.
 */
#define EDITS_MAX 1000
void edits_find(const struct text_lines *a, const struct text_lines *b, struct arena *arena, struct text_lines *ret);
