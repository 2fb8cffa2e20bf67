/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/visual.h"

/*
 * Writes text inside a quoted label, which is HTML and Markdown: characters that either would interpret become
 * Mermaid's #number;.
 */
static void mermaid_text_put(struct out *o, const char *s)
{
	for (size_t n; *s; s += n) {
		n = strcspn(s, "\"#&<>`*\\");
		out_textn(o, s, n);
		if (s[n])
			out_fmt(o, "#%d;", s[n++]);
	}
}

static void mermaid_start(struct out *o)
{
	out_str(o, "flowchart TD\n\tclassDef default text-align:left,font-family:monospace\n");
}

static void mermaid_end(struct out *o)
{
}

static void mermaid_func(struct out *o, size_t func, const char *signature)
{
	out_fmt(o, "\tsubgraph fn_%zu[\"", func);
	if (signature)
		mermaid_text_put(o, signature);
	else
		out_fmt(o, "func_%zu ()", func);
	out_str(o, "\"]\n");
}

static void mermaid_func_end(struct out *o)
{
	out_str(o, "\tend\n");
}

static void mermaid_terminal(struct out *o, size_t func, unsigned node)
{
	out_fmt(o, "\t\tfn_%zu_bb_%u([\"%s\"])\n", func, node, node == NODE_ENTRY ? "ENTRY" : "EXIT");
}

static void mermaid_node(struct out *o, size_t func, size_t node)
{
	out_fmt(o, "\t\tfn_%zu_bb_%zu[\"", func, node);
}

static void mermaid_text(struct out *o, const char *s, bool code)
{
	mermaid_text_put(o, s);
}

static void mermaid_row(struct out *o, const struct visual_row *r)
{
	if (!r->first)
		out_str(o, "<br/>");
	if (r->kind == ROW_INSN)
		out_fmt(o, "%zu: ", r->insn);
	visual_row_put(o, r, mermaid_text);
}

static void mermaid_node_end(struct out *o)
{
	out_str(o, "\"]\n");
}

static void mermaid_fill(struct out *o, size_t func, size_t node, const char *color)
{
	out_fmt(o, "\t\tstyle fn_%zu_bb_%zu fill:%s,color:#000000\n", func, node, color);
}

static void mermaid_edge(struct out *o, size_t func, size_t from, size_t to, enum visual_edge kind)
{
	static const char *const arrow[] = {
		[EDGE_ALONE] = "-->", [EDGE_NEXT] = "-->|else|", [EDGE_TAKEN] = "-->|taken|"
	};

	if (kind != EDGE_HIDDEN)
		out_fmt(o, "\t\tfn_%zu_bb_%zu %s fn_%zu_bb_%zu\n", func, from, arrow[kind], func, to);
}

const struct visual_writer visual_mermaid = {
	.titled = true,
	.start = mermaid_start,
	.end = mermaid_end,
	.func = mermaid_func,
	.func_end = mermaid_func_end,
	.terminal = mermaid_terminal,
	.node = mermaid_node,
	.row = mermaid_row,
	.node_end = mermaid_node_end,
	.fill = mermaid_fill,
	.edge = mermaid_edge,
};
