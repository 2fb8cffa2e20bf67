/* SPDX-License-Identifier: BSD-2-Clause */
#include "object/coverage/frame.h"

#include "base/bytes.h"
#include "code/cfg.h"
#include "code/insn.h"

#define REG(n) ((uint16_t)(1u << (n)))

enum {
	ADD_REG = 0x0f,
	SUB_IMM = 0x17,
	SUB_REG = 0x1f,
};

/* Pointers to the stack at one instruction: in @at with the offset off[] from the frame pointer, in @any with an
 * unknown one. */
struct depth {
	uint16_t at, any;
	int32_t off[16];
	int32_t lowest;
	bool unsure;
};

/* Registers that point to the stack anywhere in the function. */
static uint16_t pointers_find(const unsigned char *code, const struct cfg *c)
{
	uint16_t ret = REG(INSN_FP), before = 0;
	bool stored = false;
	struct insn n;

	while (ret != before) {
		before = ret;
		for (size_t i = 0; i < c->insns; i += n.slots) {
			insn_decode(&n, code + i * INSN_SIZE, c->insns - i, BIG_HERE);
			stored |= n.code == INSN_STX_DW && ret & REG(n.src);
			if ((n.code == INSN_MOV64_REG && ret & REG(n.src)) || (n.code == INSN_LDX_DW && stored))
				ret |= REG(n.dst);
		}
	}
	return ret;
}

static void depth_reach(struct depth *f, int64_t off)
{
	if (off < -(int64_t)FRAME_MAX || off > INT16_MAX)
		f->unsure = true;
	else if (off < f->lowest)
		f->lowest = (int32_t)off;
}

static void depth_add(struct depth *f, unsigned reg, int64_t imm)
{
	if (f->at & REG(reg)) {
		depth_reach(f, f->off[reg] + imm);
		f->off[reg] = f->unsure ? 0 : f->off[reg] + (int32_t)imm;
	} else if (f->any & REG(reg) && imm < 0) {
		f->unsure = true;
	}
}

/* Memory that is read or written through a register. */
static void depth_access(struct depth *f, const struct insn *n)
{
	const unsigned class = n->code & 7, reg = class == INSN_LDX ? n->src : n->dst;

	if (class != INSN_LDX && class != INSN_ST && class != INSN_STX)
		return;
	if (f->at & REG(reg))
		depth_reach(f, (int64_t)f->off[reg] + n->off);
	else if (f->any & REG(reg) && n->off < 0)
		f->unsure = true;
}

static void depth_move(struct depth *f, const struct insn *n, uint16_t pointers)
{
	const uint16_t dst = REG(n->dst), src = REG(n->src), writes = insn_regs(n).writes;
	const bool at = n->code == INSN_MOV64_REG && f->at & src;
	const bool any = (n->code == INSN_MOV64_REG && f->any & src) || (n->code == INSN_LDX_DW && pointers & dst);

	f->at &= (uint16_t)~writes;
	f->any &= (uint16_t)~writes;
	f->at |= at ? dst : 0;
	f->any |= any ? dst : 0;
	if (at)
		f->off[n->dst] = f->off[n->src];
}

static void depth_step(struct depth *f, const struct insn *n, uint16_t pointers)
{
	depth_access(f, n);
	switch (n->code) {
	case INSN_ADD64_IMM:
	case SUB_IMM:
		depth_add(f, n->dst, n->code == INSN_ADD64_IMM ? n->imm : -(int64_t)n->imm);
		return;
	case ADD_REG:
	case SUB_REG:
		f->unsure |= (f->at | f->any) & (REG(n->dst) | REG(n->src));
		return;
	default:
		depth_move(f, n, pointers);
	}
}

uint32_t frame_size(const unsigned char *code, const struct cfg *c, const uint16_t *live)
{
	const uint16_t pointers = pointers_find(code, c);
	struct depth f = { 0 };

	for (size_t b = 0; b < c->nblocks; b++) {
		struct insn n;

		f.at = REG(INSN_FP);
		f.off[INSN_FP] = 0;
		f.any = pointers & live[b] & (uint16_t)~f.at;
		for (size_t i = c->blocks[b].start; i < c->blocks[b].end; i += n.slots) {
			insn_decode(&n, code + i * INSN_SIZE, c->blocks[b].end - i, BIG_HERE);
			depth_step(&f, &n, pointers);
		}
	}
	return f.unsure ? FRAME_MAX + 1 : ((uint32_t)-f.lowest + 7) & ~7u;
}
