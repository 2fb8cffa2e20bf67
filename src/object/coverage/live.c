/* SPDX-License-Identifier: BSD-2-Clause */
#include "object/coverage/live.h"

#include "base/bytes.h"
#include "code/cfg.h"
#include "code/insn.h"

/* Code of compilers needs as many as its loops are deep. */
#define ROUNDS_MAX 1000

/* Registers that a block reads before it writes them, and those that it writes. */
struct effect {
	uint16_t reads, writes;
};

static uint16_t implied(const struct insn *n, const struct insn_regs *regs, unsigned args)
{
	/* The first argument is r1. */
	return n->code == INSN_CALL ? regs->implied & (uint16_t)((2u << args) - 2) : regs->implied;
}

static struct effect effect_of(const unsigned char *code, const struct cfg_block *b, const uint8_t *args)
{
	struct effect ret = { 0 };
	struct insn n;

	for (size_t i = b->start; i < b->end; i += n.slots) {
		struct insn_regs regs;

		insn_decode(&n, code + i * INSN_SIZE, b->end - i, BIG_HERE);
		regs = insn_regs(&n);
		ret.reads |= (regs.reads | (args ? implied(&n, &regs, args[i]) : 0)) & ~ret.writes;
		ret.writes |= regs.writes;
	}
	return ret;
}

bool live_blocks(const unsigned char *code, const struct cfg *c, const uint8_t *args, uint16_t *ret)
{
	ARENA scratch = arena_new();
	struct effect *effects = arena_array(scratch, c->nblocks, sizeof(*effects));
	bool changed = true;
	unsigned rounds = 0;

	for (size_t i = 0; i < c->nblocks; i++) {
		effects[i] = effect_of(code, &c->blocks[i], args);
		ret[i] = effects[i].reads;
	}
	while (changed && rounds++ < ROUNDS_MAX) {
		changed = false;
		for (size_t i = c->nblocks; i-- > 0;) {
			const struct cfg_block *b = &c->blocks[i];
			uint16_t out =
				(b->next < c->nblocks ? ret[b->next] : 0) | (b->jump < c->nblocks ? ret[b->jump] : 0);
			uint16_t in = effects[i].reads | (out & ~effects[i].writes);

			changed |= in != ret[i];
			ret[i] = in;
		}
	}
	return !changed;
}
