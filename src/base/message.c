/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/message.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "base/str.h"

/* In one piece, because other programs may write there, too. */
static void put(const char *before, const char *text, size_t n, const char *after)
{
	struct out o;

	out_init(&o, STDERR_FILENO);
	out_str(&o, before);
	out_textn(&o, text, n);
	out_str(&o, after);
	out_close(&o, NULL);
}

void message(const char *fmt, ...)
{
	STR s = { 0 };
	va_list ap;

	va_start(ap, fmt);
	str_vfmt(&s, fmt, ap);
	va_end(ap);
	put("", s.p, s.n, "\n");
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
	STR s = { 0 };
	va_list ap;

	va_start(ap, fmt);
	str_vfmt(&s, fmt, ap);
	va_end(ap);
	put("\r", s.p, s.n, "\033[K");
}

void message_progress_end(void)
{
	put("\r\033[K", "", 0, "");
}
