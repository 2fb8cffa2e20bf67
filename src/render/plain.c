/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/paint.h"
#include "record/field.h"
#include "record/view.h"
#include "render/plain_shape.h"
#include "render/render.h"
#include "render/text.h"

/* A block that is being printed. */
struct block {
	struct out *out;
	const struct plain *plain;
	const void *rec;
	const char *indent; /* start of the lines after the first */
	unsigned line;	    /* of the next field, if not at_start */
	bool empty;	    /* nothing printed yet */
	bool at_start;	    /* nothing printed on this line yet */
	bool unknown;
};

/* Begin the field's line, unless it is the current one. */
static void begin_line(struct block *b, const struct field *f)
{
	bool begins = b->empty || b->line != f->line;

	if (b->line != f->line) {
		b->line = f->line;
		b->at_start = true;
		if (!b->empty) {
			out_char(b->out, '\n');
			out_str(b->out, b->indent);
		}
	}
	if (begins && b->plain->margin)
		b->plain->margin(b->plain->ctx, f->line, b->out);
	b->empty = false;
}

/* Write a template up to the position of its value; returns the text after it. */
static const char *put_before(struct out *o, const char *plain)
{
	const char *at = strchrnul(plain, '%');

	out_bytes(o, plain, (size_t)(at - plain));
	return at + (*at == '%');
}

/* Write the template's text after the value. */
static void put_after(struct out *o, const struct plain_slot *s, const struct value *v)
{
	if (!s->plural) {
		if (s->after)
			out_str(o, s->after);
		return;
	}
	out_bytes(o, s->after, (size_t)(s->plural - s->after));
	out_str(o, v->avail == AVAIL_YES && v->u == 1 ? "" : "s");
	out_str(o, s->plural + strlen("(s)"));
}

/* Colour only the part of the text that the field selects. */
static void put_partly(struct out *o, const struct field *f, const struct value *v, enum role role)
{
	size_t at, n, rest;
	struct out text;

	out_init(&text, -1);
	render_value(&text, f, v, VALUE_PLAIN);
	rest = text.n;
	out_char(&text, '\0');
	if (f->painted(text.buf, &at, &n)) {
		out_bytes(o, text.buf, at);
		out_paint(o, role);
		out_bytes(o, text.buf + at, n);
		out_paint(o, ROLE_NONE);
		rest -= at + n;
	}
	out_bytes(o, text.buf + text.n - 1 - rest, rest);
	out_close(&text, NULL);
}

/* Align numbers of one width, and what follows texts of one width. */
static void put_padded(struct out *o, const struct field *f, const struct value *v, enum role role)
{
	bool brief = f->unit == FU_SIZE && (f->flags & FIELD_SHORT);
	struct out cell;
	size_t n;

	if (f->painted)
		return put_partly(o, f, v, role);
	if (!f->width) {
		out_paint(o, role);
		render_value(o, f, v, brief ? VALUE_TABLE : VALUE_PLAIN);
		out_paint(o, ROLE_NONE);
		return;
	}
	out_init(&cell, -1);
	render_value(&cell, f, v, VALUE_PLAIN);
	n = render_width(cell.buf, cell.n);
	if (f->type == FT_UINT && n < f->width)
		render_pad(o, f->width - n);
	out_paint(o, role);
	out_bytes(o, cell.buf, cell.n);
	out_paint(o, ROLE_NONE);
	if (f->type != FT_UINT && n < f->width)
		render_pad(o, f->width - n);
	out_close(&cell, NULL);
}

static void put_painted(struct block *b, const struct plain_slot *s, const struct value *v, enum role role)
{
	size_t skip;

	begin_line(b, s->f);
	/* The blanks separate it from the text before; at the start of a line they are left out. */
	skip = b->at_start ? s->blanks : 0;
	out_bytes(b->out, s->before + skip, s->n - skip);
	put_padded(b->out, s->f, v, role);
	put_after(b->out, s, v);
	b->at_start = false;
}

