/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/visual.h"

#include "code/cfg.h"
#include "code/insn_heat.h"
#include "code/xlated.h"

#define FILE_SHOWN 32

struct visual {
	const struct visual_writer *w;
	const struct xlated_style *style;
	bool collapse;
	const struct insn_heat *heat; /* NULL: none */
	struct xlated_walk *k;
	struct cfg c;
	size_t *chain; /* by block: the next block of its node; CFG_NONE: none. Only to collapse */
	bool *inner;   /* by block: it is in the node of another block */
	size_t func;
	struct out *o;
};

/* The node that is being written, and what was shown of it. */
struct visual_node {
	size_t rows, insns, shown;
	const char *source; /* the last source line */
	bool parted;
};

static size_t only_successor(const struct cfg_block *b)
{
	if (b->next == b->jump || b->jump == CFG_NONE)
		return b->next == CFG_EXIT ? CFG_NONE : b->next;
	return b->next == CFG_NONE ? b->jump : CFG_NONE;
}

/* Only to later blocks, so that every loop has a first block. */
static void chains_find(struct visual *v, struct arena *a)
{
	const struct cfg *c = &v->c;
	size_t *comers = arena_array(a, c->nblocks, sizeof(*comers));

	v->chain = arena_array(a, c->nblocks, sizeof(*v->chain));
	v->inner = arena_array(a, c->nblocks, sizeof(*v->inner));
	for (size_t i = 0; i < c->nfuncs; i++)
		comers[c->funcs[i].block]++;
	for (size_t i = 0; i < c->nblocks; i++) {
		if (c->blocks[i].next < c->nblocks)
			comers[c->blocks[i].next]++;
		if (c->blocks[i].jump < c->nblocks && c->blocks[i].jump != c->blocks[i].next)
			comers[c->blocks[i].jump]++;
	}
	for (size_t i = 0; i < c->nblocks; i++) {
		size_t next = only_successor(&c->blocks[i]);

		v->chain[i] = next < c->nblocks && next > i && comers[next] == 1 ? next : CFG_NONE;
		if (v->chain[i] != CFG_NONE)
			v->inner[next] = true;
	}
}

static void row(struct visual *v, struct visual_node *n, struct visual_row r)
{
	r.first = !n->rows++;
	r.parted = n->parted;
	n->parted = false;
	v->w->row(v->o, &r);
}

static void source_rows(struct visual *v, struct visual_node *n, const struct source_line *l)
{
	size_t len = strlen(l->file);
	const char *tail = len > FILE_SHOWN ? strchr(l->file + len - FILE_SHOWN, '/') : NULL;
	const char *file = tail ? tail : len > FILE_SHOWN ? l->file + len - FILE_SHOWN : l->file;

	n->source = l->text;
	row(v, n, (struct visual_row){ .kind = ROW_SOURCE, .text = l->text });
	if (v->style->linum)
		row(v, n,
		    (struct visual_row){
			    .kind = ROW_PLACE, .text = file, .cut = file != l->file, .line = l->num, .col = l->col });
}

static void insn_rows(struct visual *v, struct visual_node *n, size_t func_start)
{
	const struct xlated_walk *k = v->k;

	if (n->insns > n->shown)
		row(v, n, (struct visual_row){ .kind = ROW_MORE, .more = n->insns - n->shown });
	n->shown = n->insns + 1;
	row(v, n,
	    (struct visual_row){
		    .kind = ROW_INSN,
		    .text = k->text,
		    .insn = k->i,
		    .start = func_start,
		    .refers = k->x->refers ? k->x->refers[k->i] : NULL,
	    });
	if (v->style->opcodes)
		row(v, n,
		    (struct visual_row){
			    .kind = ROW_OPCODES, .bytes = k->x->image.p + k->i * INSN_SIZE, .slots = k->insn.slots });
}

/* Writes the current instruction of the walk. @last: it is the last of its node. */
static void insn_put(struct visual *v, struct visual_node *n, bool last)
{
	const struct xlated_walk *k = v->k;
	/* The first instruction of a node shows its source line even if the line was folded into an earlier one. */
	const struct source_line source = k->x->src.folded && !n->insns ? xlated_source(k) : k->source;
	bool news = source.text && !(v->collapse && (!*source.text || (n->source && !strcmp(source.text, n->source))));

	n->parted = n->rows != 0;
	if (k->signature.n && !v->w->titled)
		row(v, n, (struct visual_row){ .kind = ROW_SIGNATURE, .text = k->signature.p });
	if (news)
		source_rows(v, n, &source);
	if (!v->collapse || last || (!n->insns && !news))
		insn_rows(v, n, v->c.funcs[v->func].start);
	n->insns++;
}

/*
 * The samples of all blocks of a node, which may be apart; adjacent blocks are added together, so that a run in several
 * of them counts once. Returns the percentage.
 */
static double heat_row(struct visual *v, struct visual_node *n, size_t block)
{
	uint64_t samples = 0, shared = 0;
	size_t last = block, next;
	double percent;

	for (; block != CFG_NONE; block = next) {
		last = block;
		next = v->collapse ? v->chain[block] : CFG_NONE;
		while (next != CFG_NONE && v->c.blocks[next].start == v->c.blocks[last].end) {
			last = next;
			next = v->chain[next];
		}
		samples += insn_heat_sum(v->heat, v->c.blocks[block].start, v->c.blocks[last].end, &shared);
	}
	if (!samples)
		return 0;
	samples = samples < v->heat->samples ? samples : v->heat->samples;
	percent = (double)samples * 100 / (double)v->heat->samples;
	row(v, n, (struct visual_row){ .kind = ROW_HEAT, .percent = percent, .most = shared != 0 });
	return percent;
}

