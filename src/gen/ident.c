/* SPDX-License-Identifier: BSD-2-Clause */

#include "gen/ident.h"

#define NAME_MAX_LEN 63 /* the same limit as bpftool's */
#define LINE 100	/* columns of a literal */

const char *ident_of_file(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t n = strlen(base);

	if (n > 2 && !strcmp(base + n - 2, ".o"))
		n -= 2;
	return arena_str(a, base, n < NAME_MAX_LEN ? n : NAME_MAX_LEN);
}

const char *ident_upper(struct arena *a, const char *ident)
{
	char *s = arena_fmt(a, "%s", ident);

	for (char *p = s; *p; p++)
		if (*p >= 'a' && *p <= 'z')
			*p = (char)(*p - 'a' + 'A');
	return s;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* The fewest octal digits for a byte before @next; an escape ends after three. "\?" prevents trigraphs. */
static char *char_put(char *to, unsigned char c, char next)
{
	bool all = is_octal(next);

	if (c >= ' ' && c <= '~') {
		if (c == '"' || c == '\\' || c == '?')
			*to++ = '\\';
		*to++ = (char)c;
		return to;
	}
	*to++ = '\\';
	if (all || c >> 6)
		*to++ = (char)('0' + (c >> 6));
	if (all || c >> 3)
		*to++ = (char)('0' + (c >> 3 & 7));
	*to++ = (char)('0' + (c & 7));
	return to;
}

void literal_put(struct out *o, const void *bytes, size_t n, const char *indent)
{
	const char *p = bytes, *end = p + n;
	char line[LINE + 4];

	if (!indent)
		out_char(o, '"');
	do {
		char *to = line;

		while (p < end && to < line + LINE) {
			to = char_put(to, (unsigned char)*p, p + 1 < end ? p[1] : 0);
			p++;
		}
		if (indent)
			out_fmt(o, "\n%s\"", indent);
		out_bytes(o, line, (size_t)(to - line));
		if (indent)
			out_char(o, '"');
	} while (p < end);
	if (!indent)
		out_char(o, '"');
}

void literal_string(struct out *o, const char *s)
{
	literal_put(o, s, strlen(s), NULL);
}