static void put_value(struct block *b, const struct plain_slot *s, const struct value *v)
{
	put_painted(b, s, v, field_role(s->f, v));
}

/* A fixed text in place of a value: "yes|no", or one that is printed if the value is not zero. */
static void plain_word_put(struct block *b, const struct field *f, const struct value *v)
{
	const char *bar = f->type == FT_BOOL ? strchr(f->plain, '|') : NULL;
	const char *text = f->plain;
	size_t n = bar ? (size_t)(bar - text) : strlen(text), skip;

	if (v->avail != AVAIL_YES)
		return;
	if (value_is_zero(v)) {
		if (!bar)
			return;
		text = bar + 1;
		n = strlen(text);
	}
	if (!n)
		return;
	begin_line(b, f);
	skip = b->at_start ? strspn(text, " ") : 0;
	out_bytes(b->out, text + skip, n - skip);
	b->at_start = false;
}

static void put_each(struct block *b, const struct plain_slot *s, const struct value *v)
{
	const struct field *f = s->f;
	uint32_t i;

	if (f->type == FT_ROWS && f->rows->head && v->list.n) {
		begin_line(b, f);
		out_str(b->out, f->rows->head);
		b->at_start = false;
	}
	for (i = 0; i < v->list.n; i++) {
		struct value elem = value_elem(f, v, i);

		if (f->type == FT_ROWS) {
			elem = *v;
			elem.list.p = (const char *)v->list.p + (size_t)i * v->list.stride;
			elem.list.n = 1;
		}
		if (i || (b->line == f->line && !b->at_start))
			out_str(b->out, "\n\t");
		b->at_start = true;
		put_value(b, s, &elem);
	}
}

static void put_keyed(struct block *b, const struct field *f, const struct value *v)
{
	const struct schema *s = f->rows;
	const char *row = v->list.p;
	struct value cell;
	uint32_t i;

	if (!v->list.n)
		return;
	begin_line(b, f);
	if (f->plain)
		out_str(b->out, f->plain);
	else
		out_fmt(b->out, "%s:", f->name);
	b->at_start = false;
	for (i = 0; i < v->list.n && s->n >= 2; i++, row += v->list.stride) {
		out_str(b->out, "\n\t\t");
		cell = field_get(s, &s->fields[0], row);
		render_value(b->out, &s->fields[0], &cell, VALUE_PLAIN);
		out_str(b->out, " = ");
		cell = field_get(s, &s->fields[1], row);
		render_value(b->out, &s->fields[1], &cell, VALUE_PLAIN);
	}
}

static void pad_cell(struct out *o, const struct field *f, size_t width)
{
	if (width < f->width)
		render_pad(o, f->width - width);
}

static void rows_head_put(struct out *o, const struct schema *s)
{
	size_t i, n;

	for (i = 0; i < s->n; i++) {
		const char *text = s->fields[i].title ? s->fields[i].title : s->fields[i].name;

		if (i)
			out_char(o, ' ');
		out_str(o, text);
		n = strlen(text);
		if (!n || text[n - 1] != ' ')
			pad_cell(o, &s->fields[i], n);
	}
}

static void put_row(struct out *o, struct out *cell, const struct schema *s, const void *row)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		const struct field *f = &s->fields[i];
		const char *plain = f->plain ? f->plain : "%";
		struct value v = field_get(s, f, row);

		cell->n = 0;
		if (v.avail != AVAIL_NO && (strchr(plain, '%') || !value_is_zero(&v))) {
			const char *after = put_before(cell, plain);

			if (strchr(plain, '%'))
				render_value(cell, f, &v, VALUE_PLAIN);
			out_str(cell, after);
		}
		if (i)
			out_char(o, ' ');
		out_bytes(o, cell->buf, cell->n);
		pad_cell(o, f, render_width(cell->buf, cell->n));
	}
}

