/* SPDX-License-Identifier: BSD-2-Clause */
#include "render/fit.h"

#include "base/base.h"
#include "render/text.h"

#define READABLE 16u /* characters that are usually enough to distinguish names */
#define SENTENCE 32u
#define CRAMPED 4u

/* How narrow columns may become; if the table is still too wide, the next stage follows. */
enum stage { STAGE_READABLE, STAGE_CRAMPED, STAGE_ANY, STAGES };

static size_t least(const struct fit *c, enum stage stage)
{
	size_t floor = stage == STAGE_READABLE ? c->prose ? SENTENCE : READABLE : stage == STAGE_CRAMPED ? CRAMPED : 1;

	return c->width < floor || (c->whole && stage != STAGE_ANY) ? c->width : floor;
}

static size_t total(const struct fit *c, size_t n, bool narrow)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		if (!c[i].gone)
			sum += (sum ? FIT_GAP : 0) + (narrow ? least(&c[i], STAGE_READABLE) : c[i].width);
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

static bool shrink_widest(struct fit *c, size_t n, enum stage stage)
{
	struct fit *widest = NULL;

	for (size_t i = 0; i < n; i++)
		if (!c[i].gone && c[i].width > least(&c[i], stage) && (!widest || c[i].width > widest->width))
			widest = &c[i];
	if (widest)
		widest->width--;
	return widest;
}

void fit_columns(struct fit *c, size_t n, size_t room)
{
	for (size_t i = n; i-- && total(c, n, false) > room;)
		c[i].gone |= c[i].drop == FIT_EMPTY;
	if (total(c, n, false) <= room)
		return;
	while (total(c, n, true) > room && drop_one(c, n))
		;
	for (size_t i = 0; i < n; i++)
		c[i].width = c[i].width > room && !c[i].whole ? room : c[i].width;
	for (enum stage stage = 0; stage < STAGES; stage++)
		while (total(c, n, false) > room && shrink_widest(c, n, stage))
			;
}

/* Bytes of the first @width characters. */
static size_t bytes_of(const char *text, size_t n, size_t width)
{
	size_t i;

	for (i = 0; i < n && ((text[i] & 0xc0) == 0x80 || width); i++)
		width -= (text[i] & 0xc0) != 0x80;
	return i;
}

static bool is_path(const char *text, size_t n)
{
	return n > 2 && (text[0] == '/' || (text[0] == '.' && text[1] == '/'));
}

/*
 * What is cut from a path in @width characters, which it does not fit: paths often begin alike, and end in a name. From
 * @ret_head to @ret_tail, in bytes.
 */
static void cut_path(const char *text, size_t n, size_t width, size_t *ret_head, size_t *ret_tail)
{
	size_t tail = bytes_of(text, n, render_width(text, n) - (width - 1)), slash = tail;

	while (slash < n && text[slash] != '/')
		slash++;
	*ret_head = 0;
	*ret_tail = slash < n && render_width(text + slash, n - slash) * 2 > width ? slash : tail;
}

void fit_text(struct str *ret, const char *text, size_t n, size_t width)
{
	size_t all = render_width(text, n), head, tail;

	if (all <= width) {
		str_add(ret, text, n);
		return;
	}
	head = bytes_of(text, n, width / 2);
	tail = bytes_of(text, n, all - (width - 1 - width / 2));
	if (is_path(text, n))
		cut_path(text, n, width, &head, &tail);
	str_add(ret, text, head);
	str_puts(ret, out_utf8() ? "\xe2\x80\xa6" : "~");
	str_add(ret, text + tail, n - tail);
}

size_t fit_line(const char *text, size_t n, size_t width)
{
	size_t most = bytes_of(text, n, width), blank = most;

	if (most == n)
		return n;
	while (blank && text[blank] != ' ')
		blank--;
	return blank ? blank : most;
}
