/* SPDX-License-Identifier: BSD-2-Clause */
#include "relate/graph.h"

#include "cli/env.h"

/* By kind of node, except pins; dark text is readable on all these colours. */
static const struct style {
	const char *fill, *shape;
} styles[NODE_KINDS] = {
	[EDGE_PROG] = { "#cdeccd", "box" },	   [EDGE_MAP] = { "#ffd9cc", "cylinder" },
	[EDGE_BTF] = { "#e6e6e6", "box" },	   [EDGE_LINK] = { "#d9e8ff", "box" },
	[EDGE_PROCESS] = { "#ffe0a8", "ellipse" }, [EDGE_DEVICE] = { "#d4f1f4", "box" },
	[EDGE_NETNS] = { "#d4f1f4", "box" },	   [EDGE_CGROUP] = { "#d4f1f4", "box" },
	[NODE_ATTACHMENT] = { "#e6dcf8", "box" },
};

const char *graph_fill(const struct graph_node *n)
{
	return styles[n->kind].fill;
}

struct drawing {
	const struct graph *g;
	struct arena *a;
	struct out *o;
	const bool *needless;
	struct graph_folds folds;
	const char **owners;
	uint32_t *first, *next; /* lists of shown nodes: of each component, and last of those without one */
};

static void drawing_start(struct drawing *d, struct env *env, const struct graph *g, struct out *o)
{
	*d = (struct drawing){ .g = g,
			       .a = env->keep,
			       .o = o,
			       .needless = graph_needless(env, g),
			       .owners = graph_owners(env, g),
			       .first = arena_array(env->keep, (size_t)g->components + 1, sizeof(uint32_t)),
			       .next = arena_array(env->keep, g->nodes, sizeof(uint32_t)) };
	graph_fold(env, g, &d->folds);
	memset(d->first, 0xff, ((size_t)g->components + 1) * sizeof(*d->first));
	for (uint32_t i = g->nodes; i--;)
		if (g->shown[i] && d->folds.into[i] == GRAPH_NONE) {
			const uint32_t c = g->node[i].component;
			uint32_t *first = d->first + (c == GRAPH_NONE ? g->components : c);

			d->next[i] = *first;
			*first = i;
		}
}

static void put_label(struct drawing *d, uint32_t i, const char *gap, void (*put)(struct out *o, const char *s))
{
	const char *line[GRAPH_LINES];

	graph_label(d->g, &d->folds, i, d->a, line);
	for (size_t k = 0; k < GRAPH_LINES && line[k]; k++) {
		out_str(d->o, k ? gap : "");
		put(d->o, line[k]);
	}
}

static uint32_t drawn_at(const struct drawing *d, uint32_t i)
{
	return d->folds.into[i] == GRAPH_NONE ? i : d->folds.into[i];
}

/* Draw the edges between boxes. */
static void put_edges(struct drawing *d,
		      void (*put)(struct out *o, uint32_t from, uint32_t to, const char *word, bool keeps))
{
	for (uint32_t i = 0; i < d->g->edges; i++) {
		const struct graph_edge *e = &d->g->edge[i];
		const uint32_t from = drawn_at(d, e->from), to = drawn_at(d, e->to);

		if (!d->needless[i] && from != to)
			put(d->o, from, to, graph_edge_word(e), e->keeps);
	}
}

/* Draw nodes in clusters, and first those without a component, outside of clusters. */
static void put_nodes(struct drawing *d, void (*open)(struct out *o, uint32_t nr, const char *owner),
		      void (*node)(struct drawing *d, uint32_t i), const char *close)
{
	const uint32_t none = d->g->components;

	for (uint32_t i = d->first[none]; i != GRAPH_NONE; i = d->next[i])
		node(d, i);
	for (uint32_t c = 0; c < none && !out_dead(d->o); c++) {
		if (d->first[c] == GRAPH_NONE)
			continue;
		open(d->o, c, d->owners[c]);
		for (uint32_t i = d->first[c]; i != GRAPH_NONE; i = d->next[i])
			node(d, i);
		out_str(d->o, close);
	}
}

