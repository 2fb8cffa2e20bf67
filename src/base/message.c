/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/message.h"

#include "base/base.h"

#define TEXT 4096 /* bytes of a message; the rest is left out */

/*
 * In one write(2), because other programs may write there too. Nothing is allocated: the message may be that there is
 * no memory.
 */
static void clause_write(const char *before, const char *text, size_t n, const char *after)
{
	char room[2 * TEXT];
	struct out o = { .fd = STDERR_FILENO, .buf = room, .cap = sizeof(room) };

	out_str(&o, before);
	out_textn(&o, text, n);
	out_str(&o, after);
	out_flush(&o);
}

PRINTF(3, 0) static void put_fmt(const char *before, const char *after, const char *fmt, va_list ap)
{
	char text[TEXT];
	int n = vsnprintf(text, sizeof(text), fmt, ap);

	clause_write(before, text, n < 0 ? 0 : n < TEXT ? (size_t)n : TEXT - 1, after);
}

void message(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_fmt("", "\n", fmt, ap);
	va_end(ap);
}

/* The columns written, with the blank at the end. */
static size_t message_head_write(struct out *o, struct message_head head)
{
	bool painted = head.sgr && *head.sgr;

	if (painted)
		out_fmt(o, "\033[%sm", head.sgr);
	out_str(o, head.word);
	out_str(o, painted ? "\033[0m " : " ");
	return strlen(head.word) + 1;
}

void message_with_head(struct message_head head, const char *fmt, ...)
{
	char room[TEXT];
	struct out o = { .fd = -1, .buf = room, .cap = sizeof(room) };
	va_list ap;

	message_head_write(&o, head);
	out_char(&o, 0);
	va_start(ap, fmt);
	put_fmt(room, "\n", fmt, ap);
	va_end(ap);
}

/* Bytes up to the next blank; @whole: up to the next blank outside brackets and commands, which are in backquotes. */
static size_t piece(const char *s, bool whole)
{
	bool command = false;
	int depth = 0;
	size_t n = 0;

	for (; s[n] && (s[n] != ' ' || (whole && (command || depth > 0))); n++) {
		command ^= s[n] == '`';
		depth += (s[n] == '[' || s[n] == '{') - (s[n] == ']' || s[n] == '}');
	}
	return n;
}

void message_fill(unsigned width, struct message_head head, const char *text)
{
	char room[2 * TEXT];
	struct out o = { .fd = STDERR_FILENO, .tty = isatty(STDERR_FILENO), .buf = room, .cap = sizeof(room) };
	size_t line = o.tty ? out_columns(&o) : width, indent = message_head_write(&o, head), at = indent;

	for (size_t n; *text; text += n + !!text[n]) {
		n = piece(text, true);
		if (indent + n > line)
			n = piece(text, false);
		if (line && at > indent && at + 1 + n > line) {
			out_fmt(&o, "\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			out_char(&o, ' ');
			at++;
		}
		out_textn(&o, text, n);
		at += n;
	}
	out_char(&o, '\n');
	out_flush(&o);
}

void message_lines(const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		clause_write("", text, n, text[n] ? "\n" : "");
		text += n + !!text[n];
	}
}

void message_progress(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_fmt("\r", "\033[K", fmt, ap);
	va_end(ap);
}

void message_progress_end(void)
{
	clause_write("\r\033[K", "", 0, "");
}
