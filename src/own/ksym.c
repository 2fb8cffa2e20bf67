/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/ksym.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include "base/clean.h"
#include "kernel/bpf.h"

struct context {			/* what the program gets, and changes in place */
	uint64_t addr;			/* 0: set it to that of __bpf_call_base */
	char text[KSYM_TEXT_MAX];
};

struct constants {			/* value of the one map, which the verifier must know not to change */
	char fmt[8];
	char base[16];
};

#define HELPER_SNPRINTF 165
#define HELPER_KALLSYMS_LOOKUP_NAME 179
#define TYPE_SYSCALL 31
#define STACK_ADDR (-8)
#define STACK_TEXT (STACK_ADDR - KSYM_TEXT_MAX)
#define WORDS (KSYM_TEXT_MAX / 8)

#define INSN(c, d, s, o, i) { .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }
#define MOV(d, s) INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define SET(d, i) INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADD(d, i) INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define LOAD(d, s, o) INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE(d, s, o) INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define CALL(helper) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, helper)
#define EXIT() INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define ON_STACK(d, at) MOV(d, 10), ADD(d, at)
#define CONSTANT(d, fd, m) INSN(BPF_LD | BPF_IMM | BPF_DW, d, BPF_PSEUDO_MAP_VALUE, 0, fd), \
	{ .imm = offsetof(struct constants, m) }

static int map_create(void)
{
	struct constants value = { "%pS", "__bpf_call_base" };
	union bpf_attr attr;
	uint32_t key = 0;
	CLEAN_FD fd = -1;
	int err;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = sizeof(key);
	attr.value_size = sizeof(value);
	attr.max_entries = 1;
	attr.map_flags = BPF_F_RDONLY_PROG;
	strcpy(attr.map_name, "bpflens_ksym");
	fd = sys_bpf_new(BPF_MAP_CREATE, &attr, sizeof(attr));
	if (fd < 0)
		return fd;
	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)fd;
	attr.key = (uintptr_t)&key;
	attr.value = (uintptr_t)&value;
	err = sys_bpf(BPF_MAP_UPDATE_ELEM, &attr, sizeof(attr));
	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)fd;
	if (!err)
		err = sys_bpf(BPF_MAP_FREEZE, &attr, sizeof(attr));
	return err ? err : TAKE_FD(fd);
}

/* Helpers write to the stack, not to the context. */
static int prog_load(int map_fd)
{
	const struct bpf_insn head[] = {
		MOV(6, 1),
		LOAD(1, 6, offsetof(struct context, addr)),
		STORE(10, 1, STACK_ADDR),
		INSN(BPF_JMP | BPF_JNE | BPF_K, 1, 0, 10, 0),

		CONSTANT(1, map_fd, base),
		SET(2, sizeof(((struct constants *)0)->base)),
		SET(3, 0),
		ON_STACK(4, STACK_ADDR),
		CALL(HELPER_KALLSYMS_LOOKUP_NAME),
		LOAD(1, 10, STACK_ADDR),
		STORE(6, 1, offsetof(struct context, addr)),
		EXIT(),

		ON_STACK(1, STACK_TEXT),
		SET(2, KSYM_TEXT_MAX),
		CONSTANT(3, map_fd, fmt),
		ON_STACK(4, STACK_ADDR),
		SET(5, sizeof(uint64_t)),
		CALL(HELPER_SNPRINTF),
	};
	struct bpf_insn insns[ARRAY_SIZE(head) + 2 * WORDS + 1];
	size_t n = ARRAY_SIZE(head);
	union bpf_attr attr;

	memcpy(insns, head, sizeof(head));
	for (short i = 0; i < KSYM_TEXT_MAX; i += 8) {
		insns[n++] = (struct bpf_insn)LOAD(1, 10, STACK_TEXT + i);
		insns[n++] = (struct bpf_insn)STORE(6, 1, (short)offsetof(struct context, text) + i);
	}
	insns[n++] = (struct bpf_insn)EXIT();
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = TYPE_SYSCALL;
	attr.prog_flags = BPF_F_SLEEPABLE;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = (uint32_t)n;
	attr.license = (uintptr_t)"Dual BSD/GPL";
	strcpy(attr.prog_name, "bpflens_ksym");
	return sys_bpf_new(BPF_PROG_LOAD, &attr, sizeof(attr));
}

/* What the helper returned; -errno. */
static int run(const struct ksym *k, struct context *c)
{
	union bpf_attr attr;
	int err;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)k->prog;
	attr.test.ctx_in = (uintptr_t)c;
	attr.test.ctx_size_in = sizeof(*c);
	err = sys_bpf(BPF_PROG_TEST_RUN, &attr, sizeof(attr));
	return err ? err : (int)attr.test.retval;
}

static int id_get(int fd, uint32_t *ret)
{
	uint32_t info[2] = { 0 }, len = sizeof(info);	/* type and id come first in both kinds */
	int err = bpf_object_info(fd, info, &len);

	*ret = info[1];
	return err;
}

static int open_all(struct ksym *k)
{
	struct context c = { 0 };
	int err;

	k->map = map_create();
	if (k->map < 0)
		return k->map;
	k->prog = prog_load(k->map);
	if (k->prog < 0)
		return k->prog;
	err = id_get(k->map, &k->map_id);
	if (!err)
		err = id_get(k->prog, &k->prog_id);
	if (!err)
		err = run(k, &c);
	k->call_base = c.addr;
	return err;
}

int ksym_open(struct ksym *k)
{
	int err;

	*k = (struct ksym){ -1, -1, 0, 0, 0 };
	err = open_all(k);
	if (err)
		ksym_close(k);
	return err;
}

void ksym_close(struct ksym *k)
{
	clean_fd(&k->prog);
	clean_fd(&k->map);
	*k = (struct ksym){ -1, -1, 0, 0, 0 };
}

int ksym_at(const struct ksym *k, uint64_t addr, char ret[KSYM_TEXT_MAX])
{
	struct context c = { .addr = addr };
	int n = addr ? run(k, &c) : -ENOENT;

	if (n < 0)
		return n;
	if (n > KSYM_TEXT_MAX || !strncmp(c.text, "0x", 2))
		return -ENOENT;
	c.text[sizeof(c.text) - 1] = '\0';
	memcpy(ret, c.text, sizeof(c.text));
	return 0;
}
