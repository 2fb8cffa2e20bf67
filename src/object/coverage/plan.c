/* SPDX-License-Identifier: BSD-2-Clause */
#include "object/coverage/plan.h"

#include "base/bytes.h"
#include "code/cfg.h"
#include "code/insn.h"
#include "object/coverage/frame.h"
#include "object/coverage/live.h"

/* Registers by preference: those of the caller cost nothing, r6 to r9 are saved by functions that use them. */
static const uint8_t preferred[] = { 0, 5, 4, 3, 2, 1, 9, 8, 7, 6 };
#define REG(n) (1u << (n))

struct function {
	const unsigned char *code; /* in which nothing is called, because calls of object files are not linked */
	size_t insns;
	struct cfg cfg;
	const uint16_t *live, *read; /* by block: registers that may be used, and that are read by name */
	uint32_t frame;
};

static const unsigned char *code_alone(const unsigned char *code, size_t insns, struct arena *a)
{
	unsigned char *ret = arena_dup(a, code, insns * INSN_SIZE);
	struct insn n;

	for (size_t i = 0; i < insns; i += n.slots) {
		insn_decode(&n, ret + i * INSN_SIZE, insns - i, BIG_HERE);
		if (n.code == INSN_CALL || n.code == INSN_LDIMM64)
			ret[i * INSN_SIZE + 1] &= BIG_HERE ? 0xf0 : 0x0f;
	}
	return ret;
}

static const char *jumps_check(const struct function *f)
{
	struct insn n;

	for (size_t i = 0; i < f->insns; i += n.slots) {
		int64_t distance, to;
		enum insn_flow flow;

		insn_decode(&n, f->code + i * INSN_SIZE, f->insns - i, BIG_HERE);
		flow = insn_flow(&n, &distance);
		to = (int64_t)(i + n.slots) + distance;
		if (flow == FLOW_INDIRECT)
			return "it jumps by a table";
		if ((flow == FLOW_JUMP || flow == FLOW_BRANCH) &&
		    (to < 0 || cfg_block_at(&f->cfg, (size_t)to) == CFG_NONE))
			return "it jumps out of itself";
	}
	return NULL;
}

/* The first registers of @set, at most @n, by preference or, for those that will be saved, in the reverse order. */
static unsigned registers_pick(unsigned set, bool reverse, unsigned n, uint8_t *ret)
{
	unsigned found = 0;

	for (size_t i = 0; i < ARRAY_SIZE(preferred) && found < n; i++) {
		const uint8_t reg = preferred[reverse ? ARRAY_SIZE(preferred) - 1 - i : i];

		if (set & REG(reg))
			ret[found++] = reg;
	}
	return found;
}

/* A register whose value is unknown to the verifier cannot be saved, but one that is read later is known. */
static const char *counter_choose(const struct function *f, size_t block, struct cover_slot *ret)
{
	uint8_t regs[2];
	const unsigned free = registers_pick((uint16_t)~f->live[block], false, 2, regs);
	const unsigned saved = 2 - free;

	if (saved && block == 0)
		return "all registers are in use when it begins";
	if (saved && f->frame + 8 * saved > FRAME_MAX)
		return f->frame > FRAME_MAX ? "all registers are in use, and how much stack it uses is not known" :
					      "all registers are in use, and its stack is full";
	if (registers_pick(f->read[block] & f->live[block], true, saved, regs + free) < saved)
		return "all registers are in use, and none of them can be saved";
	*ret = (struct cover_slot){ .frame = (uint16_t)f->frame,
				    .address = regs[0],
				    .one = regs[1],
				    .saved = (uint8_t)saved,
				    .counted = true };
	return NULL;
}

static bool jumps_fit(const struct function *f, struct cover_slot *slots)
{
	struct insn n;

	cover_place(slots, f->insns, 0);
	for (size_t i = 0; i < f->insns; i += n.slots) {
		int64_t distance;
		enum insn_flow flow;

		insn_decode(&n, f->code + i * INSN_SIZE, f->insns - i, BIG_HERE);
		flow = insn_flow(&n, &distance);
		if (flow != FLOW_JUMP && flow != FLOW_BRANCH)
			continue;
		distance = (int64_t)slots[(int64_t)(i + n.slots) + distance].lead - slot_own(&slots[i]) - n.slots;
		if (n.code != INSN_GOTOL && (distance < INT16_MIN || distance > INT16_MAX))
			return false;
	}
	return true;
}

static const char *counters_choose(const struct function *f, struct cover_slot *ret)
{
	const char *why = NULL;

	for (size_t i = 0; i < f->cfg.nblocks && !why; i++)
		why = counter_choose(f, i, &ret[f->cfg.blocks[i].start]);
	if (!why && !jumps_fit(f, ret))
		why = "its jumps become too long";
	return why;
}

const char *cover_plan(const unsigned char *code, size_t insns, const uint8_t *args, struct arena *a,
		       struct cover_slot *slots, uint32_t *ret_blocks)
{
	struct function f = { .code = code_alone(code, insns, a), .insns = insns };
	struct cover_slot *mine = arena_array(a, insns, sizeof(*mine));
	uint16_t *live, *read;
	const char *why;

	cfg_build(f.code, insns, BIG_HERE, a, &f.cfg);
	f.live = live = arena_array(a, f.cfg.nblocks, sizeof(*live));
	f.read = read = arena_array(a, f.cfg.nblocks, sizeof(*read));
	why = jumps_check(&f);
	if (!why && (!live_blocks(f.code, &f.cfg, args, live) || !live_blocks(f.code, &f.cfg, NULL, read)))
		why = "its control flow is too complex";
	if (why)
		return why;
	f.frame = frame_size(f.code, &f.cfg, live);
	why = counters_choose(&f, mine);
	if (why)
		return why;
	memcpy(slots, mine, insns * sizeof(*slots));
	*ret_blocks = (uint32_t)f.cfg.nblocks;
	return NULL;
}

uint32_t cover_place(struct cover_slot *slots, size_t n, uint32_t at)
{
	for (size_t i = 0; i < n; i++) {
		slots[i].lead = at;
		at += slot_more(&slots[i]) + 1;
	}
	return at;
}
