/* SPDX-License-Identifier: BSD-2-Clause */
#include <wchar.h>

#include "render/text.h"

size_t render_char(const char *s, size_t n, size_t *ret_width)
{
	const char *end = *s == '\033' ? memchr(s, 'm', n) : NULL;
	size_t len;
	int width;

	*ret_width = !end;
	if (end)
		return (size_t)(end - s) + 1;
	if (!(*s & 0x80))
		return 1;
	len = str_utf8(s, n);
	width = len > 1 ? wcwidth((wchar_t)str_code(s, len)) : 1;
	if (width >= 0)
		*ret_width = (size_t)width;
	return len ? len : 1;
}

size_t render_width(const char *s, size_t n)
{
	size_t all = 0, width;

	for (size_t i = 0; i < n; all += width)
		i += render_char(s + i, n - i, &width);
	return all;
}
