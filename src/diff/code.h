/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DIFF_CODE_H
#define DIFF_CODE_H

#include <stdbool.h>

#include "diff/edits.h"

struct side;
struct diff_item;
/*
 * Inside the folder: are the instructions of two programs the same? What is different, as lines of diff -u. Maps are
 * called by their names, and addresses, which each boot has its own, are left out. False and no lines where those of
 * one cannot be read; the reason was noted. In the arena of the second side.
 */
bool code_same(const struct side *sa, const struct diff_item *a, const struct side *sb, const struct diff_item *b,
	       struct text_lines *ret);

#endif
