/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/out.h"
#include "record/edge.h"
#include "record/field.h"
#include "record/view.h"
#include "render/render.h"
#include "render/text.h"

/* Edges are kept until the end: one inside a cluster would pull its target in. So are the nodes that are no records. */
struct dot {
	bool open;			/* a cluster is */
	unsigned clusters;
	uint64_t unnumbered;		/* records without an id */
	struct hash pids;		/* processes that have their node */
	struct out edges, pins, processes, text;
};

static void dot_begin(struct render *r)
{
	struct dot *d = arena_alloc(r->arena, sizeof(*d));

	out_init(&d->edges, -1);
	out_init(&d->pins, -1);
	out_init(&d->processes, -1);
	out_init(&d->text, -1);
	hash_init(&d->pids, r->arena);
	r->priv = d;
	out_str(r->out, "digraph bpf {\n");
}

/* Inside a quoted string. */
static void put_quoted(struct out *o, const struct out *text)
{
	size_t i;

	for (i = 0; i < text->n; i++) {
		if (text->buf[i] == '"' || text->buf[i] == '\\')
			out_char(o, '\\');
		out_char(o, text->buf[i]);
	}
}

static void put_text(struct dot *d, struct out *o, const char *s)
{
	d->text.n = 0;
	out_text(&d->text, s);
	put_quoted(o, &d->text);
}

static void cluster(struct dot *d, struct out *o, const char *label)
{
	out_fmt(o, "\tsubgraph cluster_%u {\n\t\tlabel=\"%s\";\n", d->clusters++, label);
}

static void dot_section(struct render *r)
{
	struct dot *d = r->priv;

	if (d->open)
		out_str(r->out, "\t}\n");
	d->open = true;
	cluster(d, r->out, r->schema->name);
}

/* Where an edge ends, unquoted: "map_7", "pin_/sys/fs/bpf/x". */
static void put_other(struct dot *d, struct out *o, const struct edge *e)
{
	out_fmt(o, "%s_", edge_to_word(e->to));
	if (e->to == EDGE_PIN)
		put_text(d, o, e->name);
	else
		out_fmt(o, "%" PRIu64, e->id);
}

/* Pins and processes are no records: each becomes a node where the first edge leads to it. */
static void put_other_node(struct dot *d, const struct edge *e)
{
	bool pin = e->to == EDGE_PIN;
	struct out *o = pin ? &d->pins : &d->processes;

	if (!pin && (e->to != EDGE_PROCESS || hash_get(&d->pids, e->id)))
		return;
	out_str(o, "\t\t\"");
	put_other(d, o, e);
	out_str(o, "\" [label=\"");
	if (!pin)
		out_fmt(o, "process %" PRIu64, e->id);
	if (!pin && e->name)
		out_str(o, "\\n");
	if (e->name)
		put_text(d, o, e->name);
	out_str(o, "\"];\n");
	if (!pin)
		*hash_put(&d->pids, e->id) = d;
}

/* From who holds to what is held. */
static void put_edge(struct dot *d, const char *kind, uint64_t id, const struct edge *e)
{
	struct out *o = &d->edges;

	put_other_node(d, e);
	out_str(o, "\t\"");
	if (e->holder)
		put_other(d, o, e);
	else
		out_fmt(o, "%s_%" PRIu64, kind, id);
	out_str(o, "\" -> \"");
	if (e->holder)
		out_fmt(o, "%s_%" PRIu64, kind, id);
	else
		put_other(d, o, e);
	out_fmt(o, "\" [label=\"%s\"];\n", e->field->name);
}

static void put_label(struct render *r, const struct schema *s, const struct field *f, const void *rec, const char *before)
{
	struct dot *d = r->priv;
	struct value v = field_get(s, f, rec);

	d->text.n = 0;
	if (v.avail == AVAIL_YES)
		render_value(&d->text, f, &v, VALUE_PLAIN);
	if (d->text.n)
		out_str(r->out, before);
	put_quoted(r->out, &d->text);
}

/* "prog 7" and its name; what has no number is called by its first words, as in a list. */
static uint64_t put_record_label(struct render *r, const void *rec)
{
	struct dot *d = r->priv;
	const struct schema *in = NULL;
	const struct field *id = schema_find(r->schema, rec, "id", &in), *name;
	struct value v = { .avail = AVAIL_NO };

	if (id)
		v = field_get(in, id, rec);
	if (v.avail != AVAIL_YES || v.type != FT_UINT)
		v.u = id ? 0 : ++d->unnumbered;
	out_fmt(r->out, "\t\t\"%s_%" PRIu64 "\" [label=\"", r->schema->name, v.u);
	if (id) {
		out_fmt(r->out, "%s %" PRIu64, r->schema->name, v.u);
		name = schema_find(r->schema, rec, "name", &in);
		if (name)
			put_label(r, in, name, rec, "\\n");
		return v.u;
	}
	for (size_t i = 0; i < r->schema->n && r->schema->fields[i].type == FT_STR; i++)
		put_label(r, r->schema, &r->schema->fields[i], rec, i ? "\\n" : "");
	return v.u;
}

static void dot_record(struct render *r, const void *rec)
{
	uint64_t id = put_record_label(r, rec);
	struct edge_iter it;
	struct edge e;

	edge_begin(&it, r->schema, rec, r->skip_need);
	while (edge_next(&it, &e))
		put_edge(r->priv, r->schema->name, id, &e);
	if (it.unknown)
		out_str(r->out, "\\n(not all is known)");
	r->unknown += it.unknown;
	out_str(r->out, "\"];\n");
}

static void put_cluster(struct render *r, const char *label, const struct out *nodes)
{
	struct dot *d = r->priv;

	if (!nodes->n)
		return;
	cluster(d, r->out, label);
	out_bytes(r->out, nodes->buf, nodes->n);
	out_str(r->out, "\t}\n");
}

static void dot_end(struct render *r)
{
	struct dot *d = r->priv;

	if (d->open)
		out_str(r->out, "\t}\n");
	put_cluster(r, edge_to_word(EDGE_PIN), &d->pins);
	put_cluster(r, edge_to_word(EDGE_PROCESS), &d->processes);
	out_bytes(r->out, d->edges.buf, d->edges.n);
	out_str(r->out, "}\n");
	out_close(&d->edges, NULL);
	out_close(&d->pins, NULL);
	out_close(&d->processes, NULL);
	out_close(&d->text, NULL);
	r->priv = NULL;
}

const struct render_ops render_dot = {
	.name = "dot",
	.help = "Graphviz: a node for each record, an edge for each relation",
	.begin = dot_begin,
	.section = dot_section,
	.record = dot_record,
	.end = dot_end,
};
