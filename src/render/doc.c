/* SPDX-License-Identifier: BSD-2-Clause */
#include "render/doc.h"

#include "record/field.h"
#include "render/render.h"

void doc_init(struct doc *d, struct out *o, struct jsonw *jw, struct arena *a)
{
	*d = (struct doc){ .plain = { .out = o, .arena = a }, .jw = jw };
}

static void member_name(struct doc *d, const char *name)
{
	if (name)
		jsonw_name(d->jw, name);
}

void doc_list(struct doc *d, const char *name)
{
	if (!d->jw)
		return;
	member_name(d, name);
	jsonw_array(d->jw);
}

void doc_stream(struct doc *d, const char *name)
{
	if (!d->jw || !d->ndjson || name || d->jw->depth) {
		doc_list(d, name);
		return;
	}
	d->streamed = true;
	jsonw_init(&d->line, d->plain.out, false);
	d->jw = &d->line;
}

void doc_object(struct doc *d, const char *name)
{
	if (!d->jw)
		return;
	member_name(d, name);
	jsonw_object(d->jw);
}

/* End a line of NDJSON. */
static void stream_next(struct doc *d)
{
	out_char(d->plain.out, '\n');
	out_flush(d->plain.out);
	jsonw_init(&d->line, d->plain.out, false);
}

void doc_end(struct doc *d)
{
	if (!d->jw || (d->streamed && !d->jw->depth))
		return;
	jsonw_end(d->jw);
	if (d->streamed && !d->jw->depth)
		stream_next(d);
}

void doc_line(struct doc *d, const char *line, size_t n)
{
	if (!d->jw) {
		out_copy(d->plain.out, line, n);
		return;
	}
	jsonw_strn(d->jw, line, n);
	if (d->streamed)
		stream_next(d);
}

void doc_name(struct doc *d, const char *name)
{
	if (d->jw)
		jsonw_name(d->jw, name);
}

static void block_put(struct doc *d, const struct schema *s, const void *rec)
{
	struct plain_block b;

	if (d->folds) {
		d->unread += plain_put_folded(&d->plain, s, NULL, 0, rec).unknown;
		return;
	}
	b = plain_put(&d->plain, s, NULL, 0, rec);
	if (!b.empty)
		out_char(d->plain.out, '\n');
	d->unread += b.unknown;
}

void doc_fields(struct doc *d, const struct schema *s, const void *rec)
{
	if (d->jw)
		render_json_fields(d->jw, s, rec, 0, &d->unread);
	else
		block_put(d, s, rec);
}

void doc_record(struct doc *d, const struct schema *s, const void *rec)
{
	doc_object(d, NULL);
	doc_fields(d, s, rec);
	doc_end(d);
}

void doc_headline(struct doc *d, const struct schema *s, const void *rec)
{
	if (d->jw) {
		render_json_headline(d->jw, s, rec, &d->unread);
		return;
	}
	d->plain.headline = true;
	block_put(d, s, rec);
	d->plain.headline = false;
}

unsigned doc_need(const struct doc *d, const struct schema *s)
{
	return schema_need(s, d->jw ? 0 : FIELD_NOPLAIN | d->plain.hide);
}

static void cell_pad(struct out *o, size_t used, unsigned width)
{
	render_pad(o, used < width ? width - used : 0);
}

void doc_head(struct doc *d, const struct doc_column *columns, size_t n)
{
	struct out *o = d->plain.out;

	if (d->jw)
		return;
	for (size_t i = 0; i < n && columns[i].title; i++) {
		if (i)
			out_char(o, ' ');
		out_str(o, columns[i].title);
		cell_pad(o, strlen(columns[i].title), columns[i].width);
	}
	out_char(o, '\n');
}

static void row_put(struct doc *d, unsigned indent, const struct doc_column *columns, size_t n, const struct schema *s,
		    const void *rec)
{
	struct out cell, buffer, *o = d->plain.out;
	const bool folds = out_line(o);
	size_t over = 0; /* on a terminal, a cell that is too wide takes the blanks after it */
	bool unknown = false;

	if (folds) {
		render_fold(&buffer, o);
		o = &buffer;
	}
	render_pad(o, indent);
	out_init(&cell, -1);
	for (size_t i = 0; i < n; i++) {
		const struct schema *in;
		const struct field *f = schema_find(s, rec, columns[i].field, &in);
		struct value v = field_get(in, f, rec);
		size_t width;

		cell.n = 0;
		if (v.avail != AVAIL_NO)
			render_value(&cell, f, &v, VALUE_PLAIN);
		unknown |= value_is_missing(&v);
		if (i)
			out_char(o, ' ');
		out_bytes(o, cell.buf, cell.n);
		width = render_width(cell.buf, cell.n) + over;
		cell_pad(o, width, columns[i].width);
		over = folds && width > columns[i].width ? width - columns[i].width : 0;
	}
	out_close(&cell, NULL);
	out_char(o, '\n');
	if (folds)
		render_put_folded(&buffer, d->plain.out);
	d->unread += unknown;
}

