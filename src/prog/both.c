/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/both.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/out.h"
#include "prog/cfg.h"
#include "prog/jited.h"
#include "prog/xlated.h"
#include "render/jsonw.h"

#define LEFT_MIN 24
#define LEFT_MAX 64

/* The walk through both: function by function, in each group by group, in each instruction by instruction. */
struct walk {
	const struct both *b;
	struct cfg cfg;
	size_t func;			/* number of the next function */
	struct jited_func f;
	struct xlated_walk k;
	struct jited_walk j;
	bool code;			/* there may be more functions of machine code */
	bool moved;			/* lines of source belong to machine code alone */
	bool xlated, jited;		/* k and j stand on an instruction; jited: of this function */
	struct source_line source;	/* of the group; text NULL: none */
	size_t func_end, k_end, j_end;	/* of the function's BPF instructions, and where the group ends in both */
};

/*
 * The verifier wants a line where each function begins. If it is not there the compiler, blinding constants, has moved the lines
 * along with instructions that nobody is shown.
 */
static bool lines_moved(const struct sources *s)
{
	size_t line = 0;

	for (size_t i = 0; i < s->funcs.n && s->lines.n; i++) {
		uint32_t start = sources_func(s, i).insn_off;

		while (line < s->lines.n && sources_line(s, line).insn_off < start)
			line++;
		if (line == s->lines.n || sources_line(s, line).insn_off != start)
			return true;
	}
	return false;
}

static void walk_start(struct walk *w, const struct both *b, struct arena *a)
{
	*w = (struct walk){ .b = b, .f.x = b->j, .k.x = b->x, .code = true };
	w->xlated = xlated_next(&w->k);
	w->moved = lines_moved(&b->x->src);
	if (!b->x->src.funcs.n)
		cfg_build(b->x->image.p, b->x->insns, a, &w->cfg);
}

static void walk_end(struct walk *w)
{
	jited_func_end(&w->f);
	xlated_walk_end(&w->k);
}

/* Where function i begins. Without records: as calls say, if these are as many as the kernel compiled. */
static size_t func_start(const struct walk *w, size_t i)
{
	const struct sources *s = &w->b->x->src;

	if (i < s->funcs.n)
		return sources_func(s, i).insn_off;
	if (!s->funcs.n && i < w->cfg.nfuncs && w->cfg.nfuncs == w->b->j->lens.n)
		return w->cfg.funcs[i].start;
	return w->b->x->insns;
}

/* Instructions that are left when there is no more machine code are one more function without a name. */
static bool func_next(struct walk *w)
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

static bool k_here(const struct walk *w)
{
	return w->xlated && w->k.i < w->k_end;
}

static bool j_here(const struct walk *w)
{
	return w->jited && w->j.pc < w->j_end;
}

/* Where the next line begins, in instructions. */
static size_t line_insn(const struct walk *w)
{
	return w->f.line < w->f.line_end && !w->moved ? sources_line(&w->b->j->src, w->f.line).insn_off : SIZE_MAX;
}

/* The line that has come takes what lies before the next one. Lines that nothing lies in are passed over, as in other dumps. */
static bool group_next(struct walk *w)
{
	const struct sources *s = &w->b->j->src;
	bool left;

	while ((left = w->xlated && w->k.i < w->func_end) || w->jited) {
		size_t insn = line_insn(w), pc = w->moved && left ? 0 : jited_func_line_pc(&w->f);

		w->source.text = NULL;
		if ((left && insn <= w->k.i) || (w->jited && pc <= w->j.pc && !(w->moved && left))) {
			struct line_record l = sources_line(s, w->f.line++);

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

/* The columns that it took. */
static size_t k_plain(const struct walk *w, struct out *o)
{
	char number[24];
	int n = snprintf(number, sizeof(number), "%4zu: ", w->k.i);

	out_str(o, number);
	out_text(o, w->k.text);
	return (size_t)n + strlen(w->k.text);
}

static void group_below(struct walk *w, struct out *o)
{
	for (; k_here(w) && !out_dead(o); w->xlated = xlated_next(&w->k)) {
		k_plain(w, o);
		out_char(o, '\n');
		if (w->b->xlated->opcodes)
			xlated_opcodes_plain(&w->k, o);
	}
	for (; j_here(w) && !out_dead(o); w->jited = jited_next(&w->j)) {
		out_char(o, '\t');
		jited_insn_plain(&w->j, o);
		out_char(o, '\n');
		if (!w->b->jited->opcodes || !w->b->jited->disasm)
			continue;
		out_char(o, '\t');
		jited_opcodes_plain(&w->j, o);
	}
}

/* A text that is wider than its column moves the other one to the right. */
static void group_beside(struct walk *w, struct out *o)
{
	size_t half = w->b->columns / 2, left = half < LEFT_MIN ? LEFT_MIN : half > LEFT_MAX ? LEFT_MAX : half;

	while ((k_here(w) || j_here(w)) && !out_dead(o)) {
		size_t used = 0;

		if (k_here(w)) {
			used = k_plain(w, o);
			w->xlated = xlated_next(&w->k);
		}
		if (j_here(w)) {
			out_fmt(o, "%*s | ", used < left ? (int)(left - used) : 0, "");
			jited_insn_plain(&w->j, o);
			w->jited = jited_next(&w->j);
		}
		out_char(o, '\n');
	}
}

void both_plain(const struct both *b, struct arena *a, struct out *o)
{
	struct walk w;

	walk_start(&w, b, a);
	while (!out_dead(o) && func_next(&w)) {
		jited_head_plain(&w.f, o);
		while (!out_dead(o) && group_next(&w)) {
			if (w.source.text)
				source_line_plain(o, &w.source, b->xlated->linum);
			if (b->columns)
				group_beside(&w, o);
			else
				group_below(&w, o);
		}
		out_char(o, '\n');
	}
	walk_end(&w);
}

static void group_json(struct walk *w, struct jsonw *jw)
{
	jsonw_object(jw);
	if (w->source.text)
		source_line_json(jw, &w->source, w->b->xlated->linum);
	jsonw_name(jw, "xlated");
	jsonw_array(jw);
	for (; k_here(w); w->xlated = xlated_next(&w->k)) {
		jsonw_object(jw);
		jsonw_name(jw, "insn");
		jsonw_uint(jw, w->k.i);
		xlated_insn_json(&w->k, w->b->xlated, jw);
		jsonw_end(jw);
	}
	jsonw_end(jw);
	jsonw_name(jw, "jited");
	jsonw_array(jw);
	for (; j_here(w); w->jited = jited_next(&w->j)) {
		jsonw_object(jw);
		jited_insn_json(&w->j, jw);
		jsonw_end(jw);
	}
	jsonw_end(jw);
	jsonw_end(jw);
}

void both_json(const struct both *b, struct arena *a, struct jsonw *jw)
{
	struct walk w;

	walk_start(&w, b, a);
	jsonw_array(jw);
	while (!out_dead(jw->out) && func_next(&w)) {
		jsonw_object(jw);
		jited_head_json(&w.f, jw);
		jsonw_name(jw, "groups");
		jsonw_array(jw);
		while (!out_dead(jw->out) && group_next(&w))
			group_json(&w, jw);
		jsonw_end(jw);
		jsonw_end(jw);
	}
	jsonw_end(jw);
	walk_end(&w);
}
