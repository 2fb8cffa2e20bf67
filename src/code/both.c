/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/both.h"

#include "code/cfg.h"
#include "code/rec.h"
#include "code/jited.h"
#include "code/xlated.h"
#include "render/doc.h"

#define LEFT_MIN 24
#define LEFT_MAX 44

/* Iterates over the functions, the groups of each, and the instructions of each group. */
struct both_walk {
	const struct both *b;
	struct cfg cfg;
	size_t func; /* number of the next function */
	struct jited_func f;
	struct xlated_walk k;
	struct jited_walk j;
	bool code;		       /* there may be more functions of machine code */
	bool moved;		       /* source lines are valid for machine code only */
	bool xlated, jited;	       /* k, j have a current instruction; that of j is in this function */
	struct source_line source;     /* of the group; text NULL: none */
	size_t func_end, k_end, j_end; /* end of the function's BPF instructions; end of the group in both */
};

static void walk_start(struct both_walk *w, const struct both *b, struct arena *a)
{
	*w = (struct both_walk){ .b = b, .f.x = b->j, .k.x = b->x, .code = true };
	w->xlated = xlated_next(&w->k);
	w->moved = code_info_has_moved(&b->x->src);
	if (!b->x->src.funcs.n)
		cfg_build(b->x->image.p, b->x->insns, b->x->big, a, &w->cfg);
}

static void walk_end(struct both_walk *w)
{
	jited_func_end(&w->f);
	xlated_walk_end(&w->k);
}

/*
 * The first instruction of function @i. Without records, functions are derived from calls, if this gives as many as the
 * kernel compiled.
 */
static size_t func_start(const struct both_walk *w, size_t i)
{
	const struct code_info *s = &w->b->x->src;

	if (i < s->funcs.n)
		return code_info_func(s, i).insn_off;
	if (!s->funcs.n && i < w->cfg.nfuncs && w->cfg.nfuncs == w->b->j->lens.n)
		return w->cfg.funcs[i].start;
	return w->b->x->insns;
}

/* BPF instructions that remain after the last function of machine code form one more function without a name. */
static bool func_next(struct both_walk *w)
{
	w->j = (struct jited_walk){ .f = &w->f, .style = w->b->jited };
	w->code = w->code && jited_func_next(&w->f);
	w->jited = w->code && jited_next(&w->j);
	if (w->code) {
		w->func_end = func_start(w, ++w->func);
		return true;
	}
	jited_func_end(&w->f);
	w->f = (struct jited_func){ .x = w->b->j };
	w->func_end = w->b->x->insns;
	return w->xlated;
}

static bool k_here(const struct both_walk *w)
{
	return w->xlated && w->k.i < w->k_end;
}

static bool j_here(const struct both_walk *w)
{
	return w->jited && w->j.pc < w->j_end;
}

/* The instruction at which the next line begins. */
static size_t line_insn(const struct both_walk *w)
{
	return w->f.line < w->f.line_end && !w->moved ? code_info_line(&w->b->j->src, w->f.line).insn_off : SIZE_MAX;
}

/* A group is a line with the code up to the next line. Lines without code are skipped, as in other dumps. */
static bool group_next(struct both_walk *w)
{
	const struct code_info *s = &w->b->j->src;
	bool left;

	while ((left = w->xlated && w->k.i < w->func_end) || w->jited) {
		size_t insn = line_insn(w), pc = w->moved && left ? 0 : jited_func_line_pc(&w->f);

		w->source.text = NULL;
		if ((left && insn <= w->k.i) || (w->jited && pc <= w->j.pc && !(w->moved && left))) {
			struct line_record l = code_info_line(s, w->f.line++);

			w->source = source_line_of(s, &l);
			insn = line_insn(w);
			pc = jited_func_line_pc(&w->f);
		}
		w->k_end = insn < w->func_end ? insn : w->func_end;
		w->j_end = pc;
		if (k_here(w) || j_here(w))
			return true;
	}
	return false;
}

static void k_put(void *ctx, struct doc *d)
{
	struct both_walk *w = ctx;
	struct xlated_rec rec;

	xlated_rec(&w->k, w->b->xlated, false, &rec);
	doc_record(d, &schema_xlated_alone, &rec);
	w->xlated = xlated_next(&w->k);
}

static void j_put(void *ctx, struct doc *d)
{
	struct both_walk *w = ctx;
	struct jited_rec rec;

	jited_rec(&w->j, &rec);
	jited_insn_write(&w->j, &rec, d);
	w->jited = jited_next(&w->j);
}

static void indent(void *ctx, unsigned line, struct out *o)
{
	out_char(o, '\t');
}

static void group_below(struct both_walk *w, struct doc *d)
{
	doc_list(d, "xlated");
	while (k_here(w) && !doc_dead(d))
		k_put(w, d);
	doc_end(d);
	doc_margin(d, indent, NULL);
	doc_list(d, "jited");
	while (j_here(w) && !doc_dead(d))
		j_put(w, d);
	doc_end(d);
	doc_margin(d, NULL, NULL);
}

static void group_pair(struct both_walk *w, struct doc *d)
{
	size_t half = w->b->columns / 2, left = half < LEFT_MIN ? LEFT_MIN : half > LEFT_MAX ? LEFT_MAX : half;

	while ((k_here(w) || j_here(w)) && !doc_dead(d))
		doc_pair(d, k_here(w) ? k_put : NULL, j_here(w) ? j_put : NULL, w, left);
}

static void group_write(struct both_walk *w, struct doc *d)
{
	struct source_rec source = source_rec(&w->source, w->b->xlated->linum);

	doc_object(d, NULL);
	doc_fields(d, &schema_source, &source);
	if (w->b->columns)
		group_pair(w, d);
	else
		group_below(w, d);
	doc_end(d);
}

void both_write(const struct both *b, struct arena *a, struct doc *d, const char *name)
{
	struct func_rec rec;
	struct both_walk w;

	walk_start(&w, b, a);
	doc_list(d, name);
	while (!doc_dead(d) && func_next(&w)) {
		doc_object(d, NULL);
		func_rec(&w.f, &rec);
		doc_fields(d, &schema_func, &rec);
		doc_list(d, "groups");
		while (!doc_dead(d) && group_next(&w))
			group_write(&w, d);
		doc_end(d);
		doc_end(d);
		doc_text(d, "\n");
	}
	doc_end(d);
	walk_end(&w);
}
