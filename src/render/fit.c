/* SPDX-License-Identifier: BSD-2-Clause */
#include "render/fit.h"

#include "render/text.h"

static size_t total(const struct fit *c, size_t n, bool narrow)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		if (!c[i].gone)
			sum += (sum ? FIT_GAP : 0) + (narrow ? c[i].least : c[i].width);
	return sum;
}

static bool drop_one(struct fit *c, size_t n)
{
	struct fit *first = NULL;

	for (size_t i = 0; i < n; i++)
		if (!c[i].gone && c[i].drop && (!first || c[i].drop >= first->drop))
			first = &c[i];
	if (first)
		first->gone = true;
	return first;
}

static bool shrink_widest(struct fit *c, size_t n)
{
	struct fit *widest = NULL;

	for (size_t i = 0; i < n; i++)
		if (!c[i].gone && c[i].width > c[i].least && (!widest || c[i].width > widest->width))
			widest = &c[i];
	if (widest)
		widest->width--;
	return widest;
}

size_t fit_columns(struct fit *c, size_t n, size_t room)
{
	for (size_t i = n; i-- && total(c, n, false) > room;)
		c[i].gone |= c[i].drop == FIT_EMPTY;
	if (total(c, n, false) <= room)
		return total(c, n, false);
	while (total(c, n, true) > room && drop_one(c, n))
		;
	for (size_t i = 0; i < n; i++)
		c[i].width = c[i].width > room && c[i].least < room ? room : c[i].width;
	while (total(c, n, false) > room && shrink_widest(c, n))
		;
	return total(c, n, false);
}

/* Bytes of the characters that fit the first @width columns. */
static size_t bytes_of(const char *text, size_t n, size_t width)
{
	size_t i = 0, len, one;

	for (; i < n; i += len, width -= one) {
		len = render_char(text + i, n - i, &one);
		if (one > width)
			break;
	}
	return i;
}

/* Where the last @width columns begin. */
static size_t tail_of(const char *text, size_t n, size_t width)
{
	size_t all = render_width(text, n), i = 0, one;

	for (size_t len; i < n; i += len, all -= one) {
		len = render_char(text + i, n - i, &one);
		if (all <= width && one)
			break;
	}
	return i;
}

static bool is_path(const char *text, size_t n)
{
	return n > 2 && (text[0] == '/' || (text[0] == '.' && text[1] == '/'));
}

/*
 * What is cut from a path in @width columns, which it does not fit: paths often begin alike, and end in a name. From
 * @ret_head to @ret_tail, in bytes.
 */
static void cut_path(const char *text, size_t n, size_t width, size_t *ret_head, size_t *ret_tail)
{
	size_t tail = tail_of(text, n, width - 1), slash = tail;

	while (slash < n && text[slash] != '/')
		slash++;
	*ret_head = 0;
	*ret_tail = slash < n && render_width(text + slash, n - slash) * 2 > width ? slash : tail;
}

void fit_text(struct str *ret, const char *text, size_t n, size_t width)
{
	size_t head, tail;

	if (render_width(text, n) <= width) {
		str_add(ret, text, n);
		return;
	}
	head = bytes_of(text, n, width / 2);
	tail = tail_of(text, n, width - 1 - width / 2);
	if (is_path(text, n))
		cut_path(text, n, width, &head, &tail);
	str_add(ret, text, head);
	str_puts(ret, out_utf8() ? "\xe2\x80\xa6" : "~");
	str_add(ret, text + tail, n - tail);
}

size_t fit_line(const char *text, size_t n, size_t width)
{
	size_t most = bytes_of(text, n, width), blank, one;

	if (!most && n)
		most = render_char(text, n, &one);
	if (most == n)
		return n;
	blank = most;
	while (blank && text[blank] != ' ')
		blank--;
	return blank ? blank : most;
}
