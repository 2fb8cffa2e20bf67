/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/coverage/coverage.h"

#include "cli/env.h"
#include "cli/records.h"

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int func_order(const struct cover_func *a, const struct cover_func *b)
{
	int ret = a == b ? 0 : strcmp(a->file, b->file);

	if (!ret)
		ret = order(a->num, b->num);
	return ret ? ret : strcmp(a->name, b->name);
}

static bool is_elsewhere(const struct cover_item *i)
{
	return strcmp(i->file, i->of->file);
}

/* By function; of each first its blocks, then its lines, those of its own file first. Copies of one are neighbours. */
static int same_order(const struct cover_item *a, const struct cover_item *b)
{
	int ret = func_order(a->of, b->of);

	if (!ret)
		ret = order(*a->file, 0) - order(*b->file, 0);
	if (!ret && *a->file)
		ret = is_elsewhere(a) - is_elsewhere(b);
	if (!ret)
		ret = strcmp(a->file, b->file);
	if (!ret)
		ret = order(a->num, b->num);
	return ret || *a->file ? ret : order(a->block, b->block);
}

static int item_order(const void *pa, const void *pb)
{
	const struct cover_item *a = pa, *b = pb;
	const int ret = same_order(a, b);

	return ret ? ret : order(a->copy, b->copy);
}

/* Of each copy the block that ran most often; @v has no others. */
static uint64_t copies_sum(const struct cover_item *v, size_t n)
{
	uint64_t ret = 0;

	for (size_t i = 0; i < n;) {
		const uint64_t copy = v[i].copy;
		uint64_t most = 0;

		for (; i < n && v[i].copy == copy; i++)
			most = v[i].runs > most ? v[i].runs : most;
		ret += most;
	}
	return ret;
}

static struct cover_rec *func_begin(struct env *env, const struct cover_func *of, const struct cover_line *lines,
				    struct records *ret)
{
	struct cover_rec *r = records_add(ret, env);

	r->func = of->name;
	r->file = of->file;
	r->num = of->num;
	r->all = lines;
	return r;
}

static void func_end(struct cover_rec *r)
{
	if (r && r->blocks_total)
		r->has_counters = AVAIL_YES;
	if (!r || !r->lines_total)
		return;
	r->percent = 100.0 * r->lines_hit / r->lines_total;
	r->has_lines = AVAIL_YES;
}

void coverage_sum(struct env *env, struct cover_item *items, size_t n, struct records *ret)
{
	struct cover_line *line = arena_array(env->keep, n, sizeof(*line));
	struct cover_rec *r = NULL;

	if (!n)
		return;
	qsort(items, n, sizeof(*items), item_order);
	for (size_t i = 0, end; i < n; i = end) {
		const struct cover_item *first = &items[i];
		uint64_t runs;

		for (end = i + 1; end < n && !same_order(first, &items[end]);)
			end++;
		runs = copies_sum(first, end - i);
		if (!i || func_order(items[i - 1].of, first->of)) {
			func_end(r);
			r = func_begin(env, first->of, line, ret);
		}
		if (!*first->file) {
			const bool counted = items[end - 1].copy;

			r->blocks_total += counted;
			r->blocks_hit += runs > 0;
			r->runs += first->block ? 0 : runs;
			continue;
		}
		*line++ = (struct cover_line){ first->file, first->src, first->num, is_elsewhere(first), runs };
		r->lines_total++;
		r->lines_hit += runs > 0;
	}
	func_end(r);
}
