/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/paint.h"
#include "record/field.h"
#include "record/view.h"
#include "render/fit.h"
#include "render/render.h"
#include "render/text.h"

struct column {
	const char *name, *title;
	const struct field *f; /* of the first row that has a field of that name; NULL: none yet */
	size_t width;
	bool asked;  /* requested by name: not left out */
	bool named;  /* the rows are sorted or selected by it */
	bool filled; /* one of the rows has a value */
	bool gone;   /* it does not fit */
};
struct cell {
	const char *text;
	size_t n, width;
	enum role role;
};
struct row {
	struct row *next;
	struct cell cells[];
};
/* The section that is being collected. */
struct table {
	struct column *cols;
	size_t ncols;
	struct row *first, **last;
	bool printed; /* an earlier section was printed */
	size_t nrows;
	bool flows;	 /* the columns are as wide as they will be: each row is printed at once */
	bool one_line;	 /* of struct render */
	size_t room;	 /* characters per line; 0: no limit */
	struct out text; /* a cell while it is written */
};

static void table_begin(struct render *r)
{
	struct table *t = arena_alloc(r->arena, sizeof(*t));

	out_init(&t->text, -1);
	t->room = out_line(r->out);
	t->one_line = r->one_line;
	r->priv = t;
}

static const char *capitals(struct arena *a, const char *name)
{
	char *s = arena_str(a, name, strlen(name)), *p;

	for (p = s; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	return s;
}

static bool is_right_aligned(const struct field *f)
{
	return f && (f->type == FT_UINT || f->type == FT_INT || f->type == FT_REAL);
}

static bool is_prose(const struct field *f)
{
	return f && f->flags & FIELD_PROSE;
}

/* A part of a number, a time or a word of the kernel would be another one. */
static bool is_whole(const struct field *f)
{
	return is_right_aligned(f) ||
	       (f && (f->type == FT_TIME || f->type == FT_ENUM || f->type == FT_BYTES || f->type == FT_BOOL ||
		      f->role == ROLE_KIND || f->role == ROLE_ID || f->flags & FIELD_SHORT));
}

/* What the question was about: a longer cell goes on beyond its column. */
static bool is_answer(const struct column *c)
{
	const uint32_t flags = c->f ? c->f->flags : 0;

	return c->named || flags & (FIELD_PROSE | FIELD_ANSWER) || (flags & FIELD_DEFAULT && c->f->role == ROLE_NAME);
}

static void column_field(struct render *r, struct column *c, const struct field *f)
{
	size_t width;

	c->f = f;
	if (!f->title)
		return;
	c->title = capitals(r->arena, f->title);
	width = render_width(c->title, strlen(c->title));
	if (r->headings && width > c->width)
		c->width = width;
}

static struct column *column_add(struct render *r, struct table *t, const char *name, bool asked)
{
	struct column *c = &t->cols[t->ncols++];
	const struct field *f = schema_find(r->schema, NULL, name, NULL);

	c->name = name;
	c->asked = asked;
	c->title = capitals(r->arena, name);
	if (f)
		column_field(r, c, f);
	if (r->headings && !(f && f->title))
		c->width = strlen(c->title);
	return c;
}

/* Each further line of the text begins at column @at. */
static void put_lines(struct out *o, const char *text, size_t n, size_t width, size_t at)
{
	size_t line = fit_line(text, n, width);

	out_bytes(o, text, line);
	while (text += line, n -= line, n) {
		text += *text == ' ';
		n -= text[-1] == ' ';
		line = fit_line(text, n, width);
		out_char(o, '\n');
		render_pad(o, at);
		out_bytes(o, text, line);
	}
}

/* Print a cell that begins at column @at. Returns where it ends. */
static size_t put_cell(const struct table *t, struct out *o, const struct column *c, const struct cell *cell, size_t at,
		       bool last)
{
	const bool right = is_right_aligned(c->f), fits = !t->room || cell->width <= c->width;
	const size_t pad = right && c->width > cell->width ? c->width - cell->width : 0,
		     room = last && is_prose(c->f) ? c->width :
			    t->room > at	   ? t->room - at :
						     1;
	size_t width = cell->width;
	STR narrow = { 0 };

	render_pad(o, pad);
	if (cell->role)
		out_paint(o, cell->role);
	if (fits || is_whole(c->f) || (t->flows && (last || is_answer(c)))) {
		out_bytes(o, cell->text, cell->n);
	} else if (is_answer(c) && !t->one_line) {
		put_lines(o, cell->text, cell->n, room, at);
	} else {
		fit_text(&narrow, cell->text, cell->n, c->width);
		out_bytes(o, narrow.p, narrow.n);
		width = render_width(narrow.p, narrow.n);
	}
	if (cell->role)
		out_paint(o, ROLE_NONE);
	return at + pad + width;
}

/* After a cell that is too wide for its column, the row goes on below it. In a stream, and without a limit, on the same
 * line. */
static void put_cells(struct out *o, const struct table *t, const struct cell *cells)
{
	size_t last = t->ncols, at = 0, is = 0;

	while (last && t->cols[last - 1].gone)
		last--;
	for (size_t i = 0; i < last; i++) {
		const struct column *c = &t->cols[i];

		if (c->gone)
			continue;
		if (at && is > at - FIT_GAP && t->room && !t->flows) {
			out_char(o, '\n');
			is = 0;
		}
		if (at && is + FIT_GAP > at)
			at = is + FIT_GAP;
		render_pad(o, at - is);
		is = put_cell(t, o, c, &cells[i], at, i + 1 == last);
		at += c->width + FIT_GAP;
	}
}

static void left_out(struct render *r, const char *name)
{
	r->left_out = r->left_out ? arena_fmt(r->arena, "%s, %s", r->left_out, name) : name;
}

#define READABLE ((size_t)15) /* characters that are usually enough to distinguish names: the kernel keeps as many */
#define SENTENCE ((size_t)32)
#define CRAMPED ((size_t)8)

static size_t least_of(const struct table *t, size_t i, bool cramped)
{
	const struct column *c = &t->cols[i];
	const bool last = i + 1 == t->ncols;
	size_t least = last && is_prose(c->f) ? SENTENCE :
		       last && t->flows	      ? CRAMPED - 1 :
		       cramped		      ? CRAMPED :
						READABLE;

	return is_whole(c->f) || c->width < least ? c->width : least;
}

/*
 * Columns leave in this order: those without a value in any row, those that the field ranks, then the last ones. The
 * first column, answers and what was asked for stay.
 */
static uint16_t drop_of(const struct table *t, size_t i)
{
	const struct column *c = &t->cols[i];

	if (!i || c->asked || is_answer(c))
		return 0;
	if (t->first && !c->filled)
		return FIT_EMPTY;
	return c->f && c->f->drop ? (uint16_t)(UINT8_MAX + c->f->drop) : (uint16_t)(i < UINT8_MAX ? i : UINT8_MAX);
}

static size_t columns_narrow(struct table *t, struct fit *fit, bool cramped)
{
	for (size_t i = 0; i < t->ncols; i++) {
		const struct column *c = &t->cols[i];

		fit[i] = (struct fit){ .width = c->width ? c->width : 1, .drop = drop_of(t, i) };
		fit[i].least = c->width ? least_of(t, i, cramped) : 1;
	}
	return fit_columns(fit, t->ncols, t->room);
}

static void columns_fit(struct render *r, struct table *t)
{
	ARENA_SCOPE(r->arena);
	struct fit *fit = arena_array(r->arena, t->ncols, sizeof(*fit));

	if (columns_narrow(t, fit, false) > t->room)
		columns_narrow(t, fit, true);
	for (size_t i = 0; i < t->ncols; i++) {
		t->cols[i].width = fit[i].width;
		t->cols[i].gone = fit[i].gone;
	}
}

static void columns_left_out(struct render *r, const struct table *t)
{
	for (size_t i = 0; i < t->ncols; i++)
		if (t->cols[i].gone)
			left_out(r, t->cols[i].name);
}

static void put_headings(struct render *r, const struct table *t)
{
	struct cell *heads = arena_array(r->arena, t->ncols, sizeof(*heads));
	size_t i;

	for (i = 0; i < t->ncols; i++) {
		heads[i].text = t->cols[i].title;
		heads[i].n = strlen(heads[i].text);
		heads[i].width = render_width(heads[i].text, heads[i].n);
	}
	out_paint(r->out, ROLE_HEADING);
	put_cells(r->out, t, heads);
	out_paint(r->out, ROLE_NONE);
	out_char(r->out, '\n');
}

static void table_print(struct render *r)
{
	struct table *t = r->priv;
	const struct row *row;

	if (!t->ncols || t->flows || (!t->first && !r->headings))
		return;
	if (t->printed)
		out_char(r->out, '\n');
	t->printed = true;
	if (t->room)
		columns_fit(r, t);
	columns_left_out(r, t);
	if (r->headings)
		put_headings(r, t);
	for (row = t->first; row && !out_dead(r->out); row = row->next) {
		put_cells(r->out, t, row->cells);
		out_char(r->out, '\n');
	}
}

/* The default columns; sentences are last, where they have room. */
static void columns_usual(struct render *r, struct table *t)
{
	const struct field *f = r->schema->fields;

	for (int prose = false; prose <= true; prose++)
		for (size_t i = 0; i < r->schema->n; i++)
			if (f[i].flags & FIELD_DEFAULT && is_prose(&f[i]) == prose)
				column_add(r, t, f[i].name, false);
}

/* The column of that name, or of the field's other name. */
static struct column *shown_column(const struct render *r, struct table *t, const char *name)
{
	const struct field *f = schema_find(r->schema, NULL, name, NULL);

	for (size_t i = 0; i < t->ncols; i++)
		if (!strcmp(t->cols[i].name, name) || (f && f == t->cols[i].f))
			return &t->cols[i];
	return NULL;
}

/* Those of the view, else the default ones, and what it sorts and selects by, unless it has all columns by name. */
static void columns_choose(struct render *r, struct table *t)
{
	const struct view *v = r->view;

	for (size_t i = 0; v && i < v->ncols; i++)
		column_add(r, t, v->cols[i], i >= v->nusual);
	if (!t->ncols)
		columns_usual(r, t);
	for (size_t i = 0; v && i < v->nkeys; i++) {
		struct column *c = shown_column(r, t, v->keys[i]);

		if (!c && (!v->ncols || v->nusual))
			c = column_add(r, t, v->keys[i], true);
		if (c)
			c->named = true;
	}
}

static void table_section(struct render *r)
{
	struct table *t = r->priv;
	const struct view *v = r->view;

	table_print(r);
	t->ncols = t->nrows = 0;
	t->flows = false;
	t->first = NULL;
	t->last = &t->first;
	t->cols =
		arena_array(r->arena, (v && v->ncols ? v->ncols : r->schema->n) + (v ? v->nkeys : 0), sizeof(*t->cols));
	columns_choose(r, t);
}

#define LONG_AGO \
	((uint64_t)100 * 24 * 60 * 60) /* for longer ago a date is better; a later time is from another clock */

static bool put_ago(struct out *o, const struct value *v, uint64_t now)
{
	char span[NUM_SPAN];

	if (v->avail != AVAIL_YES || v->u > now || now - v->u >= LONG_AGO)
		return false;
	out_fmt(o, "%s ago", num_span(span, now - v->u));
	return true;
}

/*
 * Characters that a column takes at most if lines have no limit: a longer cell moves the rest of its row, rather than
 * padding all other rows.
 */
#define WIDEST ((size_t)256)

static void column_widen(const struct table *t, struct column *c, size_t width)
{
	if (width > c->width && (t->room || width <= WIDEST))
		c->width = width;
}

/* True if the value exists but could not be read. */
static bool make_cell(struct render *r, struct table *t, struct column *c, struct cell *cell, const void *rec)
{
	const struct schema *in = NULL;
	const struct field *f = schema_find(r->schema, rec, c->name, &in);
	struct value v = { .avail = AVAIL_NO };
	bool quoted;

	if (f && !c->f)
		column_field(r, c, f);
	if (f)
		v = field_get(in, f, rec);
	quoted = v.type == FT_JSON && v.avail == AVAIL_YES && value_keeps_quotes(v.s);
	t->text.n = 0;
	if (f && v.avail != AVAIL_NO && !(f->type == FT_TIME && put_ago(&t->text, &v, r->now)))
		render_value(&t->text, f, &v, quoted ? VALUE_PLAIN : VALUE_TABLE);
	render_untab(&t->text, 0);
	c->filled |= t->text.n;
	/* With an empty cell, a reader, or awk, would take the next column for this one. */
	if (!t->text.n)
		out_char(&t->text, '-');
	cell->text = arena_dup(r->arena, t->text.buf, t->text.n);
	cell->n = t->text.n;
	cell->role = f && v.avail != AVAIL_NO ? field_role(f, &v) : ROLE_NONE;
	cell->width = render_width(cell->text, cell->n);
	column_widen(t, c, cell->width);
	return value_is_missing(&v);
}

static void table_end(struct render *r)
{
	struct table *t = r->priv;

	table_print(r);
	out_close(&t->text, NULL);
	r->priv = NULL;
}

/*
 * The width that later rows need is not known: columns are as wide as the field defines, and a wider cell moves the
 * rest of its row.
 */
static void rows_section(struct render *r)
{
	struct table *t = r->priv;

	table_section(r);
	for (size_t i = 0; i < t->ncols; i++)
		if (t->cols[i].f && t->cols[i].f->width > t->cols[i].width)
			t->cols[i].width = t->cols[i].f->width;
	t->flows = true;
	if (t->room)
		columns_fit(r, t);
	columns_left_out(r, t);
	if (r->headings)
		put_headings(r, t);
	t->printed = true;
}

static void rows_record(struct render *r, const void *rec)
{
	struct table *t = r->priv;
	ARENA_SCOPE(r->arena);
	struct cell *cells = arena_array(r->arena, t->ncols, sizeof(*cells));
	bool unknown = false;

	for (size_t i = 0; i < t->ncols; i++) {
		const size_t width = t->cols[i].width;

		unknown |= make_cell(r, t, &t->cols[i], &cells[i], rec);
		t->cols[i].width = width;
	}
	put_cells(r->out, t, cells);
	out_char(r->out, '\n');
	r->unknown += unknown;
}

static void table_record(struct render *r, const void *rec)
{
	struct table *t = r->priv;
	struct row *row;
	bool unknown = false;

	if (t->flows)
		return rows_record(r, rec);
	row = arena_alloc(r->arena, sizeof(*row) + t->ncols * sizeof(row->cells[0]));
	for (size_t i = 0; i < t->ncols; i++)
		unknown |= make_cell(r, t, &t->cols[i], &row->cells[i], rec);
	*t->last = row;
	t->last = &row->next;
	r->unknown += unknown;
	if (++t->nrows == r->measure) {
		table_print(r);
		t->flows = true;
	}
}

static void rows_end(struct render *r)
{
	struct table *t = r->priv;

	out_close(&t->text, NULL);
	r->priv = NULL;
}

const struct render_ops render_rows = {
	.name = "rows",
	.help = "columns, a line for each record, printed at once",
	.begin = table_begin,
	.section = rows_section,
	.record = rows_record,
	.end = rows_end,
};

const struct render_ops render_table = {
	.name = "table",
	.help = "columns, a line for each record",
	.begin = table_begin,
	.section = table_section,
	.record = table_record,
	.end = table_end,
};
