/* SPDX-License-Identifier: BSD-2-Clause */
#include "render/html.h"

#include "record/edge.h"
#include "record/field.h"
#include "record/view.h"
#include "render/render.h"
#include "render/text.h"

/* Escape markup in text that out_text() and similar functions have made safe for a terminal. */
static void markup_put(struct out *o, const char *s, size_t n)
{
	static const char special[] = "&<>\"'";
	static const char *const entity[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };

	for (size_t i = 0; i < n; i++) {
		const char *at = s[i] ? strchr(special, s[i]) : NULL;

		if (at)
			out_str(o, entity[at - special]);
		else
			out_char(o, s[i]);
	}
}

void html_text(struct out *o, const char *text)
{
	struct out safe;

	out_init(&safe, -1);
	out_text(&safe, text);
	markup_put(o, safe.buf, safe.n);
	out_close(&safe, NULL);
}

void html_begin(struct out *o, const char *title)
{
	out_str(o,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
		"script-src '" HTML_SCRIPT_HASH
		"'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
	html_text(o, title);
	out_str(o, "</title>\n<style>\n");
	out_str(o, html_style);
	out_str(o, "</style>\n</head>\n<body>\n<h1>");
	html_text(o, title);
	out_str(o, "</h1>\n");
}

void html_end(struct out *o)
{
	out_str(o, "<script>");
	out_str(o, html_script);
	out_str(o, "</script>\n</body>\n</html>\n");
}

void html_section(struct out *o, const char *id, const char *heading)
{
	out_fmt(o, "<section id=\"%s\">\n<h2>", id);
	html_text(o, heading);
	out_str(o, "</h2>\n");
}

void html_section_end(struct out *o)
{
	out_str(o, "</section>\n");
}

void html_copy(struct out *o, struct out *text)
{
	while (text->n && text->buf[text->n - 1] == '\n')
		text->n--;
	markup_put(o, text->buf, text->n);
	text->n = 0;
}

void html_lines(struct out *o, struct out *text)
{
	out_str(o, "<p class=\"lines\">");
	html_copy(o, text);
	out_str(o, "</p>\n");
}

void html_missing(struct out *o, const char *sentence)
{
	out_str(o, "<p class=\"missing\">");
	html_text(o, sentence);
	out_str(o, "</p>\n");
}

static void value_put(struct out *o, const struct field *f, const struct value *v)
{
	struct out text;

	out_init(&text, -1);
	render_value(&text, f, v, VALUE_TABLE);
	markup_put(o, text.buf, text.n);
	out_close(&text, NULL);
}

void html_field(struct out *o, const struct schema *s, const void *rec, const char *name)
{
	const struct schema *in = NULL;
	const struct field *f = schema_find(s, rec, name, &in);
	struct value v = { .avail = AVAIL_NO };

	if (f)
		v = field_get(in, f, rec);
	out_fmt(o, "<span class=\"%s\">", name);
	if (v.avail != AVAIL_NO)
		value_put(o, f, &v);
	out_str(o, "</span>");
}

void html_heat(struct out *o, double percent)
{
	if (percent > 0)
		out_fmt(o, " style=\"--p:%.1f\"", percent < 100 ? percent : 100);
}

/* State of a list of records. */
struct html {
	size_t records;
	uint64_t last; /* last object; a list may contain one twice */
};

static void list_begin(struct render *r)
{
	r->priv = arena_alloc(r->arena, sizeof(struct html));
}

/* The names of the columns of this section, one per call; @i begins at 0. */
static const char *column_next(const struct render *r, size_t *i)
{
	const struct view *v = r->view;

	if (v && v->ncols)
		return *i < v->ncols ? v->cols[(*i)++] : NULL;
	while (*i < r->schema->n) {
		const struct field *f = &r->schema->fields[(*i)++];

		if (f->flags & FIELD_DEFAULT)
			return f->name;
	}
	return NULL;
}

/* Cells have times with their units. */
static void heading_put(struct out *o, const struct field *f, const char *name)
{
	const size_t n = strlen(name);
	STR bare = { 0 };

	str_add(&bare, name, f && f->unit == FU_NSEC && n > 3 && !strcmp(name + n - 3, "_ns") ? n - 3 : n);
	html_text(o, f && f->title ? f->title : bare.p);
}

static void table_head(const struct render *r)
{
	const char *name;
	size_t i = 0;

	out_str(r->out, "<div class=\"wide\"><table>\n<thead><tr>");
	while ((name = column_next(r, &i))) {
		const struct field *f = schema_find(r->schema, NULL, name, NULL);

		out_str(r->out, "<th scope=\"col\"");
		if (f) {
			out_str(r->out, " title=\"");
			html_text(r->out, f->help);
			out_char(r->out, '"');
		}
		out_char(r->out, '>');
		heading_put(r->out, f, name);
		out_str(r->out, "</th>");
	}
	out_str(r->out, "</tr></thead>\n<tbody>\n");
}

static void table_end(struct render *r)
{
	struct html *h = r->priv;

	if (h->records)
		out_str(r->out, "</tbody>\n</table></div>\n");
	else if (r->schema)
		out_str(r->out, "<p class=\"none\">none</p>\n");
	h->records = 0;
}

static void list_section(struct render *r)
{
}

/* The kind of objects that have an anchor in a page; NULL: no link. */
static const char *linked(const struct field *f)
{
	return f->unit == FU_PROG ? edge_words[EDGE_PROG] :
	       f->unit == FU_MAP  ? edge_words[EDGE_MAP] :
	       f->unit == FU_LINK ? edge_words[EDGE_LINK] :
				    NULL;
}

static void id_put(struct out *o, const struct field *f, const struct value *v)
{
	if (v->avail != AVAIL_YES || v->type != FT_UINT || !v->u) {
		value_put(o, f, v);
		return;
	}
	out_fmt(o, "<a href=\"#%s-%llu\">", linked(f), llu(v->u));
	value_put(o, f, v);
	out_str(o, "</a>");
}

static void cell_content(struct out *o, const struct field *f, const struct value *v)
{
	if (!linked(f)) {
		value_put(o, f, v);
	} else if (v->avail == AVAIL_YES && v->type == FT_LIST) {
		for (uint32_t i = 0; i < v->list.n; i++) {
			struct value elem = value_elem(f, v, i);

			if (i)
				out_str(o, ", ");
			id_put(o, f, &elem);
		}
	} else {
		id_put(o, f, v);
	}
}

/* For sorting: a number whose text may have a unit, or be a date. */
static void html_number_put(struct out *o, const struct value *v)
{
	if (v->avail != AVAIL_YES)
		return;
	if (v->type == FT_UINT || v->type == FT_TIME)
		out_fmt(o, " data-v=\"%llu\"", llu(v->u));
	else if (v->type == FT_INT)
		out_fmt(o, " data-v=\"%lld\"", (long long)v->i);
	else if (v->type == FT_REAL)
		out_fmt(o, " data-v=\"%.17g\"", v->d);
}

/* True if the value exists but could not be read. */
static bool cell_put(const struct render *r, const char *name, const void *rec)
{
	const struct schema *in = NULL;
	const struct field *f = schema_find(r->schema, rec, name, &in);
	struct value v = { .avail = AVAIL_NO };
	struct html *h = r->priv;
	const bool own = r->own && !strcmp(name, "id") && f && linked(f);

	if (f)
		v = field_get(in, f, rec);
	out_str(r->out, "<td");
	if (f && (f->type == FT_UINT || f->type == FT_INT || f->type == FT_REAL))
		out_str(r->out, f->unit == FU_PERCENT ? " class=\"n heat\"" : " class=\"n\"");
	html_number_put(r->out, &v);
	if (f && f->unit == FU_PERCENT && v.avail == AVAIL_YES && v.type == FT_REAL)
		html_heat(r->out, v.d);
	if (own && v.avail == AVAIL_YES && v.u != h->last)
		out_fmt(r->out, " id=\"%s-%llu\"", linked(f), llu(h->last = v.u));
	out_char(r->out, '>');
	if (own)
		value_put(r->out, f, &v);
	else if (v.avail != AVAIL_NO)
		cell_content(r->out, f, &v);
	out_str(r->out, "</td>");
	return value_is_missing(&v);
}

static void list_record(struct render *r, const void *rec)
{
	struct html *h = r->priv;
	bool unknown = false;
	const char *name;
	size_t i = 0;

	if (!h->records++)
		table_head(r);
	out_str(r->out, "<tr>");
	while ((name = column_next(r, &i)))
		unknown |= cell_put(r, name, rec);
	out_str(r->out, "</tr>\n");
	r->unknown += unknown;
}

static void list_end(struct render *r)
{
	table_end(r);
	r->priv = NULL;
}

const struct render_ops render_html = {
	.name = "html",
	.help = "a table of a page",
	.begin = list_begin,
	.section = list_section,
	.record = list_record,
	.end = list_end,
};
