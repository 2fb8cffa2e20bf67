/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/insn_heat.h"

#include "code/cfg.h"
#include "code/heat.h"
#include "code/jited.h"
#include "code/xlated.h"

/*
 * The first instructions of functions. Without records, functions are derived from calls, if this gives as many as the
 * kernel compiled.
 */
struct starts {
	const struct code_info *src;
	struct cfg cfg;
	size_t insns, n;
};

static void starts_read(const struct heat *h, const struct xlated *x, struct arena *a, struct starts *ret)
{
	*ret = (struct starts){ .src = &h->x->src, .insns = x->insns, .n = h->x->src.funcs.n };
	if (ret->n)
		return;
	cfg_build(x->image.p, x->insns, x->big, a, &ret->cfg);
	ret->n = ret->cfg.nfuncs == h->x->lens.n ? ret->cfg.nfuncs : 0;
}

static size_t func_start(const struct starts *s, size_t i)
{
	size_t at = s->insns;

	if (i < s->src->funcs.n)
		at = code_info_func(s->src, i).insn_off;
	else if (!s->src->funcs.n && i < s->n)
		at = s->cfg.funcs[i].start;
	return at < s->insns ? at : s->insns;
}

struct runs {
	struct insn_run *v;
	size_t n;
};

static void run_add(struct runs *r, struct insn_run run)
{
	const size_t last = r->n ? r->v[r->n - 1].end : 0;

	if (run.start >= last && run.start < run.end)
		r->v[r->n++] = run;
}

/* Adds the runs of the current function of @f. */
static void func_runs(const struct heat *h, const struct starts *s, struct jited_func *f, struct runs *ret)
{
	const size_t end = func_start(s, f->i);
	/* Code before the first line is the prologue of the function, and belongs to that line. */
	size_t pc = 0;

	if (code_info_has_moved(s->src) || f->line >= f->line_end) {
		run_add(ret, (struct insn_run){ func_start(s, f->i - 1), end, heat_sum(h, f->off, f->len), false });
		return;
	}
	while (f->line < f->line_end) {
		const size_t start = code_info_line(s->src, f->line).insn_off;
		size_t to = f->len, next = end;

		if (++f->line < f->line_end) {
			const size_t line_pc = jited_func_line_pc(f);
			const size_t insn = code_info_line(s->src, f->line).insn_off;

			to = line_pc < pc || line_pc > f->len ? pc : line_pc;
			next = insn < end ? insn : end;
		}
		run_add(ret, (struct insn_run){ start, next, heat_sum(h, f->off + pc, to - pc), true });
		pc = to;
	}
}

void insn_heat_read(const struct heat *h, const struct xlated *x, struct arena *a, struct insn_heat *ret)
{
	JITED_FUNC f = { .x = h->x };
	struct starts s;
	struct runs runs;

	starts_read(h, x, a, &s);
	runs = (struct runs){ .v = arena_array(a, h->x->src.lines.n + s.n + 1, sizeof(*runs.v)) };
	if (!s.n)
		run_add(&runs, (struct insn_run){ 0, x->insns, h->samples, false });
	while (f.i < s.n && jited_func_next(&f))
		func_runs(h, &s, &f, &runs);
	*ret = (struct insn_heat){ .runs = runs.v, .n = runs.n, .samples = h->samples, .lines = true };
	for (size_t i = 0; i < runs.n; i++)
		ret->lines &= runs.v[i].line || !runs.v[i].samples;
}

/* The first run that ends after @insn. */
static size_t run_from(const struct insn_heat *h, size_t insn)
{
	return ARRAY_LOWER(h->n, i, h->runs[i].end <= insn);
}

const struct insn_run *insn_heat_at(const struct insn_heat *h, size_t insn)
{
	const size_t i = run_from(h, insn);

	return i < h->n && h->runs[i].start == insn ? &h->runs[i] : NULL;
}

uint64_t insn_heat_sum(const struct insn_heat *h, size_t start, size_t end, uint64_t *shared)
{
	uint64_t sum = 0;

	for (size_t i = run_from(h, start); i < h->n && h->runs[i].start < end; i++) {
		const struct insn_run *r = &h->runs[i];

		sum += r->samples;
		if (r->start < start || r->end > end)
			*shared += r->samples;
	}
	return sum;
}
