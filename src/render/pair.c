/* SPDX-License-Identifier: BSD-2-Clause */

#include "render/text.h"

#define BETWEEN " | "
#define DEEPER 8 /* more blanks before a continued line */

/*
 * The rest of one of the two texts, and the colour in effect at this position: the text from its escape sequence on, or
 * NULL.
 */
struct pair_side {
	const char *s, *paint;
	size_t n;
};

static size_t line_length(const struct out *text)
{
	return text->n && text->buf[text->n - 1] == '\n' ? text->n - 1 : text->n;
}

/*
 * Copy the text without the newline at its end; other newlines become blanks, and a tab the blanks it takes at its
 * column.
 */
static void untab(const struct out *text, size_t column, struct out *ret)
{
	size_t at = column, width;

	out_init(ret, -1);
	for (const char *p = text->buf, *end = p + line_length(text); p < end; at += width) {
		const size_t n = render_char(p, (size_t)(end - p), &width);

		if (*p == '\t') {
			width = 8 - at % 8;
			render_pad(ret, width);
		} else {
			out_bytes(ret, *p == '\n' ? " " : p, n);
		}
		p += n;
	}
	out_char(ret, '\0');
	ret->n--;
}

/* Bytes that fit: up to the last blank after a word, or, if there is none, as many as there is room for. */
static size_t fitting_part(const struct pair_side *s, size_t room)
{
	size_t width = 0, blank = 0, i = 0, next, one;
	bool words = false;

	for (; i < s->n; i = next) {
		next = i + render_char(s->s + i, s->n - i, &one);
		if (s->s[i] == ' ' && words)
			blank = i;
		width += one;
		if (width > room)
			break;
		words |= s->s[i] != ' ';
	}
	return i == s->n || !blank ? i : blank;
}

/* Print one line of the text. Returns its columns. */
static size_t side_put(struct pair_side *s, size_t room, bool first, struct out *o)
{
	const size_t deeper = first || room < 2 * DEEPER ? 0 : DEEPER, n = fitting_part(s, room - deeper),
		     width = render_width(s->s, n);

	render_pad(o, deeper);
	if (s->paint)
		out_bytes(o, s->paint, strcspn(s->paint, "m") + 1);
	out_bytes(o, s->s, n);
	for (const char *p = s->s; (p = memchr(p, '\033', (size_t)(s->s + n - p))); p++)
		s->paint = str_starts(p, "\033[0m") ? NULL : p;
	if (s->paint)
		out_str(o, "\033[0m");
	s->s += n;
	s->n -= n;
	while (s->n && *s->s == ' ')
		s->s++, s->n--;
	return deeper + width;
}

static void whole_put(const struct out *left, const struct out *right, size_t pad, struct out *o)
{
	out_bytes(o, left->buf, line_length(left));
	if (right) {
		render_pad(o, pad);
		out_str(o, BETWEEN);
		out_bytes(o, right->buf, line_length(right));
	}
	out_char(o, '\n');
}

void render_pair(const struct out *left, const struct out *right, size_t column, size_t columns, struct out *o)
{
	const size_t second = column + strlen(BETWEEN);
	struct out l, r;
	struct pair_side a, b;
	size_t width;

	untab(left, 0, &l);
	width = render_width(l.buf, l.n);
	untab(right, (width > column ? width : column) + strlen(BETWEEN), &r);
	a = (struct pair_side){ l.buf, NULL, l.n };
	b = (struct pair_side){ r.buf, NULL, r.n };
	/* A left text that is too wide moves the right one, as long as both fit. */
	if (!columns ||
	    (width > column && r.n ? width - column : 0) + (r.n ? second + render_width(r.buf, r.n) : width) <=
		    columns) {
		whole_put(left, r.n ? right : NULL, width < column ? column - width : 0, o);
		a.n = b.n = 0;
	}
	for (bool first = true; a.n || b.n; first = false) {
		width = a.n ? side_put(&a, r.n ? column : columns, first, o) : 0;
		if (b.n) {
			render_pad(o, width < column ? column - width : 0);
			out_str(o, BETWEEN);
			side_put(&b, columns > second + DEEPER ? columns - second : DEEPER, first, o);
		}
		out_char(o, '\n');
	}
	out_close(&l, NULL);
	out_close(&r, NULL);
}
