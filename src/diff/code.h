/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "diff/edits.h"

struct side;
struct diff_item;
struct xlated;
/*
 * Inside the folder: instructions and source lines, which alone are no difference. Maps are shown by their names in @s,
 * NULL: as they are. Instructions that are adapted to the kernel's types are compared by what they take from these.
 * Lives in @a.
 */
void code_text(const struct xlated *x, const struct side *s, struct arena *a, struct edit_lines *ret);
/*
 * Inside the folder: are the instructions of two programs the same? *ret: the differences as lines of diff -u, in the
 * arena of the second side. Maps are shown by name, and addresses, which differ with each boot, are left out. False and
 * no lines: the instructions of one program cannot be read, which was noted.
 */
bool code_same(const struct side *sa, const struct diff_item *a, const struct side *sb, const struct diff_item *b,
	       struct text_lines *ret);
