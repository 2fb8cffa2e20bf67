/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/bpf.h>

#include "own/capture/copies.h"

/* Internal to the kernel (include/linux/filter.h). */
enum {
	MODE = 0xe0,
	PROBE_MEM = 0x20,
	PROBE_MEM32 = 0xa0,
	TAIL_CALL = 0xf0,
	CALL_ARGS = 0xe0,
};

static bool reads(uint8_t code)
{
	return BPF_CLASS(code) == BPF_LDX;
}

static bool accesses(uint8_t code)
{
	return reads(code) || BPF_CLASS(code) == BPF_ST || BPF_CLASS(code) == BPF_STX;
}

static void address(struct bpf_insn *insn, const struct capture_map *maps, size_t n)
{
	const uint64_t v = (uint64_t)(uint32_t)insn[1].imm << 32 | (uint32_t)insn[0].imm;

	for (size_t i = 0; i < n; i++) {
		const struct capture_map *m = &maps[i];
		const bool inside =
			m->value && v >= m->value && v - m->value < (uint64_t)m->value_size * m->max_entries;

		if (v != m->addr && !inside)
			continue;
		insn[0].src_reg = inside ? BPF_PSEUDO_MAP_VALUE : BPF_PSEUDO_MAP_FD;
		insn[0].imm = (int32_t)m->id;
		insn[1].imm = inside ? (int32_t)(v - m->value) : 0;
		return;
	}
}

void capture_insns(struct bpf_insn *insns, size_t n, const struct capture_map *maps, size_t nmaps, bool swap)
{
	for (size_t i = 0; i < n; i++) {
		struct bpf_insn *insn = &insns[i];

		if (insn->code == (BPF_JMP | TAIL_CALL)) {
			insn->code = BPF_JMP | BPF_CALL;
			insn->imm = BPF_FUNC_tail_call;
		} else if (insn->code == (BPF_JMP | CALL_ARGS)) {
			insn->code = BPF_JMP | BPF_CALL;
		} else if (swap && insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL) {
			const int32_t off = insn->off;

			insn->off = (int16_t)insn->imm;
			insn->imm = off;
		} else if ((reads(insn->code) && (insn->code & MODE) == PROBE_MEM) ||
			   (accesses(insn->code) && (insn->code & MODE) == PROBE_MEM32)) {
			insn->code = (uint8_t)((insn->code & ~MODE) | BPF_MEM);
		} else if (insn->code == (BPF_LD | BPF_IMM | BPF_DW) && i + 1 < n) {
			address(insn, maps, nmaps);
		}
	}
}
