/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/link_netns.h"

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/clean.h"
#include "base/str.h"
#include "system/abi.h"
#include "system/bpf.h"
#include "system/iter.h"
#include "system/kbtf.h"

#define PROBE_READ_KERNEL 113
#define SEQ_WRITE 127
#define INSNS 96

/* Sorts of links, where their struct bpf_link is, and behind that the pointer to a struct net, or a struct net_device. */
static const struct sort {
	uint32_t type;
	const char *name, *member;
	bool device;
} sorts[] = {
	{ ABI_LINK_NETFILTER, "bpf_nf_link", "net", false },
	{ ABI_LINK_XDP, "bpf_xdp_link", "dev", true },
	{ ABI_LINK_TCX, "tcx_link", "dev", true },
	{ ABI_LINK_NETKIT, "netkit_link", "dev", true },
};
#define SORTS ARRAY_SIZE(sorts)

struct places {
	unsigned id, type, dev_net, net_ns, inum;
	unsigned link[SORTS], pointer[SORTS];
	uint32_t missing;		/* 1 << sort: this kernel has no such links */
	uint32_t iter;
};

/* What the program writes for each link. Below it on the stack: a pointer. */
struct entry {
	uint32_t id, ino;
};
#define AT_ENTRY (-(int)sizeof(struct entry))
#define AT_INO (AT_ENTRY + (int)offsetof(struct entry, ino))
#define AT_POINTER (AT_ENTRY - 8)

struct code {
	struct bpf_insn insn[INSNS];
	unsigned n;
};

static unsigned emit(struct code *c, uint8_t code, uint8_t dst, uint8_t src, int off, int32_t imm)
{
	c->insn[c->n] = (struct bpf_insn){ .code = code, .dst_reg = dst, .src_reg = src, .off = (int16_t)off, .imm = imm };
	return c->n++;
}

static void lands(struct code *c, unsigned jump)
{
	c->insn[jump].off = (int16_t)(c->n - jump - 1);
}

/* @size bytes from @from + @off to the stack. The verifier knows no types here; what is not there reads as zeros. */
static void emit_probe(struct code *c, uint8_t from, unsigned off, int to, unsigned size)
{
	emit(c, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_3, from, 0, 0);
	emit(c, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_3, 0, 0, (int32_t)off);
	emit(c, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_10, 0, 0);
	emit(c, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, 0, 0, to);
	emit(c, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, (int32_t)size);
	emit(c, BPF_JMP | BPF_CALL, 0, 0, 0, PROBE_READ_KERNEL);
}

/* r7 is the link, r8 its type: the pointer that follows it, or of a device that device's, in r9. */
static void emit_net(struct code *c, const struct places *p)
{
	unsigned next, done[SORTS];

	for (size_t i = 0; i < SORTS; i++) {
		if (p->missing & 1u << i)
			continue;
		next = emit(c, BPF_JMP | BPF_JNE | BPF_K, BPF_REG_8, 0, 0, (int32_t)sorts[i].type);
		emit_probe(c, BPF_REG_7, p->pointer[i] - p->link[i], AT_POINTER, sizeof(uint64_t));
		emit(c, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_9, BPF_REG_10, AT_POINTER, 0);
		if (sorts[i].device) {
			emit_probe(c, BPF_REG_9, p->dev_net, AT_POINTER, sizeof(uint64_t));
			emit(c, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_9, BPF_REG_10, AT_POINTER, 0);
		}
		done[i] = emit(c, BPF_JMP | BPF_JA, 0, 0, 0, 0);
		lands(c, next);
	}
	emit(c, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_9, 0, 0, 0);
	for (size_t i = 0; i < SORTS; i++)
		if (!(p->missing & 1u << i))
			lands(c, done[i]);
}

static void program(struct code *c, const struct places *p)
{
	unsigned none, other;

	emit(c, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_6, BPF_REG_1, 0, 0);
	emit(c, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_7, BPF_REG_6, 8, 0);
	none = emit(c, BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_7, 0, 0, 0);
	emit(c, BPF_LDX | BPF_MEM | BPF_W, BPF_REG_8, BPF_REG_7, (int)p->type, 0);
	emit(c, BPF_LDX | BPF_MEM | BPF_W, BPF_REG_1, BPF_REG_7, (int)p->id, 0);
	emit(c, BPF_STX | BPF_MEM | BPF_W, BPF_REG_10, BPF_REG_1, AT_ENTRY, 0);
	emit_net(c, p);
	other = emit(c, BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_9, 0, 0, 0);
	emit_probe(c, BPF_REG_9, p->net_ns + p->inum, AT_INO, sizeof(uint32_t));
	emit(c, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_6, 0, 0);
	emit(c, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_1, 0, 0);
	emit(c, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_2, BPF_REG_10, 0, 0);
	emit(c, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, AT_ENTRY);
	emit(c, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_3, 0, 0, sizeof(struct entry));
	emit(c, BPF_JMP | BPF_CALL, 0, 0, 0, SEQ_WRITE);
	lands(c, none);
	lands(c, other);
	emit(c, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0);
	emit(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static int places_find(struct places *p)
{
	struct kbtf_want want[SORTS + 4] = {
		[SORTS] = { "bpf_link", false, { { "id", &p->id }, { "type", &p->type } } },
		{ "net_device", false, { { "nd_net", &p->dev_net } } },
		{ "net", false, { { "ns", &p->net_ns }, { "loopback_dev", &(unsigned){ 0 } } } },
		{ "ns_common", false, { { "inum", &p->inum } } },
	};
	KBTF btf = { 0 };
	int err = kbtf_open(&btf);

	for (size_t i = 0; i < SORTS; i++)
		want[i] = (struct kbtf_want){ sorts[i].name, true, { { "link", &p->link[i] }, { sorts[i].member, &p->pointer[i] } } };
	if (!err)
		err = kbtf_find(btf.p, btf.n, want, ARRAY_SIZE(want), "bpf_iter_bpf_link", &p->iter, &p->missing);
	return err;
}

static int load(const struct places *p)
{
	struct code c = { .n = 0 };
	union bpf_attr attr;

	program(&c, p);
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_TRACING;
	attr.expected_attach_type = BPF_TRACE_ITER;
	attr.attach_btf_id = p->iter;
	attr.insns = (uintptr_t)c.insn;
	attr.insn_cnt = c.n;
	attr.license = (uintptr_t)"Dual BSD/GPL";
	strcpy(attr.prog_name, "link_netns");
	return sys_bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
}

int link_netns_collect(struct str *ret)
{
	CLEAN_FD prog = -1;
	CLEAN_FD link = -1;
	struct places p = { 0 };
	struct entry e;
	STR raw = { 0 };
	int err = places_find(&p);

	if (err)
		return err;
	prog = load(&p);
	if (prog < 0)
		return prog;
	link = iter_link(prog, NULL);
	if (link < 0)
		return link;
	err = iter_run(link, &raw);
	for (size_t i = 0; !err && i + sizeof(e) <= raw.n; i += sizeof(e)) {
		memcpy(&e, raw.p + i, sizeof(e));
		if (e.ino)
			str_fmt(ret, "%u %u\n", e.id, e.ino);
	}
	return err;
}
