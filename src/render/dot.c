/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/out.h"
#include "record/field.h"
#include "record/view.h"
#include "render/render.h"
#include "render/text.h"

/* Edges are kept until the end: one inside a cluster would pull its target in. */
struct dot {
	bool open;		/* a cluster is */
	unsigned clusters;
	struct out edges, text;
};

static void dot_begin(struct render *r)
{
	struct dot *d = arena_alloc(r->arena, sizeof(*d));

	out_init(&d->edges, -1);
	out_init(&d->text, -1);
	r->priv = d;
	out_str(r->out, "digraph bpf {\n");
}

/* What render_value() wrote to d->text, inside a quoted string. */
static void put_quoted(struct out *o, const struct out *text)
{
	size_t i;

	for (i = 0; i < text->n; i++) {
		if (text->buf[i] == '"' || text->buf[i] == '\\')
			out_char(o, '\\');
		out_char(o, text->buf[i]);
	}
}

static void dot_section(struct render *r)
{
	struct dot *d = r->priv;

	if (d->open)
		out_str(r->out, "\t}\n");
	d->open = true;
	out_fmt(r->out, "\tsubgraph cluster_%u {\n\t\tlabel=\"%s\";\n", d->clusters++, r->schema->name);
}

static const char *target_kind(enum field_unit unit)
{
	switch (unit) {
	case FU_PROG:
		return "prog";
	case FU_MAP:
		return "map";
	case FU_BTF:
		return "btf";
	case FU_LINK:
		return "link";
	default:
		return NULL;
	}
}

/* Where an edge comes from. */
struct from {
	struct out *edges;
	const char *kind;
	uint64_t id;
};

static void put_edge(const struct from *from, const struct field *f, uint64_t id)
{
	if (id)
		out_fmt(from->edges, "\t\"%s_%" PRIu64 "\" -> \"%s_%" PRIu64 "\" [label=\"%s\"];\n", from->kind, from->id,
			target_kind(f->unit), id, f->name);
}

static void put_edges(const struct from *from, const struct schema *s, const void *rec, unsigned skip);

static void put_field_edges(const struct from *from, const struct field *f, const struct value *v)
{
	const char *row = v->list.p;
	uint32_t i;

	if (v->type == FT_UINT && target_kind(f->unit))
		put_edge(from, f, v->u);
	for (i = 0; v->type == FT_LIST && f->elem == FT_UINT && target_kind(f->unit) && i < v->list.n; i++)
		put_edge(from, f, value_elem(f, v, i).u);
	for (i = 0; v->type == FT_ROWS && i < v->list.n; i++, row += v->list.stride)
		put_edges(from, f->rows, row, 0);
}

static void put_edges(const struct from *from, const struct schema *s, const void *rec, unsigned skip)
{
	struct schema_iter it = SCHEMA_ITER(s, rec);
	const struct field *f;

	while ((f = schema_next(&it))) {
		struct value v;

		/* A record's own id may carry the unit of its kind. */
		if ((f->need & skip) || strcmp(f->name, "id") == 0)
			continue;
		v = schema_value(&it, f);
		if (v.avail == AVAIL_YES)
			put_field_edges(from, f, &v);
	}
}

static void dot_record(struct render *r, const void *rec)
{
	struct dot *d = r->priv;
	struct from from = { .edges = &d->edges, .kind = r->schema->name };
	const struct schema *in = NULL;
	const struct field *f = schema_find(r->schema, rec, "id", &in);
	struct value v;

	if (f) {
		v = field_get(in, f, rec);
		if (v.avail == AVAIL_YES && v.type == FT_UINT)
			from.id = v.u;
	}
	out_fmt(r->out, "\t\t\"%s_%" PRIu64 "\" [label=\"%s %" PRIu64, from.kind, from.id, from.kind, from.id);
	f = schema_find(r->schema, rec, "name", &in);
	if (f) {
		v = field_get(in, f, rec);
		d->text.n = 0;
		if (v.avail == AVAIL_YES)
			render_value(&d->text, f, &v, VALUE_PLAIN);
		if (d->text.n)
			out_str(r->out, "\\n");
		put_quoted(r->out, &d->text);
	}
	out_str(r->out, "\"];\n");
	put_edges(&from, r->schema, rec, r->skip_need);
}

static void dot_end(struct render *r)
{
	struct dot *d = r->priv;

	if (d->open)
		out_str(r->out, "\t}\n");
	out_bytes(r->out, d->edges.buf, d->edges.n);
	out_str(r->out, "}\n");
	out_close(&d->edges, NULL);
	out_close(&d->text, NULL);
	r->priv = NULL;
}

const struct render_ops render_dot = {
	.name = "dot",
	.help = "Graphviz, a node a record and an edge a reference",
	.begin = dot_begin,
	.section = dot_section,
	.record = dot_record,
	.end = dot_end,
};
