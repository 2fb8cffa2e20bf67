/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/code.h"

#include <string.h>

#include "base/clean.h"
#include "kernel/bpf.h"
#include "own/iter.h"

unsigned code_add(struct code *c, uint8_t code, uint8_t dst, uint8_t src, int off, int32_t imm)
{
	c->insn[c->n] = (struct bpf_insn){ .code = code, .dst_reg = dst, .src_reg = src, .off = (int16_t)off, .imm = imm };
	return c->n++;
}

void code_lands(struct code *c, unsigned jump)
{
	c->insn[jump].off = (int16_t)(c->n - jump - 1);
}

void code_probe(struct code *c, uint8_t from, unsigned off, int to, unsigned size)
{
	code_add(c, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_3, from, 0, 0);
	code_add(c, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_3, 0, 0, (int32_t)off);
	code_add(c, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_10, 0, 0);
	code_add(c, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, 0, 0, to);
	code_add(c, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, (int32_t)size);
	code_add(c, BPF_JMP | BPF_CALL, 0, 0, 0, CODE_PROBE_READ_KERNEL);
}

void code_follow(struct code *c, uint8_t to, uint8_t from, unsigned off, int at)
{
	code_probe(c, from, off, at, sizeof(uint64_t));
	code_add(c, BPF_LDX | BPF_MEM | BPF_DW, to, BPF_REG_10, at, 0);
}

void code_write(struct code *c, int at, unsigned size)
{
	/* ctx->meta->seq */
	code_add(c, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_6, 0, 0);
	code_add(c, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_1, 0, 0);
	code_add(c, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_2, BPF_REG_10, 0, 0);
	code_add(c, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, at);
	code_add(c, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_3, 0, 0, (int32_t)size);
	code_add(c, BPF_JMP | BPF_CALL, 0, 0, 0, CODE_SEQ_WRITE);
}

void code_return(struct code *c)
{
	code_add(c, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0);
	code_add(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static int load(const struct code *c, uint32_t iter, const char *name)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_TRACING;
	attr.expected_attach_type = BPF_TRACE_ITER;
	attr.attach_btf_id = iter;
	attr.insns = (uintptr_t)c->insn;
	attr.insn_cnt = c->n;
	attr.license = (uintptr_t)"Dual BSD/GPL";
	strncpy(attr.prog_name, name, sizeof(attr.prog_name) - 1);
	return sys_bpf_new(BPF_PROG_LOAD, &attr, sizeof(attr));
}

int code_run(const struct code *c, uint32_t iter, const char *name, struct str *ret)
{
	CLEAN_FD prog = load(c, iter, name);
	CLEAN_FD link = prog < 0 ? -1 : iter_link(prog, NULL);

	if (prog < 0 || link < 0)
		return prog < 0 ? prog : link;
	return iter_run(link, ret);
}