/* Black text is readable on all of them. */
static const char *fill_of(double percent)
{
	static const struct {
		double least;
		const char *color;
	} fills[] = {
		{ 50, "#f16c4b" }, { 25, "#fc9272" }, { 10, "#fdbb84" }, { 3, "#fdd49e" }, { 0, "#feeed2" },
	};
	size_t i = 0;

	if (percent <= 0)
		return "#ffffff";
	while (percent < fills[i].least)
		i++;
	return fills[i].color;
}

static void node_put(struct visual *v, size_t block)
{
	struct xlated_walk *k = v->k;
	struct visual_node n = { 0 };

	const size_t number = block - v->c.funcs[v->func].block + NODE_FIRST;
	double percent = 0;

	v->w->node(v->o, v->func, number);
	if (v->heat)
		percent = heat_row(v, &n, block);
	while (block != CFG_NONE) {
		const struct cfg_block *b = &v->c.blocks[block];

		block = v->collapse ? v->chain[block] : CFG_NONE;
		if (k->i != b->start)
			xlated_seek(k, b->start);
		for (; k->i < b->end && !out_dead(v->o); xlated_next(k))
			insn_put(v, &n, block == CFG_NONE && k->i + k->insn.slots >= b->end);
	}
	v->w->node_end(v->o);
	if (v->heat)
		v->w->fill(v->o, v->func, number, fill_of(percent));
}

static void edge(struct visual *v, size_t from, size_t to, enum visual_edge kind)
{
	const struct cfg_func *f = &v->c.funcs[v->func];

	if (to != CFG_NONE)
		v->w->edge(v->o, v->func, from - f->block + NODE_FIRST,
			   to == CFG_EXIT ? NODE_EXIT : to - f->block + NODE_FIRST, kind);
}

static void node_edges(struct visual *v, size_t block)
{
	const struct cfg_block *b;
	size_t last = block;
	bool two;

	while (v->collapse && v->chain[last] != CFG_NONE)
		last = v->chain[last];
	b = &v->c.blocks[last];
	two = b->next != CFG_NONE && b->jump != CFG_NONE;
	edge(v, block, b->next, two ? EDGE_NEXT : EDGE_ALONE);
	edge(v, block, b->jump, two ? EDGE_TAKEN : EDGE_ALONE);
}

static void func_put(struct visual *v)
{
	const struct cfg_func *f = &v->c.funcs[v->func];
	size_t end = f->block + f->nblocks;

	if (v->k->i != f->start)
		xlated_seek(v->k, f->start);
	v->w->func(v->o, v->func, v->k->signature.n ? v->k->signature.p : NULL);
	v->w->terminal(v->o, v->func, NODE_ENTRY);
	for (size_t i = f->block; i < end && !out_dead(v->o); i++)
		if (!v->collapse || !v->inner[i])
			node_put(v, i);
	v->w->terminal(v->o, v->func, NODE_EXIT);
	v->w->edge(v->o, v->func, NODE_ENTRY, NODE_FIRST, EDGE_ALONE);
	for (size_t i = f->block; i < end && !out_dead(v->o); i++)
		if (!v->collapse || !v->inner[i])
			node_edges(v, i);
	v->w->edge(v->o, v->func, NODE_ENTRY, NODE_EXIT, EDGE_HIDDEN);
	v->w->func_end(v->o);
}

void visual_row_put(struct out *o, const struct visual_row *r, void (*put)(struct out *o, const char *s, bool code))
{
	switch (r->kind) {
	case ROW_HEAT:
		out_fmt(o, "%s%.1f%% of the samples", r->most ? "up to " : "", r->percent);
		break;
	case ROW_SIGNATURE:
	case ROW_SOURCE:
		out_str(o, "; ");
		put(o, r->text, false);
		break;
	case ROW_PLACE:
		out_str(o, r->cut ? "; [..." : "; [");
		put(o, r->text, false);
		out_fmt(o, " line:%u col:%u]", r->line, r->col);
		break;
	case ROW_MORE:
		out_fmt(o, "... %zu more", r->more);
		break;
	case ROW_INSN:
		put(o, r->text, true);
		if (r->refers) {
			out_str(o, "  ; ");
			put(o, r->refers, false);
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

void visual_write(const struct xlated *x, const struct xlated_style *style, bool collapse,
		  const struct visual_writer *writer, const struct insn_heat *heat, struct arena *a, struct out *o)
{
	XLATED_WALK k = { .x = x, .labels = style->labels };
	struct visual v = { .w = writer, .style = style, .collapse = collapse, .heat = heat, .k = &k, .o = o };

	cfg_build(x->image.p, x->insns, x->big, a, &v.c);
	if (collapse)
		chains_find(&v, a);
	xlated_next(&k);
	writer->start(o);
	for (; v.func < v.c.nfuncs && !out_dead(o); v.func++)
		func_put(&v);
	writer->end(o);
}
