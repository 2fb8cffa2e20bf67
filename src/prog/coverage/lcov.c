/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/coverage/coverage.h"

/* The lines of all functions, by file and number: a line may be in several. */
struct lcov {
	const struct cover_line **line;
	size_t n;
	const struct cover_rec *funcs; /* not written yet */
	size_t nfuncs;
	struct out *o;
};

static int line_order(const void *pa, const void *pb)
{
	const struct cover_line *a = *(const struct cover_line *const *)pa;
	const struct cover_line *b = *(const struct cover_line *const *)pb;
	const int ret = strcmp(a->file, b->file);

	return ret ? ret : (a->num > b->num) - (a->num < b->num);
}

/* Writes the functions of a file. Functions are ordered by file; those of a file before it have no lines. */
static void funcs_put(struct lcov *l, const char *file)
{
	unsigned n = 0, hit = 0;
	int order;

	for (; l->nfuncs && (order = strcmp(l->funcs->file, file)) <= 0; l->funcs++, l->nfuncs--) {
		const struct cover_rec *r = l->funcs;

		if (order || !r->blocks_total)
			continue;
		out_fmt(l->o, "FN:%u,", r->num);
		out_text(l->o, r->func);
		out_fmt(l->o, "\nFNDA:%llu,", llu(r->runs));
		out_text(l->o, r->func);
		out_char(l->o, '\n');
		n++;
		hit += r->runs > 0;
	}
	if (n)
		out_fmt(l->o, "FNF:%u\nFNH:%u\n", n, hit);
}

/* Writes the lines of a file from number @i on; returns the first that is of another one. */
static size_t file_put(struct lcov *l, size_t i)
{
	const char *file = l->line[i]->file;
	unsigned n = 0, hit = 0;

	out_str(l->o, "TN:\nSF:");
	out_text(l->o, file);
	out_char(l->o, '\n');
	funcs_put(l, file);
	while (i < l->n && !strcmp(l->line[i]->file, file)) {
		const uint32_t num = l->line[i]->num;
		uint64_t runs = 0;

		for (; i < l->n && l->line[i]->num == num && !strcmp(l->line[i]->file, file); i++)
			runs += l->line[i]->runs;
		out_fmt(l->o, "DA:%u,%llu\n", num, llu(runs));
		n++;
		hit += runs > 0;
	}
	out_fmt(l->o, "LF:%u\nLH:%u\nend_of_record\n", n, hit);
	return i;
}

void coverage_write_lcov(const struct cover_rec *v, size_t n, struct out *o)
{
	struct lcov l = { .funcs = v, .nfuncs = n, .o = o };
	CLEAN_PTR void *line = NULL;
	size_t all = 0;

	for (size_t i = 0; i < n; i++)
		all += v[i].lines_total;
	if (!all)
		return;
	line = l.line = array_resize(NULL, all, sizeof(*l.line));
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < v[i].lines_total; k++)
			l.line[l.n++] = &v[i].all[k];
	qsort(l.line, l.n, sizeof(*l.line), line_order);
	for (size_t i = 0; i < l.n;)
		i = file_put(&l, i);
}
