/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/base.h"
#include "render/text.h"

void render_fold(struct out *buffer, const struct out *o)
{
	out_init(buffer, -1);
	buffer->color = o->color;
	buffer->palette = o->palette;
}

/*
 * Bytes of @s that fit @room columns, up to the gap between two facts, else up to a blank after a word; all if there is
 * none.
 */
static size_t fold_at(const char *s, size_t n, size_t room)
{
	size_t width = 0, blank = 0, gap = 0, i;
	bool words = false;

	for (i = 0; i < n && (width <= room || !blank); i++) {
		if (s[i] == '\033') {
			i += strcspn(s + i, "m");
			continue;
		}
		if (s[i] == ' ' && words)
			blank = i;
		if (s[i] == ' ' && words && i + 1 < n && s[i + 1] == ' ')
			gap = i;
		words |= s[i] != ' ' && s[i] != '\t';
		width += s[i] == '\t' ? 8 - width % 8 : ((unsigned char)s[i] & 0xc0) != 0x80;
	}
	return width <= room || !blank ? n : gap ? gap : blank;
}

static void put_folded(struct out *o, const char *s, size_t n, size_t room)
{
	const size_t indent = strspn(s, "\t "), deeper = indent < n ? indent : 0;
	size_t at = fold_at(s, n, room), width = 2;

	for (size_t i = 0; i < deeper; i++)
		width += s[i] == '\t' ? 8 : 1;
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
