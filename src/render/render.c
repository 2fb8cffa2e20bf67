/* SPDX-License-Identifier: BSD-2-Clause */
#include "render/render.h"

#include "record/field.h"
#include "record/view.h"
#include "render/jsonw.h"
#include "render/text.h"

void render_begin(struct render *r)
{
	r->ops->begin(r);
}

void render_section(struct render *r, const struct schema *s, const struct view *v)
{
	r->schema = s;
	r->view = v;
	r->ops->section(r);
}

void render_record(struct render *r, const void *rec)
{
	r->ops->record(r, rec);
}

void render_end(struct render *r)
{
	r->ops->end(r);
}

bool render_joins(const struct render *r)
{
	return r->ops == &render_json || r->ops == &render_ndjson;
}

void render_apart(struct render *r)
{
	r->out->fd = -1;
	r->out->n = 0;
	r->unknown = 0;
	jsonw_restart(r->jw);
}

void render_join(struct render *r, const char *text, size_t n)
{
	if (!n)
		return;
	if (r->ops == &render_json) {
		jsonw_raw(r->jw, text, n);
		return;
	}
	out_bytes(r->out, text, n);
	out_flush(r->out);
}

unsigned render_skip(const struct render *r)
{
	return r->view && r->view->ncols ? r->skip_need & ~r->view->need : r->skip_need;
}

void render_value(struct out *o, const struct field *f, const struct value *v, enum value_style style)
{
	char buf[256];
	STR s = { 0 };
	size_t n;

	if (f->type == FT_STR && v->avail == AVAIL_YES && !(style == VALUE_TABLE && f->flags & FIELD_SHORT)) {
		out_text(o, v->s);
		return;
	}
	n = value_text(f, v, style, buf, sizeof(buf));
	if (n < sizeof(buf)) {
		if (v->type == FT_UINT)
			out_bytes(o, buf, n);
		else
			out_textn(o, buf, n);
		return;
	}
	str_reserve(&s, n);
	value_text(f, v, style, s.p, n + 1);
	out_text(o, s.p);
}

void render_untab(struct out *text, size_t at)
{
	STR rest = { 0 };

	if (text->n == at || !memchr(text->buf + at, '\t', text->n - at))
		return;
	str_add(&rest, text->buf + at, text->n - at);
	text->n = at;
	for (size_t i = 0; i < rest.n; i++)
		if (rest.p[i] == '\t')
			out_str(text, "\\x09");
		else
			out_char(text, rest.p[i]);
}

void render_pad(struct out *o, size_t n)
{
	static const char blanks[] = "                                ";

	for (; n > sizeof(blanks) - 1; n -= sizeof(blanks) - 1)
		out_bytes(o, blanks, sizeof(blanks) - 1);
	out_bytes(o, blanks, n);
}
