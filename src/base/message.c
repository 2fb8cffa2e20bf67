/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"

#define TEXT 4096			/* bytes of a sentence; what is behind them is left out */

/* In one piece, because other programs may write there, too. What there is to say may be that there is no memory: none is asked for. */
static void put(const char *before, const char *text, size_t n, const char *after)
{
	char room[2 * TEXT];
	struct out o = { .fd = STDERR_FILENO, .buf = room, .cap = sizeof(room) };

	out_str(&o, before);
	out_textn(&o, text, n);
	out_str(&o, after);
	out_flush(&o);
}

__attribute__((format(printf, 3, 0)))
static void put_fmt(const char *before, const char *after, const char *fmt, va_list ap)
{
	char text[TEXT];
	int n = vsnprintf(text, sizeof(text), fmt, ap);

	put(before, text, n < 0 ? 0 : n < TEXT ? (size_t)n : TEXT - 1, after);
}

void message(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_fmt("", "\n", fmt, ap);
	va_end(ap);
}

void message_lines(const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		put("", text, n, text[n] ? "\n" : "");
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
	put("\r\033[K", "", 0, "");
}
