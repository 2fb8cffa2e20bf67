/* SPDX-License-Identifier: BSD-2-Clause */

#include "record/field.h"
#include "record/view.h"
#include "render/jsonw.h"
#include "render/render.h"
#include "render/text.h"

enum { EVERY_LINE, HEADLINE };

static bool json_member(struct jsonw *w, const struct field *f, const struct value *v)
{
	bool unknown = false;

	for (unsigned i = 0; i < KEYS; i++)
		if (field_key(f, i)) {
			jsonw_name(w, field_key(f, i));
			unknown = render_json_value(w, f, v);
		}
	return unknown;
}

/* True if a value in it could not be read. */
static bool json_members(struct jsonw *w, const struct schema *s, const void *rec, unsigned skip_need, int lines)
{
	struct schema_iter it = SCHEMA_ITER(s, rec);
	const struct field *f;
	bool unknown = false;

	while ((f = schema_next(&it))) {
		struct value v;

		if (f->need & skip_need)
			continue;
		if (lines == HEADLINE && (f->line || f->type == FT_ROWS || (f->flags & FIELD_NOPLAIN)))
			continue;
		schema_read(&it, f, &v);
		if (v.avail == AVAIL_NO || ((f->flags & FIELD_JSON_NZ) && v.avail == AVAIL_YES && value_is_zero(&v)))
			continue;
		unknown |= json_member(w, f, &v);
	}
	return unknown;
}

static bool json_list(struct jsonw *w, const struct field *f, const struct value *v)
{
	bool unknown = false;
	uint32_t i;

	if (f->unit == FU_BYTE) {
		jsonw_hexbytes(w, v->list.p, v->list.n);
		return false;
	}
	jsonw_array(w);
	for (i = 0; i < v->list.n; i++) {
		struct value elem = value_elem(f, v, i);

		unknown |= render_json_value(w, f, &elem);
	}
	jsonw_end(w);
	return unknown;
}

static bool json_pair(struct jsonw *w, const struct schema *s, const void *row)
{
	struct value key, val;
	char name[256];

	if (s->n < 2)
		return false;
	key = field_get(s, &s->fields[0], row);
	val = field_get(s, &s->fields[1], row);
	if (key.avail == AVAIL_YES && key.type == FT_STR) {
		jsonw_name(w, key.s);
	} else {
		value_text(&s->fields[0], &key, VALUE_PLAIN, name, sizeof(name));
		jsonw_name(w, name);
	}
	return render_json_value(w, &s->fields[1], &val);
}

static bool json_rows(struct jsonw *w, const struct field *f, const struct value *v)
{
	bool unknown = false, keyed = f->flags & FIELD_KEYED, single = f->flags & FIELD_SINGLE;
	const char *row = v->list.p;
	uint32_t i;

	if (keyed)
		jsonw_object(w);
	else if (!single)
		jsonw_array(w);
	for (i = 0; i < (single ? 1 : v->list.n); i++, row += v->list.stride) {
		if (keyed) {
			unknown |= json_pair(w, f->rows, row);
			continue;
		}
		jsonw_object(w);
		unknown |= json_members(w, f->rows, row, 0, EVERY_LINE);
		jsonw_end(w);
	}
	if (keyed || !single)
		jsonw_end(w);
	return unknown;
}

static void json_word(struct jsonw *w, const struct names *names, uint64_t v)
{
	const char *word = names_word(names, v);

	if (word)
		jsonw_str(w, word);
	else
		jsonw_fmt(w, "unknown(%llu)", llu(v));
}

static void json_bytes(struct jsonw *w, const struct value *v)
{
	const unsigned char *b = v->list.p;
	STR s = { 0 };
	uint32_t i;

	str_reserve(&s, (size_t)v->list.n * 2);
	for (i = 0; i < v->list.n; i++)
		str_add(&s, num_hex2[b[i]], 2);
	jsonw_strn(w, s.p, s.n);
}

bool render_json_value(struct jsonw *w, const struct field *f, const struct value *v)
{
	if (v->avail != AVAIL_YES) {
		jsonw_null(w);
		return value_is_missing(v);
	}
	switch (v->type) {
	case FT_BOOL:
		jsonw_bool(w, v->b);
		break;
	case FT_UINT:
		if (f->unit == FU_CODE) {
			jsonw_fmt(w, "0x%llx", llu(v->u));
			break;
		}
		/* fall through */
	case FT_TIME:
		jsonw_uint(w, v->u);
		break;
	case FT_INT:
		jsonw_int(w, v->i);
		break;
	case FT_REAL:
		jsonw_double(w, v->d);
		break;
	case FT_STR:
		jsonw_str(w, v->s);
		break;
	case FT_ENUM:
		json_word(w, f->names, v->u);
		break;
	case FT_BYTES:
		json_bytes(w, v);
		break;
	case FT_LIST:
		return json_list(w, f, v);
	case FT_ROWS:
		return json_rows(w, f, v);
	case FT_JSON:
		jsonw_embed(w, v->s);
		break;
	}
	return false;
}

void render_json_fields(struct jsonw *w, const struct schema *s, const void *rec, unsigned skip_need, size_t *unknown)
{
	if (json_members(w, s, rec, skip_need, EVERY_LINE) && unknown)
		++*unknown;
}

void render_json_headline(struct jsonw *w, const struct schema *s, const void *rec, size_t *unknown)
{
	*unknown += json_members(w, s, rec, 0, HEADLINE);
}

static bool json_columns(struct jsonw *w, const struct render *r, const void *rec)
{
	unsigned skip = render_skip(r);
	bool unknown = false;
	size_t i;

	for (i = 0; i < r->view->ncols; i++) {
		const struct schema *in;
		const struct field *f = schema_find(r->schema, rec, r->view->cols[i], &in);
		struct value v;

		if (!f || (f->need & skip))
			continue;
		v = field_get(in, f, rec);
		if (v.avail == AVAIL_NO)
			continue;
		jsonw_name(w, r->view->cols[i]);
		unknown |= render_json_value(w, f, &v);
	}
	return unknown;
}

static void json_record_to(struct jsonw *w, struct render *r, const void *rec)
{
	bool unknown;

	jsonw_object(w);
	unknown = r->view && r->view->ncols ? json_columns(w, r, rec) :
					      json_members(w, r->schema, rec, render_skip(r), EVERY_LINE);
	jsonw_end(w);
	r->unknown += unknown;
}

static void json_begin(struct render *r)
{
	unsigned *depth = arena_alloc(r->arena, sizeof(*depth));

	*depth = r->jw->depth;
	r->priv = depth;
	if (!r->single)
		jsonw_array(r->jw);
}

static void json_section(struct render *r)
{
}

static void json_record(struct render *r, const void *rec)
{
	json_record_to(r->jw, r, rec);
}

static void json_end(struct render *r)
{
	const unsigned *depth = r->priv;

	jsonw_close(r->jw, *depth);
}

const struct render_ops render_json = {
	.name = "json",
	.help = "JSON, one document",
	.begin = json_begin,
	.section = json_section,
	.record = json_record,
	.end = json_end,
};

static void ndjson_nothing(struct render *r)
{
}

static void ndjson_record(struct render *r, const void *rec)
{
	struct jsonw w;

	jsonw_init(&w, r->out, false);
	json_record_to(&w, r, rec);
	out_char(r->out, '\n');
	out_flush(r->out);
}

const struct render_ops render_ndjson = {
	.name = "ndjson",
	.help = "JSON, an object for each line",
	.begin = ndjson_nothing,
	.section = ndjson_nothing,
	.record = ndjson_record,
	.end = ndjson_nothing,
};
