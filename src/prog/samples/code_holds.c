/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/samples/code_holds.h"

#include "kernel/perf/sampling.h"
#include "source/facts.h"

void code_look_begin(struct code_look *ret, struct machine *m)
{
	const struct symbols *all = facts_symbols(m);
	const struct symbol *from = symbols_find_named(all, "_text"), *to = symbols_find_named(all, "_etext");

	*ret = (struct code_look){ .at = { UINT64_MAX, UINT64_MAX } };
	if (!from)
		from = symbols_find_named(all, "_stext");
	if (!from || !to || to->addr <= from->addr)
		return;
	ret->text = from->addr;
	ret->end = to->addr;
}

static bool is_kernel(const struct code_look *x, uint64_t addr)
{
	return addr >= x->text && addr < x->end;
}

void code_look_take(struct code_look *x, const struct sample *s)
{
	if (s->user)
		return;
	if (s->time < x->at[0] && is_kernel(x, s->ip))
		x->at[0] = s->time;
	for (size_t i = 0; i < s->ncallers && s->time < x->at[1]; i++)
		if (is_kernel(x, s->callers[i]))
			x->at[1] = s->time;
}

/* At an address, stays begin or end. */
struct stay_edge {
	uint64_t addr;
	int wanted, kept;
};
static int by_addr(const void *pa, const void *pb)
{
	const struct stay_edge *a = pa, *b = pb;

	return NUM_CMP(a->addr, b->addr);
}

static size_t edges_make(const struct code_stay *stay, size_t n, uint64_t at, struct stay_edge *ret)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		const struct code_stay *s = &stay[i];
		const int kept = s->from <= at && s->to >= at && (s->kept || s->fixed);

		if (s->to < at)
			continue;
		ret[count++] = (struct stay_edge){ s->addr, !kept, kept };
		ret[count++] = (struct stay_edge){ s->addr + s->len, -!kept, -kept };
	}
	if (count)
		qsort(ret, count, sizeof(*ret), by_addr);
	return count;
}

/* Extends the last, or adds one: how many were added. */
static size_t hold_put(struct code_hold *hold, size_t n, uint64_t addr, uint32_t len)
{
	struct code_hold *last = n ? &hold[n - 1] : NULL;

	if (last && last->addr + last->len == addr && len <= UINT32_MAX - last->len) {
		last->len += len;
		return 0;
	}
	hold[n] = (struct code_hold){ addr, len };
	return 1;
}

size_t code_holds_find(const struct code_stay *stay, size_t n, uint64_t at, struct arena *a, struct code_hold **ret)
{
	struct stay_edge *edge = arena_array(a, 2 * n, sizeof(*edge));
	const size_t count = edges_make(stay, n, at, edge);
	struct code_hold *hold = arena_array(a, count, sizeof(*hold));
	size_t held = 0;
	int wanted = 0, kept = 0;

	for (size_t i = 0; i < count; i++) {
		wanted += edge[i].wanted;
		kept += edge[i].kept;
		if (i + 1 < count && edge[i + 1].addr > edge[i].addr && wanted && !kept)
			held += hold_put(hold, held, edge[i].addr, (uint32_t)(edge[i + 1].addr - edge[i].addr));
	}
	*ret = hold;
	return held;
}