void doc_row(struct doc *d, unsigned indent, const struct doc_column *columns, size_t n, const struct schema *s,
	     const void *rec)
{
	if (d->jw)
		doc_record(d, s, rec);
	else
		row_put(d, indent, columns, n, s, rec);
}

void doc_text(struct doc *d, const char *text)
{
	if (!d->jw)
		out_str(d->plain.out, text);
}

void doc_hex(struct doc *d, const void *p, size_t n)
{
	if (!d->jw)
		out_hex(d->plain.out, p, n);
}

void doc_null(struct doc *d)
{
	if (d->jw)
		jsonw_null(d->jw);
}

struct jsonw *doc_value(struct doc *d, const char *name)
{
	if (d->jw) {
		member_name(d, name);
		return d->jw;
	}
	jsonw_init(&d->line, d->plain.out, true);
	return &d->line;
}

void doc_draw(struct doc *d, void (*draw)(void *ctx, struct out *o), void *ctx)
{
	if (!d->jw)
		draw(ctx, d->plain.out);
}

void doc_drawn(struct doc *d, const struct schema *s, const void *rec, void (*draw)(void *ctx, struct out *o),
	       void *ctx)
{
	if (d->jw)
		doc_record(d, s, rec);
	else
		draw(ctx, d->plain.out);
}

void doc_text_escape(struct doc *d, const char *text)
{
	if (!d->jw)
		out_text(d->plain.out, text);
}

void doc_margin(struct doc *d, void (*put)(void *ctx, unsigned line, struct out *o), void *ctx)
{
	d->plain.margin = put;
	d->plain.ctx = ctx;
}

bool doc_dead(const struct doc *d)
{
	return out_dead(d->jw ? d->jw->out : d->plain.out);
}

void doc_word(struct doc *d, const struct doc_member *m, const char *word)
{
	if (d->jw) {
		jsonw_name_raw(d->jw, m->json, m->json_n);
		jsonw_str(d->jw, word);
		return;
	}
	out_bytes(d->plain.out, m->before, m->before_n);
	out_text(d->plain.out, word);
}

void doc_number(struct doc *d, const struct doc_member *m, bool minus, uint64_t v)
{
	if (d->jw) {
		jsonw_member_num(d->jw, m->json, m->json_n, minus, v);
		return;
	}
	out_bytes(d->plain.out, m->before, m->before_n);
	if (minus)
		out_char(d->plain.out, '-');
	out_dec(d->plain.out, v);
}

unsigned doc_columns(const struct doc *d)
{
	return d->jw ? 0 : out_columns(d->plain.out);
}

static void side_write(struct doc *d, doc_side *side, void *ctx, struct out *ret)
{
	struct out *to = d->plain.out;

	render_fold(ret, to);
	if (!side)
		return;
	d->plain.out = ret;
	side(ctx, d);
	d->plain.out = to;
}

void doc_pair(struct doc *d, doc_side *left, doc_side *right, void *ctx, size_t column)
{
	struct out l, r, *o = d->plain.out;

	side_write(d, left, ctx, &l);
	side_write(d, right, ctx, &r);
	render_pair(&l, &r, column, o->wide ? 0 : out_columns(o), o);
	out_close(&l, NULL);
	out_close(&r, NULL);
}

void doc_cell(struct doc *d, const struct schema *s, const void *rec)
{
	if (d->jw)
		doc_record(d, s, rec);
	else
		d->unread += plain_put(&d->plain, s, NULL, 0, rec).unknown;
}

struct error_rec {
	const char *error, *name, *hint;
};
#define ERROR_FIELD(m, name, help) FIELD(error_rec, m, name, help, .flags = FIELD_NOPLAIN)
static const struct field error_fields[] = {
	ERROR_FIELD(error, "error", "what failed"),
	ERROR_FIELD(name, "errno", "name of the error, if the command line is right"),
	ERROR_FIELD(hint, "hint", "what to do about it"),
};
const struct schema error_schema = SCHEMA("error", error_rec, error_fields);

void doc_error(struct doc *d, const struct err *e, const struct schema *because, const void *because_rec)
{
	const struct error_rec rec = {
		.error = e->msg,
		.name = e->status == EXIT_USAGE ? NULL : err_name(e->code),
		.hint = e->hint[0] ? e->hint : NULL,
	};

	if (doc_is_text(d))
		return;
	doc_object(d, NULL);
	doc_fields(d, &error_schema, &rec);
	if (because) {
		doc_object(d, "because");
		doc_fields(d, because, because_rec);
		doc_end(d);
	}
	doc_end(d);
}
