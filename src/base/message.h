/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/err.h"

/*
 * Lines for people on standard error. All of them pass out_text(): names in messages come from archives, object files
 * and processes, and must not control the terminal.
 */

/* The word before a message and its colour; @sgr NULL or "": none. */
struct message_head {
	const char *word, *sgr;
};
/* A line that begins with @head and a blank. */
void message_with_head(struct message_head head, const char *fmt, ...) PRINTF(2, 3);
/* One line; a newline in it is escaped like any other control character. */
void message(const char *fmt, ...) PRINTF(1, 2);
/*
 * The same in lines that fit the terminal, all but the first indented. If standard error is not a terminal: lines of
 * @width characters, or one line if @width is 0. Lines break at blanks; within {}, [] and `` only where these do not
 * fit a line.
 */
void message_fill(unsigned width, struct message_head head, const char *text);
/* Several lines, each with its newline, such as a log. */
void message_lines(const char *text);
/* What a long command is doing, in place of the last progress line; message_progress_end() removes it. */
void message_progress(const char *fmt, ...) PRINTF(1, 2);
void message_progress_end(void);
