/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "diff/edits.h"

struct side;
struct diff_item;
/*
 * Inside the folder: are the instructions of two programs the same? *ret: the differences as lines of diff -u, in the
 * arena of the second side. Maps are shown by name, and addresses, which differ with each boot, are left out. False and
 * no lines: the instructions of one program cannot be read, which was noted.
 */
bool code_same(const struct side *sa, const struct diff_item *a, const struct side *sb, const struct diff_item *b,
	       struct text_lines *ret);
