/* SPDX-License-Identifier: BSD-2-Clause */

#include "render/text.h"

void render_fold(struct out *buffer, const struct out *o)
{
	out_init(buffer, -1);
	buffer->color = o->color;
	buffer->palette = o->palette;
}

/*
 * Bytes of @s that fit @room columns, up to the gap between two facts unless it is at the start, else up to a blank
 * after a word; all if there is none.
 */
static size_t fold_at(const char *s, size_t n, size_t room)
{
	size_t width = 0, blank = 0, gap = 0, one;
	bool words = false;

	for (size_t i = 0; i < n && (width <= room || !blank); width += one) {
		if (s[i] == ' ' && words)
			blank = i;
		if (s[i] == ' ' && words && i + 1 < n && s[i + 1] == ' ' && width * 3 > room)
			gap = i;
		words |= s[i] != ' ' && s[i] != '\t' && s[i] != '\033';
		i += render_char(s + i, n - i, &one);
		if (s[i - 1] == '\t')
			one = 8 - width % 8;
	}
	return width <= room || !blank ? n : gap ? gap : blank;
}

/* Where the text begins that a line continues with: after its first column, if that is padded, else two blanks deeper.
 */
static size_t hanging(const char *s, size_t n, size_t room)
{
	const char *gap = memmem(s, n, "   ", 3);
	size_t indent = strspn(s, "\t "), width = 2, text;

	if (gap && gap > s + indent) {
		text = (size_t)(gap - s) + strspn(gap, " ");
		if (render_width(s, text) * 3 < room)
			return render_width(s, text);
	}
	for (size_t i = 0; indent < n && i < indent; i++)
		width += s[i] == '\t' ? 8 : 1;
	return width;
}

static void put_folded(struct out *o, const char *s, size_t n, size_t room)
{
	const size_t width = hanging(s, n, room);
	size_t at = fold_at(s, n, room);

	for (;;) {
		out_bytes(o, s, at);
		n -= at;
		s += at;
		while (n && *s == ' ')
			s++, n--;
		if (!n)
			break;
		out_char(o, '\n');
		render_pad(o, width);
		at = fold_at(s, n, room > width ? room - width : 1);
	}
	out_char(o, '\n');
}

void render_put_folded(struct out *buffer, struct out *o)
{
	const char *s = buffer->buf, *end = s + buffer->n, *line;
	const size_t room = out_line(o);

	for (; room && (line = memchr(s, '\n', (size_t)(end - s))); s = line + 1)
		put_folded(o, s, (size_t)(line - s), room);
	out_bytes(o, s, (size_t)(end - s));
	out_close(buffer, NULL);
}

struct plain_block plain_put_folded(struct plain *p, const struct schema *s, const struct view *view, unsigned skip,
				    const void *rec)
{
	struct out buffer, *o = p->out;
	const bool folds = out_line(o);
	struct plain_block b;

	if (folds) {
		render_fold(&buffer, o);
		p->out = &buffer;
	}
	b = plain_put(p, s, view, skip, rec);
	if (!b.empty)
		out_char(p->out, '\n');
	if (folds)
		render_put_folded(&buffer, o);
	p->out = o;
	return b;
}
