/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/xlated.h"

#include <string.h>

#include "base/arena.h"
#include "base/out.h"
#include "prog/cfg.h"

/* bpftool's numbers of the two nodes that are no code; blocks follow. */
enum { NODE_ENTRY, NODE_EXIT, NODE_FIRST };
#define FILE_SHOWN 32

/* Text inside a record label: what Graphviz would take for structure is escaped, blanks too where they count. */
static void text_put(struct out *o, const char *s, const char *special)
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

static const char insn_special[] = "<>|&\"\\{}", source_special[] = "<>|\"\\{} ";

static void row_end(struct out *o)
{
	out_str(o, "\\l\\\n");
}

static void source_row(struct out *o, const char *text, const char *behind)
{
	out_str(o, "; ");
	text_put(o, text, source_special);
	out_str(o, behind);
	row_end(o);
}

static void place_row(struct out *o, const struct source_line *l)
{
	size_t n = strlen(l->file);

	out_str(o, "; [");
	if (n > FILE_SHOWN) {
		const char *tail = strchr(l->file + n - FILE_SHOWN, '/');

		out_str(o, "...");
		text_put(o, tail ? tail : l->file + n - FILE_SHOWN, source_special);
	} else {
		text_put(o, l->file, source_special);
	}
	out_fmt(o, " line:%u col:%u]", l->num, l->col);
	row_end(o);
}

static void insn_rows(const struct xlated_walk *k, const struct xlated_style *style, size_t func_start, struct out *o)
{
	const unsigned char *p = k->x->image.p + k->i * INSN_SIZE;

	if (k->signature.n)
		source_row(o, k->signature.p, ":");
	if (k->source.text)
		source_row(o, k->source.text, "");
	if (k->source.text && style->linum)
		place_row(o, &k->source);
	out_fmt(o, "%4zu: ", k->i - func_start);
	text_put(o, k->text, insn_special);
	row_end(o);
	if (!style->opcodes)
		return;
	out_str(o, "\\ \\ \\ \\ ");
	for (unsigned i = 0; i < k->insn.slots; i++) {
		if (i)
			out_char(o, ' ');
		out_hex(o, p + i * INSN_SIZE, INSN_SIZE);
	}
	row_end(o);
}

static void plain_node(struct out *o, size_t func, unsigned node, const char *name)
{
	out_fmt(o, "\tfn_%zu_bb_%u [shape=Mdiamond,style=filled,label=\"%s\"];\n\n", func, node, name);
}

static void edge_style(struct out *o, size_t func, size_t from, size_t to, const char *style)
{
	out_fmt(o, "\tfn_%zu_bb_%zu:s -> fn_%zu_bb_%zu:n [style=\"%s constraint=true];\n", func, from, func, to, style);
}

static void edge(struct out *o, const struct cfg_func *f, size_t func, size_t from, size_t to)
{
	if (to == CFG_NONE)
		return;
	edge_style(o, func, from, to == CFG_EXIT ? NODE_EXIT : to - f->block + NODE_FIRST,
		   "solid,bold\", color=black, weight=10,");
}

static void edges(const struct cfg *c, size_t func, struct out *o)
{
	const struct cfg_func *f = &c->funcs[func];

	edge_style(o, func, NODE_ENTRY, NODE_FIRST, "solid,bold\", color=black, weight=10,");
	for (size_t i = 0; i < f->nblocks && !out_dead(o); i++) {
		edge(o, f, func, i + NODE_FIRST, c->blocks[f->block + i].next);
		edge(o, f, func, i + NODE_FIRST, c->blocks[f->block + i].jump);
	}
	edge_style(o, func, NODE_ENTRY, NODE_EXIT, "invis\",");
}

/* @k stands on the function's first instruction; afterwards on the next one's. */
static bool nodes(const struct cfg *c, size_t func, struct xlated_walk *k, const struct xlated_style *style, struct out *o)
{
	const struct cfg_func *f = &c->funcs[func];
	bool more = true;

	for (size_t i = 0; i < f->nblocks && !out_dead(o); i++) {
		const struct cfg_block *b = &c->blocks[f->block + i];

		out_fmt(o, "\tfn_%zu_bb_%zu [shape=record,style=filled,label=\"{", func, i + NODE_FIRST);
		for (; more && k->i < b->end; more = xlated_next(k)) {
			if (k->i != b->start)
				out_str(o, " | ");
			insn_rows(k, style, f->start, o);
		}
		out_str(o, "}\"];\n\n");
	}
	return more;
}

void xlated_visual(const struct xlated *x, const struct xlated_style *style, struct arena *a, struct out *o)
{
	XLATED_WALK k = { .x = x, .labels = style->labels };
	struct cfg c;
	bool more = xlated_next(&k);

	cfg_build(x->image.p, x->insns, a, &c);
	out_str(o, "digraph \"DOT graph for eBPF program\" {\n");
	for (size_t i = 0; i < c.nfuncs && !out_dead(o); i++) {
		out_fmt(o, "subgraph \"cluster_%zu\" {\n\tstyle=\"dashed\";\n\tcolor=\"black\";\n\tlabel=\"func_%zu ()\";\n", i, i);
		plain_node(o, i, NODE_ENTRY, "ENTRY");
		more = more && nodes(&c, i, &k, style, o);
		plain_node(o, i, NODE_EXIT, "EXIT");
		edges(&c, i, o);
		out_str(o, "}\n");
	}
	out_str(o, "}\n");
}