static void put_rows(struct block *b, const struct field *f, const struct value *v)
{
	const char *row = v->list.p;
	struct out cell;
	uint32_t i;

	if (!v->list.n)
		return;
	begin_line(b, f);
	if (!b->at_start)
		out_str(b->out, "\n\t");
	rows_head_put(b->out, f->rows);
	out_init(&cell, -1);
	for (i = 0; i < v->list.n; i++, row += v->list.stride) {
		out_str(b->out, "\n\t");
		put_row(b->out, &cell, f->rows, row);
	}
	out_close(&cell, NULL);
	b->at_start = false;
}

/* A text that the field formats itself. */
static void put_text(struct block *b, const struct plain_slot *slot, const struct value *v)
{
	char buf[256];
	size_t n = slot->f->text(b->rec, buf, sizeof(buf));
	struct value text = { .avail = AVAIL_YES, .type = FT_STR, .s = buf };
	STR s = { 0 };

	if (!n)
		return;
	if (v->avail == AVAIL_UNKNOWN) {
		b->unknown |= value_is_missing(v);
		text = *v;
	} else if (n >= sizeof(buf)) {
		str_reserve(&s, n);
		slot->f->text(b->rec, s.p, n + 1);
		text.s = s.p;
	}
	put_painted(b, slot, &text, field_role(slot->f, v));
}

static void put_field(struct block *b, const struct plain_slot *s, const struct value *v)
{
	const struct field *f = s->f;
	bool known = v->avail == AVAIL_YES;

	if (f->text) {
		put_text(b, s, v);
		return;
	}
	if (v->avail == AVAIL_NO || ((f->flags & FIELD_PLAIN_NZ) && known && value_is_zero(v)))
		return;
	b->unknown |= value_is_missing(v);
	if (known && f->type == FT_ROWS && (f->flags & FIELD_KEYED) && !f->rows->text)
		put_keyed(b, f, v);
	else if (known && f->type == FT_ROWS && !f->rows->text)
		put_rows(b, f, v);
	else if (known && (f->type == FT_LIST || f->type == FT_ROWS) && (f->flags & FIELD_EACH))
		put_each(b, s, v);
	else if (!s->after)
		plain_word_put(b, f, v);
	else
		put_value(b, s, v);
}

struct plain_block plain_put(struct plain *p, const struct schema *s, const struct view *view, unsigned skip,
			     const void *rec)
{
	const struct plain_shape *l = plain_shape_of(p, s, view, skip, rec);
	struct block b = {
		.out = p->out,
		.plain = p,
		.rec = rec,
		.indent = s->indent ? s->indent : "\t",
		.empty = true,
		.at_start = true,
	};

	for (size_t i = 0; i < l->nshown; i++) {
		const struct plain_slot *slot = l->shown[i];
		struct value v;

		if (slot != l->slots && (slot->f->flags & FIELD_ELSE)) {
			field_read(slot[-1].s, slot[-1].f, rec, &v);
			if (v.avail != AVAIL_NO)
				continue;
		}
		field_read(slot->s, slot->f, rec, &v);
		put_field(&b, slot, &v);
	}
	return (struct plain_block){ .empty = b.empty, .unknown = b.unknown };
}

static void plain_begin(struct render *r)
{
	struct plain *p = arena_alloc(r->arena, sizeof(*p));

	*p = (struct plain){ .out = r->out, .arena = r->arena, .hide = r->hide };
	r->priv = p;
}

static void plain_section(struct render *r)
{
	struct plain *p = r->priv;

	p->shapes = NULL;
}

static void plain_record(struct render *r, const void *rec)
{
	r->unknown += plain_put_folded(r->priv, r->schema, r->view, render_skip(r), rec).unknown;
}

static void plain_end(struct render *r)
{
	r->priv = NULL;
}

const struct render_ops render_plain = {
	.name = "plain",
	.help = "text, a block for each record",
	.begin = plain_begin,
	.section = plain_section,
	.record = plain_record,
	.end = plain_end,
};

void render_plain_headline(struct out *o, const struct schema *s, const void *rec)
{
	ARENA a = arena_new();
	struct plain p = { .out = o, .arena = a, .headline = true };

	plain_put(&p, s, NULL, 0, rec);
}
