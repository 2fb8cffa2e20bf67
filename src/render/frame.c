/* SPDX-License-Identifier: BSD-2-Clause */
#include "render/frame.h"

#include "base/paint.h"
#include "render/text.h"

void frame_begin(struct frame *f)
{
	f->columns = out_columns(f->out);
	f->rows = out_rows(f->out);
	f->used = 0;
	/* The first picture needs an empty screen; its contents scroll up. */
	if (!f->drawn++)
		for (unsigned i = 1; i < f->rows; i++)
			out_char(f->out, '\n');
	out_str(f->out, "\033[H");
}

int frame_line(struct frame *f)
{
	if (f->used + 1 >= f->rows)
		return 0;
	out_str(f->out, f->used++ ? "\033[K\n" : "");
	f->filled = 0;
	return 1;
}

void frame_put(struct frame *f, const char *text, size_t n)
{
	if (frame_line(f))
		frame_add(f, text, n);
}

void frame_put_painted(struct frame *f, const char *text, size_t n)
{
	size_t end = 0, len, width;

	if (!frame_line(f))
		return;
	for (; end < n; end += len, f->filled += width) {
		len = render_char(text + end, n - end, &width);
		if (f->filled + width > f->columns)
			break;
	}
	out_bytes(f->out, text, end);
	if (end < n)
		out_paint(f->out, ROLE_NONE);
}

void frame_add(struct frame *f, const char *text, size_t n)
{
	size_t i = 0, len, width;

	for (; i < n && f->filled < f->columns; i += len, f->filled += width) {
		len = render_char(text + i, n - i, &width);
		if (!str_utf8(text + i, n - i) || (unsigned char)text[i] < ' ' || text[i] == 0x7f) {
			len = 1;
			width = 4; /* an escaped byte */
		}
		if (f->filled + width > f->columns)
			break;
		out_textn(f->out, text + i, len);
	}
}

void frame_text(const struct frame *f, struct out *ret)
{
	out_init(ret, -1);
	ret->tty = f->out->tty;
	ret->color = f->out->color;
	ret->wide = f->out->wide;
	ret->palette = f->out->palette;
}

void frame_lines(struct frame *f, const struct out *text)
{
	const char *end;

	for (const char *line = text->buf; line < text->buf + text->n; line = end + 1) {
		end = memchr(line, '\n', text->n - (size_t)(line - text->buf));
		if (!end)
			end = text->buf + text->n;
		frame_put_painted(f, line, (size_t)(end - line));
	}
}

void frame_end(struct frame *f)
{
	out_str(f->out, "\033[K\n\033[J");
	out_flush(f->out);
}

void frame_draw(struct frame *f, struct out *text)
{
	frame_begin(f);
	frame_lines(f, text);
	frame_end(f);
	out_close(text, NULL);
}
