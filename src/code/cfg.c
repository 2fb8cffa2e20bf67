/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/cfg.h"

#include "code/insn.h"

enum mark { MARK_INSN = 1, MARK_FUNC = 2, MARK_HEAD = 4 };

struct build {
	const unsigned char *image;
	size_t insns;
	bool big;
	unsigned char *marks; /* a byte per slot */
};

static struct insn insn_at(const struct build *b, size_t i)
{
	struct insn ret;

	insn_decode(&ret, b->image + i * INSN_SIZE, b->insns - i, b->big);
	return ret;
}

/* The slot @distance slots after the end of the instruction, if an instruction begins there. */
static size_t slot_at(const struct build *b, size_t i, const struct insn *insn, int64_t distance)
{
	int64_t to = (int64_t)(i + insn->slots) + distance;

	return to >= 0 && (uint64_t)to < b->insns && b->marks[to] & MARK_INSN ? (size_t)to : CFG_NONE;
}

static void mark(struct build *b, size_t slot, unsigned char m)
{
	if (slot < b->insns)
		b->marks[slot] |= m;
}

static void mark_functions(struct build *b)
{
	mark(b, 0, MARK_FUNC | MARK_HEAD);
	for (size_t i = 0; i < b->insns;) {
		struct insn n = insn_at(b, i);

		if (n.code == INSN_CALL && n.src == INSN_CALL_SUBPROG)
			mark(b, slot_at(b, i, &n, n.off), MARK_FUNC | MARK_HEAD);
		/* The distance of a function pointer is counted from the slot after the first of its instruction. */
		if (n.code == INSN_LDIMM64 && n.src == INSN_SRC_FUNC)
			mark(b, slot_at(b, i, &n, (int64_t)n.imm + 1 - n.slots), MARK_FUNC | MARK_HEAD);
		i += n.slots;
	}
}

static void mark_blocks(struct build *b)
{
	for (size_t i = 0; i < b->insns;) {
		struct insn n = insn_at(b, i);
		int64_t distance;
		enum insn_flow flow = insn_flow(&n, &distance);

		if (flow == FLOW_JUMP || flow == FLOW_BRANCH)
			mark(b, slot_at(b, i, &n, distance), MARK_HEAD);
		i += n.slots;
		if (flow != FLOW_NEXT && i < b->insns)
			mark(b, i, MARK_HEAD);
	}
}

static size_t marks_count(const struct build *b, unsigned char m)
{
	size_t ret = 0;

	for (size_t i = 0; i < b->insns; i++)
		ret += (b->marks[i] & m) != 0;
	return ret;
}

static size_t block_in(const struct cfg *c, const struct cfg_func *f, size_t slot)
{
	return slot >= f->start && slot < f->end ? cfg_block_at(c, slot) : CFG_NONE;
}

static void link_block(const struct build *b, const struct cfg *c, const struct cfg_func *f, struct cfg_block *block)
{
	size_t i = block->start, last = i;
	enum insn_flow flow;
	int64_t distance;
	struct insn n;

	for (; i < block->end; i += n.slots) {
		n = insn_at(b, i);
		last = i;
	}
	flow = insn_flow(&n, &distance);
	block->next = flow == FLOW_EXIT				 ? CFG_EXIT :
		      flow == FLOW_JUMP || flow == FLOW_INDIRECT ? CFG_NONE :
								   block_in(c, f, block->end);
	block->jump =
		flow == FLOW_JUMP || flow == FLOW_BRANCH ? block_in(c, f, slot_at(b, last, &n, distance)) : CFG_NONE;
}

void cfg_build(const unsigned char *image, size_t insns, bool big, struct arena *a, struct cfg *ret)
{
	struct build b = { .image = image, .insns = insns, .big = big, .marks = arena_alloc(a, insns) };
	size_t func = 0, block = 0;

	for (size_t i = 0; i < insns; i += insn_at(&b, i).slots)
		b.marks[i] = MARK_INSN;
	mark_functions(&b);
	mark_blocks(&b);

	struct cfg c = { .insns = insns, .nfuncs = marks_count(&b, MARK_FUNC), .nblocks = marks_count(&b, MARK_HEAD) };
	struct cfg_func *funcs = arena_array(a, c.nfuncs, sizeof(*funcs));
	struct cfg_block *blocks = arena_array(a, c.nblocks, sizeof(*blocks));
	uint32_t *block_of = arena_array(a, insns, sizeof(*block_of));

	for (size_t i = 0; i < insns; i++) {
		if (b.marks[i] & MARK_FUNC)
			funcs[func++] = (struct cfg_func){ .start = i, .block = block };
		if (b.marks[i] & MARK_HEAD) {
			blocks[block++].start = i;
			block_of[i] = (uint32_t)block;
		}
		if (func)
			funcs[func - 1].end = i + 1;
		if (block)
			blocks[block - 1].end = i + 1;
		if (func)
			funcs[func - 1].nblocks = block - funcs[func - 1].block;
	}
	c.funcs = funcs;
	c.blocks = blocks;
	c.block_of = block_of;
	for (size_t i = 0; i < c.nfuncs; i++)
		for (size_t k = 0; k < funcs[i].nblocks; k++)
			link_block(&b, &c, &funcs[i], &blocks[funcs[i].block + k]);
	*ret = c;
}

size_t cfg_block_at(const struct cfg *c, size_t insn)
{
	return insn < c->insns && c->block_of[insn] ? c->block_of[insn] - 1 : CFG_NONE;
}
