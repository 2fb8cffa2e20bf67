/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/link_netns.h"

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/clean.h"
#include "base/str.h"
#include "kernel/abi.h"
#include "own/code.h"
#include "own/kbtf.h"

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

/* r7 is the link, r8 its type: the pointer that follows it, or of a device that device's, in r9. */
static void emit_net(struct code *c, const struct places *p)
{
	unsigned next, done[SORTS];

	for (size_t i = 0; i < SORTS; i++) {
		if (p->missing & 1u << i)
			continue;
		next = code_add(c, BPF_JMP | BPF_JNE | BPF_K, BPF_REG_8, 0, 0, (int32_t)sorts[i].type);
		code_follow(c, BPF_REG_9, BPF_REG_7, p->pointer[i] - p->link[i], AT_POINTER);
		if (sorts[i].device)
			code_follow(c, BPF_REG_9, BPF_REG_9, p->dev_net, AT_POINTER);
		done[i] = code_add(c, BPF_JMP | BPF_JA, 0, 0, 0, 0);
		code_lands(c, next);
	}
	code_add(c, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_9, 0, 0, 0);
	for (size_t i = 0; i < SORTS; i++)
		if (!(p->missing & 1u << i))
			code_lands(c, done[i]);
}

static void program(struct code *c, const struct places *p)
{
	unsigned none, other;

	code_add(c, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_6, BPF_REG_1, 0, 0);
	code_add(c, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_7, BPF_REG_6, 8, 0);
	none = code_add(c, BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_7, 0, 0, 0);
	code_add(c, BPF_LDX | BPF_MEM | BPF_W, BPF_REG_8, BPF_REG_7, (int)p->type, 0);
	code_add(c, BPF_LDX | BPF_MEM | BPF_W, BPF_REG_1, BPF_REG_7, (int)p->id, 0);
	code_add(c, BPF_STX | BPF_MEM | BPF_W, BPF_REG_10, BPF_REG_1, AT_ENTRY, 0);
	emit_net(c, p);
	other = code_add(c, BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_9, 0, 0, 0);
	code_probe(c, BPF_REG_9, p->net_ns + p->inum, AT_INO, sizeof(uint32_t));
	code_write(c, AT_ENTRY, sizeof(struct entry));
	code_lands(c, none);
	code_lands(c, other);
	code_return(c);
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

int link_netns_collect(struct str *ret)
{
	struct places p = { 0 };
	struct code c = { .n = 0 };
	struct entry e;
	STR raw = { 0 };
	int err = places_find(&p);

	if (err)
		return err;
	program(&c, &p);
	err = code_run(&c, p.iter, "link_netns", &raw);
	for (size_t i = 0; !err && i + sizeof(e) <= raw.n; i += sizeof(e)) {
		memcpy(&e, raw.p + i, sizeof(e));
		if (e.ino)
			str_fmt(ret, "%u %u\n", e.id, e.ino);
	}
	return err;
}
