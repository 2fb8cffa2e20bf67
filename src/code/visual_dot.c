/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/visual.h"

/*
 * Writes text inside a record label: characters that Graphviz would interpret are escaped, also blanks that must be
 * kept.
 */
static void dot_text_put(struct out *o, const char *s, const char *special)
{
	char two[3] = { '\\' };

	for (size_t n; *s; s += n) {
		n = strcspn(s, special);
		out_textn(o, s, n);
		if (!s[n])
			break;
		two[1] = s[n++];
		out_str(o, two);
	}
}

static void dot_text(struct out *o, const char *s, bool code)
{
	dot_text_put(o, s, code ? "<>|&\"\\{}" : "<>|\"\\{} ");
}

static void dot_row(struct out *o, const struct visual_row *r)
{
	if (r->parted)
		out_str(o, "| ");
	if (r->kind == ROW_INSN)
		out_fmt(o, "%4zu: ", r->insn - r->start);
	if (r->kind == ROW_OPCODES)
		out_str(o, "\\ \\ \\ \\ ");
	visual_row_put(o, r, dot_text);
	if (r->kind == ROW_SIGNATURE)
		out_char(o, ':');
	out_str(o, "\\l\\\n");
}

static void dot_start(struct out *o)
{
	out_str(o,
		"digraph \"DOT graph for eBPF program\" {\n"
		"\tnode [fontname=\"monospace\", fontsize=10, color=\"#808080\", fillcolor=\"#f3f4f6\"];\n"
		"\tedge [fontname=\"monospace\", fontsize=9, arrowsize=0.7];\n"
		"\tgraph [fontname=\"monospace\", fontsize=11];\n");
}

static void dot_end(struct out *o)
{
	out_str(o, "}\n");
}

static void dot_func(struct out *o, size_t func, const char *signature)
{
	out_fmt(o, "subgraph \"cluster_%zu\" {\n\tstyle=\"dashed\";\n\tcolor=\"#808080\";\n\tlabel=\"", func);
	if (signature)
		dot_text_put(o, signature, "\"\\");
	else
		out_fmt(o, "func_%zu ()", func);
	out_str(o, "\";\n");
}

static void dot_terminal(struct out *o, size_t func, unsigned node)
{
	out_fmt(o, "\tfn_%zu_bb_%u [shape=Mdiamond,style=filled,label=\"%s\"];\n\n", func, node,
		node == NODE_ENTRY ? "ENTRY" : "EXIT");
}

static void dot_node(struct out *o, size_t func, size_t node)
{
	out_fmt(o, "\tfn_%zu_bb_%zu [shape=record,style=filled,label=\"{", func, node);
}

static void dot_node_end(struct out *o)
{
	out_str(o, "}\"];\n\n");
}

static void dot_fill(struct out *o, size_t func, size_t node, const char *color)
{
	out_fmt(o, "\tfn_%zu_bb_%zu [fillcolor=\"%s\"];\n\n", func, node, color);
}

static void dot_edge(struct out *o, size_t func, size_t from, size_t to, enum visual_edge kind)
{
	/* Colors of the same darkness, which people with red-green blindness can also distinguish. */
	static const char *const looks[] = {
		[EDGE_ALONE] = "solid,bold\", color=black, weight=10,",
		[EDGE_NEXT] = "solid,bold\", color=\"#b35900\", fontcolor=\"#b35900\", label=\"else\", weight=10,",
		[EDGE_TAKEN] = "solid,bold\", color=\"#0072b2\", fontcolor=\"#0072b2\", label=\"taken\", weight=10,",
		[EDGE_HIDDEN] = "invis\",",
	};

	out_fmt(o, "\tfn_%zu_bb_%zu:s -> fn_%zu_bb_%zu:n [style=\"%s constraint=true];\n", func, from, func, to,
		looks[kind]);
}

const struct visual_writer visual_dot = {
	.start = dot_start,
	.end = dot_end,
	.func = dot_func,
	.func_end = dot_end,
	.terminal = dot_terminal,
	.node = dot_node,
	.row = dot_row,
	.node_end = dot_node_end,
	.fill = dot_fill,
	.edge = dot_edge,
};