/* Escape for a quoted string of DOT. */
static void dot_text(struct out *o, const char *s)
{
	struct out text;

	out_init(&text, -1);
	out_text(&text, s);
	for (size_t i = 0; i < text.n; i++) {
		if (text.buf[i] == '"' || text.buf[i] == '\\')
			out_char(o, '\\');
		out_char(o, text.buf[i]);
	}
	out_close(&text, NULL);
}

static void dot_open(struct out *o, uint32_t nr, const char *owner)
{
	out_fmt(o, "\tsubgraph cluster_%u {\n\t\tlabel=\"", nr);
	dot_text(o, owner);
	out_str(o, "\";\n");
}

static void dot_node(struct drawing *d, uint32_t i)
{
	const struct graph_node *n = &d->g->node[i];

	out_fmt(d->o, "\t\tn%u [fillcolor=\"%s\", shape=%s, label=\"", i, styles[n->kind].fill, styles[n->kind].shape);
	put_label(d, i, "\\n", dot_text);
	out_str(d->o, "\"];\n");
}

static void dot_edge(struct out *o, uint32_t from, uint32_t to, const char *word, bool keeps)
{
	out_fmt(o, "\tn%u -> n%u", from, to);
	if (word || !keeps)
		out_fmt(o, " [%s%s%s%s%s]", word ? "label=\"" : "", word ? word : "", word ? "\"" : "",
			word && !keeps ? ", " : "", keeps ? "" : "style=dashed");
	out_str(o, ";\n");
}

void graph_draw_dot(struct env *env, const struct graph *g, struct out *o)
{
	struct drawing d;

	drawing_start(&d, env, g, o);
	out_str(o,
		"digraph bpf {\n"
		"\tgraph [rankdir=LR, pack=true, packmode=array_c3, nodesep=0.15, ranksep=0.4, fontname=\"Helvetica\", fontsize=11, "
		"style=rounded,"
		" color=\"#b0b0b0\", bgcolor=white];\n"
		"\tnode [style=\"filled,rounded\", color=\"#808080\", fontname=\"Helvetica\", fontsize=10, height=0.3, "
		"margin=\"0.1,0.04\"];\n"
		"\tedge [color=\"#707070\", arrowsize=0.6, fontname=\"Helvetica\", fontsize=9];\n");
	put_nodes(&d, dot_open, dot_node, "\t}\n");
	put_edges(&d, dot_edge);
	out_str(o, "}\n");
}

/* Escape for a quoted string of Mermaid. */
static void mermaid_text(struct out *o, const char *s)
{
	struct out text;

	out_init(&text, -1);
	out_text(&text, s);
	for (size_t i = 0; i < text.n; i++)
		if (strchr("\"#&<>;`", text.buf[i]))
			out_fmt(o, "#%u;", (unsigned char)text.buf[i]);
		else
			out_char(o, text.buf[i]);
	out_close(&text, NULL);
}

static void mermaid_open(struct out *o, uint32_t nr, const char *owner)
{
	out_fmt(o, "  subgraph c%u[\"", nr);
	mermaid_text(o, owner);
	out_str(o, "\"]\n");
}

static void mermaid_node(struct drawing *d, uint32_t i)
{
	out_fmt(d->o, "    n%u[\"", i);
	put_label(d, i, "<br/>", mermaid_text);
	out_fmt(d->o, "\"]:::%s\n", graph_word(&d->g->node[i]));
}

static void mermaid_edge(struct out *o, uint32_t from, uint32_t to, const char *word, bool keeps)
{
	out_fmt(o, "  n%u %s", from, keeps ? "-->" : "-.->");
	if (word)
		out_fmt(o, "|%s|", word);
	out_fmt(o, " n%u\n", to);
}

void graph_draw_mermaid(struct env *env, const struct graph *g, struct out *o)
{
	struct drawing d;

	drawing_start(&d, env, g, o);
	out_str(o, "graph LR\n");
	put_nodes(&d, mermaid_open, mermaid_node, "  end\n");
	put_edges(&d, mermaid_edge);
	for (unsigned k = 0; k < NODE_KINDS; k++)
		if (styles[k].fill)
			out_fmt(o, "  classDef %s fill:%s,stroke:#808080,color:#000000\n",
				graph_word(&(struct graph_node){ .kind = k }), styles[k].fill);
}
