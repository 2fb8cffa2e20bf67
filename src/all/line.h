/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"

/*
 * Lines of a batch file as words. A backslash before the newline continues a line; # outside quotes begins a comment.
 * Words are split at blanks; a word that begins with a quote ends at the next such quote (nothing is escaped within).
 */
#define LINE_LENGTH (1 << 20) /* most bytes of a line with those that continue it */
struct lines {
	FILE *file;
	size_t number; /* of the line last read, from 1 */
};
struct line {
	const char **word;
	uint32_t n;
};

/*
 * 1: the next line that has a word, in @a; 0: end of file; -EINVAL (usage) or a read error, with the words before the
 * error in *ret.
 */
int lines_next(struct lines *l, struct arena *a, struct line *ret, struct err *e);
