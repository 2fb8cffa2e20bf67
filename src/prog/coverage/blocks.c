/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/coverage/blocks.h"

#define COUNTER_INSNS 8 /* from the address to the addition, at most */
#define COUNTER_REGS 2	/* registers that are saved, at most */

static struct insn insn_read(const struct xlated *x, size_t i)
{
	struct insn ret;

	insn_decode(&ret, x->image.p + i * INSN_SIZE, x->insns - i, x->big);
	return ret;
}

static bool insn_leaves(const struct insn *i)
{
	int64_t distance;

	return i->code == INSN_CALL || insn_flow(i, &distance) != FLOW_NEXT;
}

/* Is the register that instruction @i saves restored right after instruction @added? */
static bool is_saved(const struct xlated *x, size_t i, size_t added)
{
	const struct insn save = insn_read(x, i);

	if (save.code != INSN_STX_DW || save.dst != INSN_FP)
		return false;
	for (size_t k = added + 1; k < x->insns && k <= added + COUNTER_REGS; k++) {
		const struct insn load = insn_read(x, k);

		if (load.code == INSN_LDX_DW && load.src == INSN_FP && load.dst == save.src && load.off == save.off)
			return true;
	}
	return false;
}

/* The addition to what the instruction at @i loads the address of; false: there is none. *ret: offset in the value. */
static bool addition_find(const struct xlated *x, size_t i, const struct insn *load, size_t *ret_i, uint64_t *ret)
{
	uint64_t off = (uint32_t)load->imm2;
	struct insn insn;

	i += load->slots;
	for (unsigned n = 0; n < COUNTER_INSNS && i < x->insns; n++, i += insn.slots) {
		insn = insn_read(x, i);
		if (insn.code == INSN_ATOMIC_DW && insn.dst == load->dst && (insn.imm == 0 || insn.imm == 1)) {
			*ret = off + (uint64_t)(int64_t)insn.off;
			*ret_i = i;
			return true;
		}
		if (insn.code == INSN_ADD64_IMM && insn.dst == load->dst)
			off += (uint64_t)(int64_t)insn.imm;
		else if (insn_leaves(&insn) || insn_regs(&insn).writes >> load->dst & 1)
			return false;
	}
	return false;
}

static size_t counted_func_start(const struct xlated *x, size_t func)
{
	return func < x->src.funcs.n ? code_info_func(&x->src, func).insn_off : func ? x->insns : 0;
}

/* What is found so far. */
struct found {
	const struct xlated *x;
	struct arena *a;
	struct counted_block *v;
	size_t n, cap;
};

static void block_add(struct found *f, size_t func, uint32_t map, uint32_t off, size_t start)
{
	struct counted_block *last = f->n ? &f->v[f->n - 1] : NULL;
	const size_t begin = counted_func_start(f->x, func);
	struct counted_block b = { .func = func, .map = map, .off = off };

	if (last && last->func == func) {
		last->end = start;
		b.start = start;
		b.entry = last->entry;
	} else {
		b.start = begin < start ? begin : start;
		b.entry = off;
	}
	b.end = func + 1 < f->x->src.funcs.n ? counted_func_start(f->x, func + 1) : f->x->insns;
	ARENA_MORE(f->a, f->v, f->n, f->cap);
	f->v[f->n++] = b;
}

size_t counted_blocks_find(const struct xlated *x, counted_at *is_counter, void *ctx, struct arena *a,
			   const struct counted_block **ret)
{
	struct found f = { .x = x, .a = a };
	struct insn insn;
	size_t func = 0, added;
	uint64_t off;

	for (size_t i = 0; i < x->insns; i += insn.slots) {
		size_t start = i;

		while (func + 1 < x->src.funcs.n && counted_func_start(x, func + 1) <= i)
			func++;
		insn = insn_read(x, i);
		if (insn.code != INSN_LDIMM64 || insn.src != INSN_SRC_MAP_VALUE ||
		    !addition_find(x, i, &insn, &added, &off) || !is_counter(ctx, (uint32_t)insn.imm, off))
			continue;
		while (start > counted_func_start(x, func) && i - start < COUNTER_REGS && is_saved(x, start - 1, added))
			start--;
		block_add(&f, func, (uint32_t)insn.imm, (uint32_t)off, start);
	}
	*ret = f.v;
	return f.n;
}

const struct counted_block *counted_block_at(const struct counted_block *v, size_t n, size_t insn)
{
	const size_t i = ARRAY_LOWER(n, k, v[k].end <= insn);

	return i < n && v[i].start <= insn ? &v[i] : NULL;
}
