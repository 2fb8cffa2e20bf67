/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/visual.h"

#include "base/base.h"
#include "code/insn.h"

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

static void mermaid_row(struct out *o, const struct visual_row *r)
{
	if (!r->first)
		out_str(o, "<br/>");
	switch (r->kind) {
	case ROW_HEAT:
		out_fmt(o, "%s%.1f%% of the samples", r->most ? "up to " : "", r->percent);
		break;
	case ROW_SIGNATURE:
	case ROW_SOURCE:
		out_str(o, "; ");
		mermaid_text_put(o, r->text);
		break;
	case ROW_PLACE:
		out_str(o, r->cut ? "; [..." : "; [");
		mermaid_text_put(o, r->text);
		out_fmt(o, " line:%u col:%u]", r->line, r->col);
		break;
	case ROW_MORE:
		out_fmt(o, "... %zu more", r->more);
		break;
	case ROW_INSN:
		out_fmt(o, "%zu: ", r->insn);
		mermaid_text_put(o, r->text);
		if (r->refers) {
			out_str(o, "  ; ");
			mermaid_text_put(o, r->refers);
		}
		break;
	case ROW_OPCODES:
		for (unsigned i = 0; i < r->slots; i++) {
			if (i)
				out_char(o, ' ');
			out_hex(o, r->bytes + i * INSN_SIZE, INSN_SIZE);
		}
	}
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
