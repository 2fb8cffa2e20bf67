/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_MESSAGE_H
#define BASE_MESSAGE_H

/*
 * Lines for people on standard error. All of them pass out_text(): names in messages come from archives, object files
 * and processes, and must not drive the terminal.
 */

/* How the words before a message are painted: @sgr NULL or "": not at all. */
struct message_head {
	const char *word, *sgr;
};
/* A line that begins with @head and a blank. */
void message_headed(struct message_head head, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One line; a newline in it is escaped like any other control character. */
void message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * The same in lines that fit the terminal, those behind the first indented; where standard error is none, of @width
 * characters, 0: in one line. Lines break at blanks, in {} and [] only where these do not fit.
 */
void message_filled(unsigned width, struct message_head head, const char *text);
/* Several lines, each with its newline, such as a log. */
void message_lines(const char *text);
/* What a long command is doing, in place of the last such line; message_progress_end() removes it. */
void message_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void message_progress_end(void);

#endif
